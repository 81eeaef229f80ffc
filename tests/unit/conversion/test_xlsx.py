"""Sheets as tables: heads, displayed values, several tables, what is merged, hidden, filtered, huge or far away."""

from __future__ import annotations

import datetime as dt
import io
from typing import TYPE_CHECKING

import openpyxl
import pytest
from openpyxl.styles import Font
from openpyxl.worksheet.table import Table

from conversion.office.records import OfficeOptions
from conversion.office.xlsx import convert_xlsx
from wrac.errors import NothingExtracted

if TYPE_CHECKING:
    from openpyxl.workbook import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

URL = "https://handbook.example/files/price_list.xlsx"


def book(*rows: tuple[object, ...], name: str = "Prices") -> tuple[Workbook, Worksheet]:
    """A workbook with one sheet of these rows."""
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.title = name
    for row in rows:
        sheet.append(row)
    return workbook, sheet


def saved(workbook: Workbook) -> bytes:
    """The bytes of the workbook."""
    out = io.BytesIO()
    workbook.save(out)
    return out.getvalue()


def text_of(workbook: Workbook, options: OfficeOptions | None = None) -> str:
    """Markdown of the workbook."""
    return convert_xlsx(saved(workbook), URL, options or OfficeOptions()).document.text


def test_sheet_is_a_section_and_its_first_row_the_head() -> None:
    workbook, _ = book(("Model", "Price"), ("Edge", 12), ("Storm", 14))
    assert text_of(workbook) == "## Prices\n\n| Model | Price |\n| --- | --- |\n| Edge | 12 |\n| Storm | 14 |\n"


def test_default_name_of_a_single_sheet_is_no_heading() -> None:
    workbook, _ = book(("Model", "Price"), ("Edge", 12), name="Sheet1")
    assert text_of(workbook) == "| Model | Price |\n| --- | --- |\n| Edge | 12 |\n"
    workbook.create_sheet("Sheet2").append(("a",))
    assert text_of(workbook).startswith("## Sheet1\n")


def test_values_stand_as_displayed() -> None:
    workbook, sheet = book(("Item", "Value"))
    for value, form in (
        (1234.5, '#,##0.00 "EUR"'),
        (0.256, "0.0%"),
        (-7, "#,##0;(#,##0)"),
        (dt.date(2024, 3, 1), "d mmm yyyy"),
        (dt.datetime(2024, 3, 1, 14, 30), "yyyy-mm-dd hh:mm"),  # noqa: DTZ001 (sheets know no zones)
        (dt.timedelta(hours=36), "[h]:mm"),
        (True, "General"),
        (0.1 + 0.2, "General"),
    ):
        sheet.append(("x", value))
        sheet.cell(sheet.max_row, 2).number_format = form
    values = [line.split(" | ")[1].strip(" |") for line in text_of(workbook).split("\n")[4:] if line]
    assert values == ["1,234.50 EUR", "25.6%", "(7)", "1 Mar 2024", "2024-03-01 14:30", "36:00", "TRUE", "0.3"]


def test_days_may_be_counted_from_1904() -> None:
    workbook, sheet = book(("Day", "Event"))
    workbook.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    sheet.append((dt.date(2024, 3, 1), "start"))
    sheet.cell(2, 1).number_format = "yyyy-mm-dd"
    assert "| 2024-03-01 | start |" in text_of(workbook)


def test_formulas_give_their_cached_results() -> None:
    workbook, _ = book(("A", "B", "C"), (1, 2, 4))
    parts = members(saved(workbook))
    name = "xl/worksheets/sheet1.xml"
    parts[name] = parts[name].replace(b'<c r="C2" t="n"><v>4</v></c>', b'<c r="C2"><f>A2+B2</f><v>3</v></c>')
    assert "| 1 | 2 | 3 |" in convert_xlsx(zipped(parts), URL).document.text


def test_the_page_map_says_on_which_sheet_text_stands() -> None:
    workbook, _ = book(("Part", "Cost"), ("a", 2))
    workbook.create_sheet("Blank")
    hidden = workbook.create_sheet("Secret")
    hidden.sheet_state = "hidden"
    hidden.append(["x"])
    last = workbook.create_sheet("Fares")
    for row in (("City", "Fare"), ("Oslo", 310)):
        last.append(row)
    made = convert_xlsx(saved(workbook), URL)
    text = made.document.text
    assert [(span.page, text[span.offset :].splitlines()[0]) for span in made.document.pages] == [
        (1, "## Prices"),
        (4, "## Fares"),
    ]
    assert made.pages == 4


