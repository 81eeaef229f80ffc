"""Text that was typed onto a page: values of form fields, notes in free text and stamps are seen, so they are read."""

from __future__ import annotations

import pytest
from pdf_files import Page, Tag, column, pdf, tagged, text

from conversion.pdf import PdfConversion, PdfOptions, convert_pdf

NO_OCR = PdfOptions(ocr=False)
FORM = text(72, 700, "Name:") + column(72, 660, ["I apply for the card of the library and keep to its rules."] * 3)


def filled(
    content: str, words: str, *, kind: str = "Widget", entries: str = "/F 4", tags: list[Tag] | None = None
) -> bytes:
    page = Page(content)
    page.typed.append(((110, 696, 300, 712), kind, words, entries))
    return pdf([page], tags=tags or [])


def conversion(data: bytes) -> PdfConversion:
    return convert_pdf(data, "file:a.pdf", NO_OCR)


@pytest.mark.parametrize("kind", ["Widget", "FreeText", "Stamp"])
def test_what_is_typed_stands_where_the_reader_sees_it(kind: str) -> None:
    made = conversion(filled(FORM, "Jane Miller", kind=kind)).document.text
    assert made.splitlines()[0].rstrip() == "Name: Jane Miller"
    assert made.count("Jane Miller") == 1


def test_links_of_a_page_with_fields_stay() -> None:
    page = Page(FORM, links=[((72, 656, 100, 670), "https://example.org/card")])
    page.typed.append(((110, 696, 300, 712), "Widget", "Jane Miller", "/F 4"))
    made = conversion(pdf([page])).document.text
    assert "https://example.org/card" in made
    assert "Jane Miller" in made


def test_hidden_fields_are_not_read() -> None:
    assert "Jane" not in conversion(filled(FORM, "Jane Miller", entries="/F 2")).document.text


def test_fields_of_a_tagged_page_are_kept() -> None:
    content = (
        tagged("P", 0, text(72, 730, "Application"))
        + tagged("P", 1, text(72, 700, "Name:"))
        + tagged("P", 2, text(72, 660, "I apply for the card of the library and keep to its rules, whatever they are."))
        + tagged("P", 3, text(72, 640, "The card is sent to me by mail within a week or two of the day of today."))
    )
    tags = [Tag("H1", [(0, 0)]), *(Tag("P", [(0, n)]) for n in (1, 2, 3))]
    made = conversion(filled(content, "Jo Li", tags=tags))
    assert made.tagged
    assert "Jo Li" in made.document.text
    assert not made.removals
