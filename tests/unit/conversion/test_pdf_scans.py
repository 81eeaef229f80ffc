"""Scanned pages: pictures of text are read by tesseract, and what is missing is named."""

from __future__ import annotations

import re
import shutil
import stat
import struct
import zlib
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pypdfium2
import pytest
from pdf_files import Page, column, image, pdf, text

from conversion.pdf import PageStatus, PdfOptions, convert_pdf
from conversion.pdf.png import png
from conversion.pdf.render import draw
from conversion.pdf.skew import skew
from wrac.errors import ConversionFailed, NothingExtracted

if TYPE_CHECKING:
    from pathlib import Path

WORDS = [
    "Travellers who hold a valid passport may board the train",
    "at any of the stations that are named in the table below.",
    "Children under four years of age travel free of charge,",
    "and larger groups are asked to reserve their seats early.",
    "The conductor sells tickets for a surcharge of two francs.",
    "Bicycles are carried in the last car, as far as there is room.",
]
HEIGHT = 160
PRINTED = pdf([Page(column(72, 130, WORDS, size=11, leading=16), height=HEIGHT)])
BLANK_SCAN = pdf([Page(image("I", 0, 0, 612, 792), images={"I": (2, 2, b"\0\0\0\0")})])
needs_tesseract = pytest.mark.skipif(shutil.which("tesseract") is None, reason="needs the package tesseract-ocr")


@cache
def scan(degrees: float = 0.0, noise: float = 12.0) -> bytes:
    """The printed page as a scanner gives it: grey, noisy, turned by some degrees."""
    with pypdfium2.PdfDocument(PRINTED) as document:
        pixels = draw(document.raw, 0, PdfOptions(), dpi=200, max_side=3_000, grey=True, turn=degrees)
    grains = np.random.default_rng(7).normal(-6, noise, pixels.shape)
    seen = np.clip(pixels + grains, 0, 255).astype(np.uint8)
    samples = {"I": (seen.shape[1], seen.shape[0], seen.tobytes())}
    return pdf([Page(image("I", 0, 0, 612, HEIGHT), images=samples, height=HEIGHT)])


@needs_tesseract
@pytest.mark.parametrize("degrees", [0.0, 2.0])
def test_a_noisy_and_turned_scan_is_read(degrees: float) -> None:
    made = convert_pdf(scan(degrees), "file:scan.pdf")
    assert [report.status for report in made.pages] == [PageStatus.OCR]
    wanted = Counter(re.findall(r"\w+", " ".join(WORDS).lower()))
    found = Counter(re.findall(r"\w+", made.document.text.lower()))
    assert (wanted & found).total() >= 0.97 * wanted.total()
    assert made.document.pages[0].page == 1


@needs_tesseract
def test_only_pages_without_a_text_layer_are_read_so() -> None:
    with pypdfium2.PdfDocument(PRINTED) as document:
        pixels = draw(document.raw, 0, PdfOptions(), dpi=150, max_side=3_000, grey=True)
    samples = {"I": (pixels.shape[1], pixels.shape[0], pixels.tobytes())}
    scanned = Page(image("I", 0, 0, 612, HEIGHT), images=samples, height=HEIGHT)
    made = convert_pdf(pdf([Page(text(72, 700, "A page with text")), scanned]), "file:a.pdf")
    assert [report.status for report in made.pages] == [PageStatus.TEXT, PageStatus.OCR]


@needs_tesseract
def test_a_picture_without_words_is_no_failure() -> None:
    with pytest.raises(NothingExtracted, match="no text on any of its 1 pages: OCR found no words on 1 "):
        convert_pdf(BLANK_SCAN, "file:scan.pdf")


def test_a_missing_tesseract_is_named_with_its_package() -> None:
    with pytest.raises(ConversionFailed, match="tesseract is not installed: install the package tesseract-ocr"):
        convert_pdf(BLANK_SCAN, "file:scan.pdf", PdfOptions(tesseract="no-such-program"))


def test_a_missing_tesseract_costs_only_the_scanned_pages() -> None:
    picture = Page(image("I", 0, 0, 612, 792), images={"I": (2, 2, b"\0\0\0\0")})
    options = PdfOptions(tesseract="no-such-program")
    made = convert_pdf(pdf([Page(text(72, 700, "A page with text")), picture]), "file:a.pdf", options)
    assert made.document.text == "A page with text\n"
    assert made.pages[1].status is PageStatus.NEEDS_OCR
    assert "tesseract-ocr-eng" in made.pages[1].detail
    assert made.pages_ok == 1


@needs_tesseract
def test_a_missing_language_is_named_with_its_package() -> None:
    with pytest.raises(ConversionFailed, match="lacks the language xyz: install the package tesseract-ocr-xyz"):
        convert_pdf(BLANK_SCAN, "file:scan.pdf", PdfOptions(ocr_languages=("xyz",)))


def program(folder: Path, script: str) -> str:
    path = folder / "tesseract"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_a_hanging_tesseract_is_ended(tmp_path: Path) -> None:
    options = PdfOptions(tesseract=program(tmp_path, "cat > /dev/null; sleep 60 & wait"), ocr_seconds=0.5)
    with pytest.raises(ConversionFailed, match="longer than"):
        convert_pdf(BLANK_SCAN, "file:scan.pdf", options)


