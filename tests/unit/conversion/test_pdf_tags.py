"""Tagged PDF: the structure tree decides what blocks are, whatever the layout looks like."""

from __future__ import annotations

import pytest
from pdf_files import MONO, Page, Tag, pdf, tagged, text

from conversion.pdf import PdfConversion, PdfOptions, convert_pdf

NO_OCR = PdfOptions(ocr=False)


def conversion(content: str, tags: list[Tag]) -> PdfConversion:
    return convert_pdf(pdf([Page(content)], tags=tags), "file:a.pdf", NO_OCR)


def marked(number: int, y: float, words: str, *, x: float = 72, kind: str = "P", font: str = "F1") -> str:
    return tagged(kind, number, text(x, y, words, font=font))


def test_headings_paragraphs_and_lists_come_from_the_tags() -> None:
    content = (
        marked(0, 700, "Plain looking heading")
        + marked(1, 680, "A paragraph")
        + marked(2, 668, "in two lines.")
        + marked(3, 650, "1.")
        + marked(4, 650, "First", x=90)
        + marked(5, 638, "2.")
        + marked(6, 638, "Second", x=90)
    )
    items = [Tag("LI", [Tag("Lbl", [(0, n)]), Tag("LBody", [(0, n + 1)])]) for n in (3, 5)]
    made = conversion(content, [Tag("H2", [(0, 0)]), Tag("P", [(0, 1), (0, 2)]), Tag("L", items)])  # type: ignore[list-item]
    assert made.tagged
    assert made.document.text == "## Plain looking heading\n\nA paragraph in two lines.\n\n1. First\n2. Second\n"


