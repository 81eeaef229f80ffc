"""Tables over many pages: no row, and no head, is taken for a running head, whatever repeats at the pages' edges."""

from __future__ import annotations

import pytest
from pdf_files import BOLD, Page, pdf, rule, text

from conversion.pdf import PdfConversion, PdfOptions, convert_pdf

NO_OCR = PdfOptions(ocr=False)
ROWS = 24
"""On a page."""


def conversion(contents: list[str]) -> PdfConversion:
    return convert_pdf(pdf([Page(content) for content in contents]), "file:a.pdf", NO_OCR)


def pages(
    count: int, xs: list[float], cells: list[str], *, head: list[str], leading: float = 24, ruled: bool = False
) -> list[str]:
    """Pages full of rows; ``#`` in a cell is the number of its row. The head stands at the top of each page."""
    made = []
    for page in range(count):
        rows = [head] + [[c.replace("#", str(page * ROWS + n + 1)) for c in cells] for n in range(ROWS)]
        content = ""
        for place, row in enumerate(rows):
            y = 700 - place * leading
            content += "".join(
                text(x, y, words, font=BOLD if place == 0 else "F1") for x, words in zip(xs, row, strict=True)
            )
            content += rule(xs[0] - 3, y - 8, xs[-1] + 100, y - 8) if ruled else ""
        made.append(
            text(72, 750, "The price list of the year")
            + rule(69, 716, 400, 716) * ruled
            + content
            + text(300, 30, f"Page {page + 1}")
        )
    return made


def rows_of(made: PdfConversion) -> list[list[str]]:
    lines = made.document.text.splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line[:1] == "|"]


@pytest.mark.parametrize("ruled", [False, True])
@pytest.mark.parametrize("cells", [["#", "Part #", "1.#0 EUR"], ["Part #", "yes", "yes"], ["same", "in all", "rows"]])
def test_no_row_at_an_edge_of_a_page_is_lost(cells: list[str], ruled: bool) -> None:
    made = conversion(pages(4, [72, 200, 300], cells, head=["No", "Part", "Price"], ruled=ruled))
    found = rows_of(made)
    assert found[0] == ["No", "Part", "Price"]
    assert [row for row in found[2:] if row != found[0]] == [
        [cell.replace("#", str(n)) for cell in cells] for n in range(1, 4 * ROWS + 1)
    ]
    assert {removal.rule for removal in made.removals} == {"pdf.running-head", "pdf.page-number"}
    assert "price list" not in made.document.text


def test_lines_that_differ_in_numbers_which_follow_no_page_stay() -> None:
    contents = [
        text(72, 750, f"Chapter 2 of the manual, page {page + 10}")
        + text(72, 700, f"Room {page * page * 7} is closed")
        + text(72, 660, f"The text of a page that speaks of room {page * page * 7} and of others.")
        for page in range(1, 5)
    ]
    made = conversion(contents).document.text
    assert [f"Room {page * page * 7} is closed" in made for page in range(1, 5)] == [True] * 4
    assert "Chapter 2" not in made


def test_a_document_in_which_every_line_repeats_keeps_its_text() -> None:
    made = conversion([text(72, 700, "Form 7, to be signed")] * 4)
    assert "Form 7" in made.document.text