def test_formulas_that_nothing_computed_stand_as_they_are() -> None:
    # Programs that write workbooks leave the results to the next office that opens them.
    workbook, _ = book(("Part", "Cost"), ("a", 2), ("b", 3), ("Sum", "=SUM(B2:B3)"))
    assert "| Sum | =SUM(B2:B3) |" in text_of(workbook)


def members(data: bytes) -> dict[str, bytes]:
    """Members of a ZIP file by name."""
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(parts: dict[str, bytes]) -> bytes:
    """A ZIP file of the members."""
    from office_files import zip_of

    return zip_of(parts)


def test_several_tables_on_a_sheet_are_several_tables() -> None:
    workbook, sheet = book(("Model", "Price", "Stock"), ("Edge", 12, 3), ("Storm", 14, 5))
    sheet["A6"] = "Shops"
    for row, cells in enumerate((("City", "Phone", "Staff"), ("Bonn", "0228", 4)), 7):
        for column, value in enumerate(cells, 1):
            sheet.cell(row, column, value)
    sheet["G1"], sheet["H1"] = "Key", "Value"
    sheet["G2"], sheet["H2"] = "Rate", 3
    assert text_of(workbook) == (
        "## Prices\n\n"
        "| Model | Price | Stock |\n| --- | --- | --- |\n| Edge | 12 | 3 |\n| Storm | 14 | 5 |\n\n"
        "| Key | Value |\n| --- | --- |\n| Rate | 3 |\n\n"
        "### Shops\n\n"
        "| City | Phone | Staff |\n| --- | --- | --- |\n| Bonn | 0228 | 4 |\n"
    )


def test_title_above_and_source_below_are_no_rows() -> None:
    workbook, sheet = book(("Sales 2024",), ("Region", "Amount", "Share"), ("North", 5, 1), ("South", 7, 2))
    sheet.append(("Source: finance department.",))
    assert text_of(workbook) == (
        "## Prices\n\n### Sales 2024\n\n| Region | Amount | Share |\n| --- | --- | --- |\n| North | 5 | 1 |\n"
        "| South | 7 | 2 |\n\nSource: finance department.\n"
    )


def test_pairs_without_a_head_have_none_made_of_their_first() -> None:
    workbook, _ = book(("Name", "Acme"), ("City", "Bonn"), ("Phone", "0228"))
    assert (
        text_of(workbook) == "## Prices\n\n|  |  |\n| --- | --- |\n| Name | Acme |\n| City | Bonn |\n| Phone | 0228 |\n"
    )


def test_head_of_text_columns_is_known_by_its_looks() -> None:
    workbook, sheet = book(("Role", "Person"), ("Lead", "Ann"), ("Deputy", "Bob"))
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    assert "| Role | Person |\n| --- | --- |\n| Lead | Ann |" in text_of(workbook)


def test_declared_table_names_its_head_and_holds_over_blank_rows() -> None:
    workbook, sheet = book(("Role", "Person"), ("Lead", "Ann"), (None, None), ("Deputy", "Bob"))
    sheet.add_table(Table(displayName="Roles", ref="A1:B4"))
    assert text_of(workbook) == "## Prices\n\n| Role | Person |\n| --- | --- |\n| Lead | Ann |\n| Deputy | Bob |\n"


def test_names_over_several_columns_stand_before_those_below() -> None:
    workbook, sheet = book(
        (None, "2023", None, "2024", None), ("Team", "Q1", "Q2", "Q1", "Q2"), ("A", 1, 2, 3, 4), ("B", 5, 6, 7, 8)
    )
    sheet.merge_cells("B1:C1")
    sheet.merge_cells("D1:E1")
    assert (
        "| Team | 2023 Q1 | 2023 Q2 | 2024 Q1 | 2024 Q2 |\n| --- | --- | --- | --- | --- |\n| A | 1 | 2 | 3 | 4 |"
        in text_of(workbook)
    )


