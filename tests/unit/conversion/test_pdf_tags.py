"""Tagged PDF: the structure tree decides what blocks are, whatever the layout looks like."""

from __future__ import annotations

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
