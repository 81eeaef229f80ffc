"""What stands close together: rows of numbers, lists in columns of a few lines, dashes below bullets."""

from __future__ import annotations

from pdf_files import BOLD, Page, column, pdf, rule, text

from conversion.pdf import PdfOptions, convert_pdf

NO_OCR = PdfOptions(ocr=False)
BODY = column(
    72, 700, [f"Body text line {n} that runs on until it has come to the edge of its column." for n in range(8)]
)


def converted(content: str) -> str:
    return convert_pdf(pdf([Page(content)]), "file:a.pdf", NO_OCR).document.text


def rows_of(made: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in made.splitlines() if line[:1] == "|"]


def test_numbers_under_numbers_are_rows_though_none_would_fit_beside_another() -> None:
    rows = [[f"-{n}", "" if n == 5 else f"{n}200k", f"{n}14704"] for n in range(1, 7)]
    content = "".join(
        text((72, 96, 150)[place], 560 - 12 * index, words)
        for index, row in enumerate(rows)
        for place, words in enumerate(row)
    )
    assert [row for row in rows_of(converted(BODY + content)) if row[0][:2] not in ("", "--")] == rows


def test_sums_below_a_bill_are_rows_of_their_own() -> None:
    # Set to the right: the widths are those of Helvetica at 10 points.
    widths = {"100.00": 30.6, "200.00": 30.6, "400.00": 30.6, "500.00": 30.6, "095.00": 30.6, "595.00": 30.6}
    widths |= {"Net": 15.6, "VAT 19%": 42.2, "Total EUR": 46.1, "Price": 23.3, "Sum": 21.1}
    rows = [["Pump P1", "100.00", "100.00"], ["Pump P2", "200.00", "400.00"], ["", "Net", "500.00"]]
    rows += [["", "VAT 19%", "095.00"], ["", "Total EUR", "595.00"]]
    content = (
        text(72, 560, "Article", font=BOLD) + text(251, 560, "Price", font=BOLD) + text(316, 560, "Sum", font=BOLD)
    )
    content += rule(70, 555, 345, 555)
    for index, row in enumerate(rows):
        content += text(72, 540 - 14 * index, row[0]) if row[0] else ""
        content += "".join(
            text(right - widths[words], 540 - 14 * index, words)
            for right, words in zip((275, 340), row[1:], strict=True)
        )
    assert rows_of(converted(BODY + content))[-5:] == rows


def test_short_lists_side_by_side_are_read_one_after_the_other() -> None:
    content = "".join(
        text(x, 560 - 20 * line, "\x95") + text(x + 16, 560 - 20 * line, f"{side} {line}")
        for x, side in ((72, "Left"), (300, "Right"))
        for line in (1, 2)
    )
    assert converted(BODY + content).rstrip().splitlines()[-4:] == ["- Left 1", "- Left 2", "- Right 1", "- Right 2"]


def test_dashes_below_bullets_are_items_of_a_list_inside() -> None:
    content = ""
    for line, (indent, mark, words) in enumerate(
        [(0, "\x95", "Grow"), (14, "\x96", "north"), (14, "\x96", "south"), (0, "\x95", "Save")]
    ):
        content += text(72 + indent, 560 - 12 * line, mark) + text(86 + indent, 560 - 12 * line, words)
    made = converted(BODY + content)
    assert made.rstrip().splitlines()[-4:] == ["- Grow", "  - north", "  - south", "- Save"]


def test_a_dash_in_a_sentence_of_an_item_is_no_mark() -> None:
    full = "An item that runs on until it has come to the edge of its column, and so on"
    content = text(72, 560, "\x95") + text(86, 560, full) + text(86, 548, "\x96 as it must \x96 and then it ends.")
    assert f"- {full} – as it must – and then it ends.\n" in converted(BODY + content)


def test_an_item_above_a_table_is_no_row_of_it() -> None:
    content = "".join(text(90, 560 - 14 * n, f"{n + 1}.") + text(110, 560 - 14 * n, f"Step {n + 1}") for n in range(3))
    rows = [["Class", "Limit", "Who"], ["Rail", "none", "self"], ["Air", "600", "head"], ["Sea", "500", "head"]]
    content += "".join(
        text(90 + 120 * place, 516 - 14 * index, words)
        for index, row in enumerate(rows)
        for place, words in enumerate(row)
    )
    made = converted(BODY + content)
    assert "1. Step 1\n2. Step 2\n3. Step 3\n\n|" in made
    assert rows_of(made)[-4:] == rows


def test_bullets_far_from_their_text_are_a_list_and_no_table() -> None:
    # Word sets bullets a quarter of an inch before the text.
    content = ""
    for line in range(4):
        content += text(90, 560 - 14 * line, "\x95") + text(108, 560 - 14 * line, f"Check {line} of the list")
    made = converted(BODY + content)
    assert made.rstrip().splitlines()[-4:] == [f"- Check {line} of the list" for line in range(4)]


def test_words_over_figures_are_a_head_and_names_over_names_are_none() -> None:
    def table(rows: list[list[str]]) -> list[list[str]]:
        content = "".join(
            text(90 + 120 * place, 560 - 14 * index, words)
            for index, row in enumerate(rows)
            for place, words in enumerate(row)
        )
        return rows_of(converted(BODY + content))

    figures = [["Class", "Limit"], ["Rail", "200"], ["Air", "600"], ["Sea", "500"]]
    assert table(figures) == [figures[0], ["---"] * 2, *figures[1:]]
    names = [["Oslo", "Norway"], ["Rome", "Italy"], ["Bern", "Swiss"]]
    assert table(names) == [["", ""], ["---"] * 2, *names]