def test_cell_over_several_rows_stands_in_each() -> None:
    workbook, sheet = book(("Region", "City", "Shops"), ("North", "Kiel", 3), (None, "Bremen", 4))
    sheet.merge_cells("A2:A3")
    assert "| North | Kiel | 3 |\n| North | Bremen | 4 |" in text_of(workbook)


def test_hidden_parts_are_recorded_and_filtered_rows_stay() -> None:
    workbook, sheet = book(("Model", "Price", "Cost"), ("Edge", 12, 8), ("Storm", 14, 9), ("Bolt", 15, 9))
    sheet.column_dimensions["C"].hidden = True
    sheet.row_dimensions[3].hidden = True
    secret = workbook.create_sheet("Secret")
    secret["A1"] = "hidden sheet"
    secret.sheet_state = "veryHidden"
    filtered = workbook.create_sheet("Filtered")
    for row in (("Name", "Age"), ("Ann", 30), ("Bob", 40)):
        filtered.append(row)
    filtered.auto_filter.ref = "A1:B3"
    filtered.row_dimensions[3].hidden = True
    done = convert_xlsx(saved(workbook), URL)
    assert done.document.text == (
        "## Prices\n\n| Model | Price |\n| --- | --- |\n| Edge | 12 |\n| Bolt | 15 |\n\n"
        "## Filtered\n\n| Name | Age |\n| --- | --- |\n| Ann | 30 |\n| Bob | 40 |\n"
    )
    assert {(r.rule, r.locator, r.preview) for r in done.removals} == {
        ("office.hidden-column", "sheet Prices", "Cost 8 9"),
        ("office.hidden-row", "sheet Prices", "Storm 14 9"),
        ("office.hidden-sheet", "sheet Secret", "hidden sheet"),
    }


def test_long_tables_repeat_their_head_in_bounded_parts() -> None:
    workbook, _ = book(("Id", "Name"), *((n, f"name {n}") for n in range(1, 26)))
    text = text_of(workbook, OfficeOptions(table_rows=10))
    tables = text.split("| Id | Name |\n| --- | --- |\n")[1:]
    assert [table.count("\n| ") + table.startswith("| ") for table in tables] == [10, 10, 5]


def test_cells_far_apart_cost_nothing_between_them() -> None:
    workbook, sheet = book(("Model", "Price"), ("Edge", 12))
    sheet.cell(1_048_576, 200, "far away")
    assert text_of(workbook) == "## Prices\n\n| Model | Price |\n| --- | --- |\n| Edge | 12 |\n\nfar away\n"


def test_cells_beyond_the_bounds_are_recorded() -> None:
    workbook, _ = book(("Id", "Name"), *((n, "x") for n in range(100)))
    done = convert_xlsx(saved(workbook), URL, OfficeOptions(max_cells=21))
    assert done.document.text.count("| x |") == 9
    (removal,) = done.removals
    assert (removal.rule, removal.preview) == ("office.beyond-bounds", "181 cells beyond 21 cells or 256 columns")


def test_empty_sheets_are_nothing_and_an_empty_workbook_a_failure() -> None:
    workbook, _ = book(("A", "B"), (1, 2))
    workbook.create_sheet("Empty")
    assert "Empty" not in text_of(workbook)
    with pytest.raises(NothingExtracted, match=r"price_list\.xlsx: the document holds no filled cells"):
        convert_xlsx(saved(openpyxl.Workbook()), URL)


def test_markdown_in_cells_is_escaped_and_links_are_kept() -> None:
    workbook, sheet = book(("Name", "Note"), ("a|b", "*star*\nsecond"), ("site", "docs"))
    sheet["B3"].hyperlink = "https://example.org/"
    assert text_of(workbook).split("\n")[5:7] == [
        "| a\\|b | \\*star\\*<br>second |",
        "| site | [docs](https://example.org/) |",
    ]


def test_values_are_those_that_openpyxl_reads() -> None:
    rows = [("Id", "Name", "Amount"), *((n, f"näme {n}", n / 8) for n in range(50))]
    workbook, _ = book(*rows)
    written = [
        line.strip("| ").split(" | ") for line in text_of(workbook, OfficeOptions(table_rows=100)).split("\n")[4:-1]
    ]
    assert [(int(a), b, float(c)) for a, b, c in written] == rows[1:]