def test_a_failing_tesseract_is_quoted(tmp_path: Path) -> None:
    options = PdfOptions(tesseract=program(tmp_path, "cat > /dev/null; echo out of luck >&2; exit 3"))
    with pytest.raises(ConversionFailed, match=r"tesseract failed .*out of luck"):
        convert_pdf(BLANK_SCAN, "file:scan.pdf", options)


def test_languages_are_names_and_no_options() -> None:
    with pytest.raises(ConversionFailed, match="no names of tesseract's languages"):
        convert_pdf(BLANK_SCAN, "file:scan.pdf", PdfOptions(ocr_languages=("--print",)))


# ---------------------------------------------------------------- pictures


def unpacked(data: bytes) -> tuple[int, int, bytes]:
    """Width, height and the rows of a PNG that was written with the filter "up"."""
    width, height = struct.unpack(">II", data[16:24])
    start = data.index(b"IDAT")
    length = struct.unpack(">I", data[start - 4 : start])[0]
    raw = zlib.decompress(data[start + 4 : start + 4 + length])
    stride = len(raw) // height
    above = bytes(stride - 1)
    rows = []
    for y in range(height):
        kind, row = raw[y * stride], raw[y * stride + 1 : (y + 1) * stride]
        assert kind == 2
        above = bytes((a + b) % 256 for a, b in zip(row, above, strict=True))
        rows.append(above)
    return width, height, b"".join(rows)


def test_a_png_holds_the_pixels_it_was_given() -> None:
    pixels = np.arange(7 * 5 * 3, dtype=np.uint8).reshape(7, 5, 3) * 3
    assert unpacked(png(pixels)) == (5, 7, pixels.tobytes())


def test_pages_are_drawn_at_the_resolution_and_never_larger_than_the_limit() -> None:
    pages = [Page(text(72, 700, "A"), width=360, height=288), Page(text(72, 700, "B"), width=720, height=2_880)]
    with pypdfium2.PdfDocument(pdf(pages)) as document:
        drawn = [draw(document.raw, index, PdfOptions()) for index in range(2)]
    assert [pixels.shape for pixels in drawn] == [(800, 1_000, 3), (1_568, 392, 3)]


def test_text_is_dark_on_white_in_its_place() -> None:
    with pypdfium2.PdfDocument(pdf([Page(text(72, 700, "MMMM", size=40))])) as document:
        pixels = draw(document.raw, 0, PdfOptions(), dpi=72, max_side=2_000, grey=True)
    assert pixels.shape == (792, 612)
    assert pixels[:50].min() == 255
    assert pixels[60:92, 72:200].min() < 60


@pytest.mark.parametrize("degrees", [-3.0, -1.0, 0.0, 1.5, 4.0])
def test_skew_is_what_turns_the_page_back(degrees: float) -> None:
    with pypdfium2.PdfDocument(PRINTED) as document:
        pixels = draw(document.raw, 0, PdfOptions(), dpi=100, max_side=2_000, grey=True, turn=degrees)
    assert skew(pixels) == pytest.approx(-degrees, abs=0.21)


def stamped(stamp: str, *, picture: Page | None = None) -> bytes:
    """A scanned page with a line of real text above, as courts and offices put it on what they scan."""
    with pypdfium2.PdfDocument(PRINTED) as document:
        pixels = draw(document.raw, 0, PdfOptions(), dpi=150, max_side=3_000, grey=True)
    samples = {"I": (pixels.shape[1], pixels.shape[0], pixels.tobytes())}
    page = picture or Page(image("I", 0, 0, 612, HEIGHT), images=samples, height=HEIGHT + 30)
    page.content += text(72, HEIGHT + 10, stamp)
    return pdf([page])


@needs_tesseract
def test_a_stamp_on_a_scan_does_not_hide_that_it_is_one() -> None:
    made = convert_pdf(stamped("Filed under 4711"), "file:a.pdf")
    assert [report.status for report in made.pages] == [PageStatus.OCR]
    assert "valid passport" in made.document.text
    assert made.document.text.count("4711") == 1


@needs_tesseract
def test_a_line_over_a_picture_without_words_is_the_text_of_its_page() -> None:
    picture = Page(image("I", 0, 0, 612, HEIGHT), images={"I": (2, 2, b"\xee\xee\xee\xee")}, height=HEIGHT + 30)
    made = convert_pdf(stamped("Thank you", picture=picture), "file:a.pdf")
    assert [report.status for report in made.pages] == [PageStatus.TEXT]
    assert made.document.text == "Thank you\n"


def test_a_stamped_scan_that_cannot_be_read_is_said_to_be_one() -> None:
    made = convert_pdf(stamped("Filed under 4711"), "file:a.pdf", PdfOptions(tesseract="no-such-program"))
    assert made.document.text == "Filed under 4711\n"
    assert [report.status for report in made.pages] == [PageStatus.NEEDS_OCR]
    assert "install the package tesseract-ocr" in made.pages[0].detail
