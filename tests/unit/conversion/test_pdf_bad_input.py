"""Damaged, hostile and unreadable PDF files: one clear outcome each, soon and without much memory."""

from __future__ import annotations

from typing import Any

import pytest
from pdf_files import Page, column, image, pdf, rule, text

from conversion.pdf import PageStatus, PdfOptions, convert_pdf
from conversion.pdf.shapes import Shapes, shapes
from wrac.errors import ConversionFailed, NothingExtracted, UnsupportedContent

NO_OCR = PdfOptions(ocr=False)
GOOD = pdf([Page(text(72, 700, "Hello to everyone"))])
ENCRYPTED = GOOD.replace(
    b"trailer<<",
    b"trailer<</Encrypt<</Filter/Standard/V 1/R 2/P -4/O(" + b"a" * 32 + b")/U(" + b"b" * 32 + b")>>"
    b"/ID[(1234567890123456)(1234567890123456)]",
)
NO_UNICODE = (
    "<</Type/Font/Subtype/Type0/BaseFont/AAAAAA+X/Encoding/Identity-H/DescendantFonts[<</Type/Font"
    "/Subtype/CIDFontType2/BaseFont/AAAAAA+X/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>]>>"
)


WITHOUT_PAGES = (
    b"%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\n"
    b"xref\n0 3\n0000000000 65535 f \n0000000009 00000 n \n0000000054 00000 n \n"
    b"trailer<</Size 3/Root 1 0 R>>\nstartxref\n100\n%%EOF\n"
)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no PDF"),
        (b"<html><body>No such file</body></html>", "no PDF"),
        (b"%PDF-1.7 and nothing more", "damaged or cut off"),
        (GOOD[: len(GOOD) // 2], "damaged or cut off"),
        (pdf([]), "damaged or cut off|no pages"),
        (WITHOUT_PAGES, "damaged or cut off|no pages"),
    ],
)
def test_files_that_cannot_be_opened(data: bytes, why: str) -> None:
    with pytest.raises(ConversionFailed, match=f"file:a.pdf: .*(?:{why})"):
        convert_pdf(data, "file:a.pdf", NO_OCR)


def test_a_password_makes_a_file_of_a_kind_that_is_not_read() -> None:
    with pytest.raises(UnsupportedContent, match=r"file:a\.pdf: it is encrypted and needs a password"):
        convert_pdf(ENCRYPTED, "file:a.pdf", NO_OCR)


def test_a_password_of_one_file_says_nothing_about_the_next() -> None:
    # pdfium keeps its last error, and has none of its own for files without pages.
    with pytest.raises(UnsupportedContent):
        convert_pdf(ENCRYPTED, "file:a.pdf", NO_OCR)
    with pytest.raises(ConversionFailed, match=r"damaged or cut off|no pages"):
        convert_pdf(WITHOUT_PAGES, "file:a.pdf", NO_OCR)


def test_pages_that_were_looked_at_and_hold_nothing_are_no_failure() -> None:
    with pytest.raises(NothingExtracted, match=r"file:a\.pdf: no text on any of its 2 pages: they are blank"):
        convert_pdf(pdf([Page(), Page()]), "file:a.pdf", NO_OCR)


def test_a_page_that_may_hold_text_and_could_not_be_read_is_a_failure_beside_blank_ones() -> None:
    picture = Page(image("I", 0, 0, 612, 792), images={"I": (2, 2, b"\0\0\0\0")})
    with pytest.raises(ConversionFailed, match="no text on any of its 2 pages: a picture without a text layer"):
        convert_pdf(pdf([Page(), picture]), "file:a.pdf", PdfOptions(tesseract="no-such-program"))


def test_a_broken_cross_reference_table_is_rebuilt() -> None:
    broken = GOOD.replace(b"startxref\n", b"startxref\n9")
    assert convert_pdf(broken, "file:a.pdf", NO_OCR).document.text == "Hello to everyone\n"


def test_too_many_pages_are_refused_before_any_is_read() -> None:
    data = pdf([Page()] * 60)
    with pytest.raises(ConversionFailed, match=r"it has 60 pages, more than 50; split it or raise max_pages"):
        convert_pdf(data, "file:a.pdf", PdfOptions(max_pages=50))


