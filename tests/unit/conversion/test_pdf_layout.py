"""The layout of PDF pages: columns, running heads and feet, tables with and without rulings."""

from __future__ import annotations

from pdf_files import BOLD, Page, column, pdf, rule, text, turned

from conversion.pdf import PdfConversion, PdfOptions, convert_pdf

NO_OCR = PdfOptions(ocr=False)
LEFT = [f"left column line {n} goes on to its edge here" for n in range(1, 9)]
RIGHT = [f"right column line {n} goes on to its edge here" for n in range(1, 9)]


def conversion(*pages: Page | str) -> PdfConversion:
    made = [Page(page) if isinstance(page, str) else page for page in pages]
    return convert_pdf(pdf(made), "file:a.pdf", NO_OCR)


def flat(text_: str) -> str:
    return " ".join(text_.split())


# ---------------------------------------------------------------- columns


def test_columns_are_read_one_after_the_other() -> None:
    made = conversion(column(60, 700, LEFT) + column(330, 700, RIGHT)).document.text
    assert flat(made) == flat(" ".join(LEFT + RIGHT))


def test_a_title_over_two_columns_comes_first_and_a_line_below_them_last() -> None:
    wide = "A line that runs over the full width of the page, across the gutter between its columns"
    page = text(60, 740, wide, size=12) + column(60, 700, LEFT) + column(330, 700, RIGHT) + text(60, 560, wide + ".")
    made = flat(conversion(page).document.text)
    places = [made.index(part) for part in (wide, LEFT[0], RIGHT[0], wide + ".")]
    assert places == sorted(places)


def test_three_columns() -> None:
    parts = [[f"{name} {n} words in a column" for n in range(1, 7)] for name in ("alpha", "beta", "gamma")]
    page = "".join(column(60 + 180 * i, 700, part) for i, part in enumerate(parts))
    made = flat(conversion(page).document.text)
    assert [made.index(f"{name} 1") for name in ("alpha", "beta", "gamma")] == sorted(
        made.index(f"{name} 1") for name in ("alpha", "beta", "gamma")
    )
    assert made.index("alpha 6") < made.index("beta 1")
    assert made.index("beta 6") < made.index("gamma 1")


def test_rows_that_the_file_writes_one_by_one_are_a_table_rather_than_columns() -> None:
    rows = [("Vienna", "120 EUR"), ("Oslo", "310 EUR"), ("Rome", "95 EUR"), ("Bern", "140 EUR"), ("Riga", "80 EUR")]
    page = "".join(text(72, 700 - 12 * i, a) + text(300, 700 - 12 * i, b) for i, (a, b) in enumerate(rows))
    assert "| Oslo | 310 EUR |" in conversion(page).document.text


def test_text_in_another_direction_follows_the_pages_own() -> None:
    made = conversion(column(100, 700, LEFT) + turned(30, 300, "preprint of June", 90)).document.text
    assert made.rstrip().endswith("preprint of June")


# ---------------------------------------------------------------- furniture


def page_with_furniture(number: int) -> str:
    body = [f"Body of page {number}, line {n}, which says something of its own" for n in range(6)]
    return text(72, 760, "The Quarterly Report") + column(72, 700, body) + text(300, 40, str(number))


def test_running_heads_and_page_numbers_are_left_out_and_recorded() -> None:
    made = conversion(*(page_with_furniture(n) for n in range(1, 6)))
    assert "Quarterly" not in made.document.text
    heads = [r for r in made.removals if r.rule == "pdf.running-head"]
    numbers = [r for r in made.removals if r.rule == "pdf.page-number"]
    assert [r.preview for r in heads] == ["The Quarterly Report"] * 5
    assert [r.preview for r in numbers] == ["1", "2", "3", "4", "5"]
    assert heads[2].locator == "page 3 > head"
    assert all(f"Body of page {n}, line 5" in flat(made.document.text) for n in range(1, 6))


def test_page_numbers_that_start_elsewhere_are_seen_by_their_sequence() -> None:
    made = conversion(*(column(72, 700, LEFT) + text(300, 40, f"Page {n} of 90") for n in (41, 42, 43)))
    assert "of 90" not in made.document.text


def test_a_number_that_follows_no_sequence_stays() -> None:
    made = conversion(*(column(72, 700, LEFT) + text(300, 40, n) for n in ("1848", "17", "1989")))
    assert "1848" in made.document.text


def test_tables_of_contents_are_left_out_and_recorded() -> None:
    entries = [f"{n} Chapter {name} . . . . . . . . . . . {n * 7}" for n, name in enumerate(["one", "two", "three"], 1)]
    made = conversion(column(72, 700, entries) + column(72, 600, LEFT))
    assert "Chapter" not in made.document.text
    (removal,) = made.removals
    assert removal.rule == "pdf.contents"
    assert removal.preview.startswith("1 Chapter one . .")