def test_tables_come_from_the_tags() -> None:
    cells = ["City", "Fare", "Oslo", "310"]
    content = "".join(marked(n, 700 - 12 * (n // 2), words, x=72 + 40 * (n % 2)) for n, words in enumerate(cells))
    rows = [
        Tag("TR", [Tag("TH", [(0, 0)]), Tag("TH", [(0, 1)])]),
        Tag("TR", [Tag("TD", [(0, 2)]), Tag("TD", [(0, 3)])]),
    ]
    made = conversion(content, [Tag("Table", rows)])  # type: ignore[list-item]
    assert made.document.text == "| City | Fare |\n| --- | --- |\n| Oslo | 310 |\n"


def test_the_order_is_that_of_the_structure() -> None:
    content = marked(0, 400, "Said second.") + marked(1, 700, "Said last.") + marked(2, 100, "Title")
    made = conversion(content, [Tag("H1", [(0, 2)]), Tag("P", [(0, 0)]), Tag("P", [(0, 1)])])
    assert made.document.text == "# Title\n\nSaid second.\n\nSaid last.\n"


def test_text_outside_of_the_structure_is_recorded() -> None:
    content = marked(0, 700, "Title") + marked(1, 680, "A paragraph of some length, long enough to count for most.")
    made = conversion(content + text(300, 40, "12"), [Tag("H1", [(0, 0)]), Tag("P", [(0, 1)])])
    assert made.tagged
    assert [(r.rule, r.preview) for r in made.removals] == [("pdf.artifact", "12")]


def test_lines_of_code_that_are_tagged_as_paragraphs_are_one_block() -> None:
    content = (
        marked(0, 720, "Title")
        + marked(1, 700, "if x:", font=MONO)
        + marked(2, 688, "y()", x=96, font=MONO)
        + marked(3, 660, "Then it is done, and the text goes on.")
    )
    made = conversion(content, [Tag("H1", [(0, 0)]), *(Tag("P", [(0, n)]) for n in (1, 2, 3))])
    assert "```\nif x:\n    y()\n```" in made.document.text


def test_tags_that_say_nothing_leave_it_to_the_layout() -> None:
    content = tagged("P", 0, text(72, 720, "Large Title", size=24)) + marked(1, 690, "Body text of the page goes here.")
    made = conversion(content, [Tag("P", [(0, 0)]), Tag("P", [(0, 1)])])
    assert not made.tagged
    assert made.document.text.startswith("# Large Title\n")


def test_tags_that_hold_only_a_part_leave_it_to_the_layout() -> None:
    content = marked(0, 700, "Title") + text(72, 680, "Most of the text of this page is not tagged at all.")
    made = conversion(content, [Tag("H1", [(0, 0)])])
    assert not made.tagged
    assert "Most of the text" in made.document.text


PROSE = "Body text of some length, so that what is tagged counts for most of the page."


@pytest.mark.parametrize("kind", ["NonStruct", "Lbl", "Formula", "Form", "Span"])
def test_what_is_tagged_inside_a_sentence_stays_in_it(kind: str) -> None:
    content = marked(0, 700, "The value of") + marked(1, 700, "eta", x=140) + marked(2, 700, "is small.", x=160)
    made = conversion(
        marked(3, 720, "Title") + content + marked(4, 600, PROSE),
        [Tag("H1", [(0, 3)]), Tag("P", [(0, 0), Tag(kind, [(0, 1)]), (0, 2)]), Tag("P", [(0, 4)])],  # type: ignore[list-item]
    )
    assert "The value of eta is small.\n" in made.document.text


def test_a_note_that_is_tagged_inside_a_sentence_stands_behind_it() -> None:
    content = marked(0, 700, "The flow was high") + marked(1, 60, "1 Measured twice.") + marked(2, 688, "and steady.")
    made = conversion(
        marked(3, 720, "Title") + content,
        [Tag("H1", [(0, 3)]), Tag("P", [(0, 0), Tag("Note", [(0, 1)]), (0, 2)])],  # type: ignore[list-item]
    )
    assert made.document.text == "# Title\n\nThe flow was high and steady.\n\n1 Measured twice.\n"


def test_cells_over_rows_and_columns_leave_the_others_in_their_columns() -> None:
    rows = [["Model", "Pressure", "Remark"], ["P200", "2.0", "none"], ["2.5", "seal"], ["P300", "on request"]]
    spans = {"P200": "/A<</O/Table/RowSpan 2>>", "on request": "/A<</O/Table/ColSpan 2>>"}
    content, tags = "", []
    for line, row in enumerate(rows):
        cells = []
        for place, words in enumerate(row):
            number = 4 * line + place
            content += marked(number, 700 - 12 * line, words, x=72 + 80 * place)
            cells.append(Tag("TD" if line else "TH", [(0, number)], spans.get(words, "")))
        tags.append(Tag("TR", cells))  # type: ignore[arg-type]
    made = conversion(content, [Tag("Table", tags)])  # type: ignore[arg-type]
    assert made.document.text.splitlines()[2:] == [
        "| P200 | 2.0 | none |",
        "| P200 | 2.5 | seal |",
        "| P300 | on request |  |",
    ]


def test_running_heads_that_are_marked_as_artifacts_cost_the_tags_no_trust() -> None:
    heads = "/Artifact BMC\n" + text(72, 770, "A running head") + "EMC\n"
    made = conversion(
        heads + marked(0, 700, "Title") + marked(1, 680, "Short text."), [Tag("H3", [(0, 0)]), Tag("P", [(0, 1)])]
    )
    assert made.tagged
    assert made.document.text == "### Title\n\nShort text.\n"


def test_words_that_line_ends_divide_are_joined_in_columns_side_by_side() -> None:
    # The columns' lines share their baselines; the structure says that the left one is read first.
    left, right = ["the arrange-", "ment is old"], ["some other", "words here"]
    content = "".join(
        marked(2 * place + line, 700 - 12 * line, words, x=72 + 200 * place)
        for place, column in enumerate((left, right))
        for line, words in enumerate(column)
    )
    made = conversion(
        marked(4, 740, "Title") + content,
        [Tag("H1", [(0, 4)]), Tag("P", [(0, 0), (0, 1)]), Tag("P", [(0, 2), (0, 3)])],
    )
    assert "the arrangement is old" in made.document.text


def cells_at(rows: list[list[str]], *, top: float = 700, first: int = 0, page: int = 0) -> tuple[str, list[Tag]]:
    """A tagged table as offices write it: cells without text are in no structure of the page."""
    content, tags = "", []
    for line, row in enumerate(rows):
        cells: list[Tag | tuple[int, int]] = []
        for place, words in enumerate(row):
            number = first + len(row) * line + place
            if words:
                content += marked(number, top - 14 * line, words, x=72 + 120 * place)
            cells.append(Tag("TD", [(page, number)] if words else []))
        tags.append(Tag("TR", cells))
    return content, tags


def rows_of(made: PdfConversion) -> list[list[str]]:
    lines = made.document.text.splitlines()
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line[:1] == "|"]
    return [row for row in found if row[0] != "---"]


def test_empty_cells_do_not_move_the_others() -> None:
    rows = [["Name", "Least", "Most"], ["P1", "", "5"], ["", "3", "6"], ["P3", "1", ""], ["P4", "2", "8"]]
    content, tags = cells_at(rows)
    assert rows_of(conversion(content, [Tag("Table", tags)])) == rows  # type: ignore[arg-type]


def test_a_row_over_a_page_border_is_one_row() -> None:
    first = [
        ["Fault", "Cause", "Remedy"],
        ["E1", "no power", "switch it on"],
        ["E2", "no power at the", "check the fuse and"],
    ]
    rest = [["", "terminals of it", "the cable"], ["E3", "leak", "close it"]]
    before, tags = cells_at(first)
    after, more = cells_at(rest, first=0, page=1)
    data = pdf([Page(before), Page(after)], tags=[Tag("Table", [*tags, *more])])
    assert rows_of(convert_pdf(data, "file:a.pdf", NO_OCR)) == [
        *first[:2],
        ["E2", "no power at the terminals of it", "check the fuse and the cable"],
        rest[1],
    ]


def test_a_title_below_a_running_head_is_one() -> None:
    head = "/Artifact BMC\n" + text(72, 770, "Rev. 7", size=8) + "EMC\n"
    title = tagged("P", 0, text(72, 720, "Handbook", size=22))
    made = conversion(
        head + title + marked(1, 690, "Chapter") + marked(2, 670, PROSE),
        [Tag("P", [(0, 0)]), Tag("H1", [(0, 1)]), Tag("P", [(0, 2)])],
    )
    assert made.document.text.startswith("# Handbook\n")