def test_a_count_that_lies_is_not_believed() -> None:
    data = GOOD.replace(b"/Count 1", b"/Count 100000000")
    assert convert_pdf(data, "file:a.pdf", NO_OCR).document.text == "Hello to everyone\n"


def test_a_page_of_too_many_characters_fails_alone() -> None:
    flood = column(72, 700, [f"line {n} of very many words" for n in range(40)])
    made = convert_pdf(
        pdf([Page(text(72, 700, "Good page")), Page(flood)]), "file:a.pdf", PdfOptions(max_page_characters=99)
    )
    assert [report.status for report in made.pages] == [PageStatus.TEXT, PageStatus.FAILED]
    assert "characters, more than 99" in made.pages[1].detail
    assert made.pages_ok == 1
    assert made.document.text == "Good page\n"


def test_a_page_with_a_gigapixel_image_is_never_drawn() -> None:
    picture = Page(image("I", 0, 0, 612, 792), images={"I": (40_000, 40_000, b"\0" * 64)})
    made = convert_pdf(pdf([Page(text(72, 700, "Cover")), picture]), "file:a.pdf", PdfOptions(ocr=True))
    assert made.pages[1].status is PageStatus.FAILED
    assert "1,600,000,000 pixels" in made.pages[1].detail


def test_a_form_inside_itself_ends() -> None:
    data = pdf([Page("/X Do\n" + text(72, 700, "Beside the form"))]).replace(b"/XObject<<>>", b"/XObject<</X 3 0 R>>")
    assert "Beside the form" in convert_pdf(data, "file:a.pdf", NO_OCR).document.text


def test_a_drawing_of_very_many_strokes_is_looked_at_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Shapes] = []

    def counted(handle: Any, limit: int) -> Shapes:
        found.append(shapes(handle, limit))
        return found[-1]

    monkeypatch.setattr("conversion.pdf.page.shapes", counted)
    drawing = "".join(rule(n % 600, n % 700, n % 600 + 20, n % 700) for n in range(20_000))
    data = pdf([Page(drawing + text(72, 705, "Map of the town"))])
    made = convert_pdf(data, "file:a.pdf", PdfOptions(ocr=False, max_page_shapes=2_000))
    assert made.document.text == "Map of the town\n"
    assert [len(page.strokes) for page in found] == [2_000]


@pytest.mark.parametrize(("width", "height"), [(-5, 0), (1e9, 1e9)])
def test_pages_of_impossible_sizes_are_read(width: float, height: float) -> None:
    data = pdf([Page(column(72, 700, ["Hello to everyone"]), width=width, height=height)])
    assert "Hello" in convert_pdf(data, "file:a.pdf", NO_OCR).document.text


@pytest.mark.parametrize("codes", ["0102030405060708090A0B0C0D0E", "002400250026002700280029003A0041"])
def test_fonts_that_name_no_characters_make_no_text(codes: str) -> None:
    garbled = Page(f"BT /N 10 Tf 72 700 Td <{codes * 4}> Tj ET\n")
    made = convert_pdf(
        pdf([Page(column(72, 700, ["Good page"])), garbled], fonts={"N": NO_UNICODE}), "file:a.pdf", NO_OCR
    )
    assert made.document.text == "Good page\n"
    assert made.pages[1].status is PageStatus.NEEDS_OCR
    assert "ToUnicode" in made.pages[1].detail
    assert [removal.rule for removal in made.removals] == ["pdf.unreadable-text-layer"]


def test_a_circle_in_the_outline_ends() -> None:
    data = pdf([Page(text(72, 700, "Hello to everyone"))], outline=[(1, "One", 0), (1, "Two", 0)])
    first = data.index(b"/Next ")
    number = data[first + 6 : first + 9].split()[0]
    circle = data.replace(b"/Title(Two)", b"/Title(Two)/Next " + number + b" 0 R")
    assert convert_pdf(circle, "file:a.pdf", NO_OCR).document.text