def test_a_dotted_line_alone_is_no_table_of_contents() -> None:
    assert "Signature" in conversion(column(72, 700, [*LEFT, "Signature of the owner . . . . . . . . 1"])).document.text


def test_lines_without_a_gap_to_the_text_are_no_furniture() -> None:
    pages = [column(72, 760, ["Always the same first line", *LEFT]) for _ in range(4)]
    assert conversion(*pages).document.text.count("Always the same") == 4


# ---------------------------------------------------------------- tables


def test_a_booktabs_table_with_wrapped_cells() -> None:
    page = (
        rule(72, 712, 452, 712)
        + text(72, 700, "City")
        + text(200, 700, "Fare")
        + text(280, 700, "Remark", font=BOLD)
        + rule(72, 694, 452, 694)
        + text(72, 682, "Vienna")
        + text(200, 682, "120")
        + text(280, 682, "Twice a day, with a stop of one hour")
        + text(280, 670, "in Graz on weekdays")
        + text(72, 658, "Oslo")
        + text(200, 658, "310")
        + text(280, 658, "Direct")
        + rule(72, 650, 452, 650)
    )
    assert conversion(page).document.text == (
        "| City | Fare | Remark |\n| --- | --- | --- |\n"
        "| Vienna | 120 | Twice a day, with a stop of one hour in Graz on weekdays |\n| Oslo | 310 | Direct |\n"
    )


def test_a_boxed_table_with_narrow_cells_and_middle_aligned_text() -> None:
    ys, xs = (720, 680, 640, 600), (72, 130, 190, 400)
    lines = "".join(rule(72, y, 400, y) for y in ys) + "".join(rule(x, 600, x, 720) for x in xs)
    cells = (
        text(76, 698, "Name")
        + text(134, 698, "No.")
        + text(194, 698, "What it does")
        + text(76, 658, "Alpha beta")
        + text(134, 658, "7")
        + text(194, 664, "It opens the valve and")
        + text(194, 652, "closes it again")
        + text(76, 618, "Gamma")
        + text(134, 618, "8")
        + text(194, 618, "Nothing")
    )
    assert conversion(lines + cells).document.text == (
        "| Name | No. | What it does |\n| --- | --- | --- |\n"
        "| Alpha beta | 7 | It opens the valve and closes it again |\n| Gamma | 8 | Nothing |\n"
    )


def rows_at(top: float, rows: list[tuple[str, str]]) -> str:
    return "".join(text(72, top - 12 * i, a) + text(250, top - 12 * i, b) for i, (a, b) in enumerate(rows))


def test_a_table_over_a_page_border_is_one_and_says_its_head_once() -> None:
    head = [("Part", "Price")]

    def framed(top: float, rows: list[tuple[str, str]], *, closed: bool) -> str:
        end = rule(72, top - 14 - 12 * len(rows), 400, top - 14 - 12 * len(rows)) if closed else ""
        rules = rule(72, top + 10, 400, top + 10) + rule(72, top - 5, 400, top - 5)
        return rules + rows_at(top, head) + rows_at(top - 16, rows) + end

    first = framed(160, [("bolt", "1.20"), ("nut", "0.40"), ("washer", "0.10")], closed=False)
    second = framed(700, [("screw", "0.30"), ("rivet", "0.70")], closed=True)
    made = conversion(column(72, 700, LEFT) + first, second + column(72, 600, LEFT)).document
    table = made.text[made.text.index("| Part") :].split("\n\n")[0]
    assert table.splitlines() == [
        "| Part | Price |",
        "| --- | --- |",
        "| bolt | 1.20 |",
        "| nut | 0.40 |",
        "| washer | 0.10 |",
        "| screw | 0.30 |",
        "| rivet | 0.70 |",
    ]


def test_cells_that_touch_the_next_column_are_parted_where_it_starts() -> None:
    rows = [("admissions@office.example", "Hall 1"), ("desk@office.example", "Hall 2"), ("it@x.example", "Hall 3")]
    # The longest address ends exactly where the second column starts.
    page = "".join(text(72, 700 - 12 * i, a) + text(194.9, 700 - 12 * i, b) for i, (a, b) in enumerate(rows))
    rules = rule(72, 712, 300, 712) + rule(72, 670, 300, 670)
    assert "| admissions@office.example | Hall 1 |" in conversion(rules + page).document.text


def test_an_empty_cell_stays_empty() -> None:
    page = rows_at(700, [("Item", "Note"), ("one", "first"), ("two", "")]) + rule(72, 712, 400, 712)
    page += rule(72, 694, 400, 694) + rule(72, 670, 400, 670)
    assert "| two |  |" in conversion(page).document.text


def test_a_drawing_of_boxes_is_no_table() -> None:
    lines = "".join(rule(72, y, 400, y) for y in (720, 680, 640)) + "".join(
        rule(x, 640, x, 720) for x in range(72, 401, 41)
    )
    made = conversion(lines + text(80, 700, "x") + column(72, 600, LEFT)).document.text
    assert "| --- |" not in made
