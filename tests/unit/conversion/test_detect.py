"""Documents are told by content; names and declared types say nothing."""

from __future__ import annotations

import pytest
from decks import CONTENT, add_slide, new_deck, saved
from hypothesis import given
from hypothesis import strategies as st
from office_files import FLAT_TEXT, LETTER_2003, SHEET_2003, compound, docx, paragraph, zip_of

from conversion.drac.detect import DocumentKind, detect


def types(main: str) -> str:
    """A content-type list that names one main part."""
    return f'<Types><Override PartName="/x" ContentType="application/vnd.{main}"/></Types>'


def a_deck() -> bytes:
    deck = new_deck()
    add_slide(deck, CONTENT, "One", (0, "two"))
    return saved(deck)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (docx(paragraph("x")), DocumentKind.DOCX),
        (a_deck(), DocumentKind.PPTX),
        (zip_of({"[Content_Types].xml": types("ms-word.document.macroEnabled.main+xml")}), DocumentKind.DOCX),
        (zip_of({"[Content_Types].xml": types("ms-excel.sheet.binary.macroEnabled.main")}), DocumentKind.XLSB),
        (
            zip_of({"[Content_Types].xml": types("openxmlformats-officedocument.spreadsheetml.template.main+xml")}),
            DocumentKind.XLSX,
        ),
        (zip_of({"mimetype": "application/vnd.oasis.opendocument.text"}), DocumentKind.ODT),
        (zip_of({"mimetype": "application/vnd.oasis.opendocument.spreadsheet-template"}), DocumentKind.ODS),
        (zip_of({"mimetype": "application/vnd.oasis.opendocument.presentation"}), DocumentKind.ODP),
        (zip_of({"mimetype": "application/epub+zip"}), DocumentKind.EPUB),
        (zip_of({"a/notes.txt": "word/ is mentioned"}), DocumentKind.ARCHIVE),
        (b"{\\rtf1 text}", DocumentKind.RTF),
        (SHEET_2003.encode(), DocumentKind.XLS),
        (SHEET_2003.encode("utf-16"), DocumentKind.XLS),
        (b"\xef\xbb\xbf" + LETTER_2003.encode(), DocumentKind.DOC),
        (FLAT_TEXT.encode(), DocumentKind.ODT),
        (FLAT_TEXT.replace('.opendocument.text"', '.opendocument.spreadsheet"').encode(), DocumentKind.ODS),
        (b"<html><body>urn:schemas-microsoft-com:office:spreadsheet <Workbook ></body></html>", DocumentKind.UNKNOWN),
        (b'<?xml version="1.0"?><document>application/vnd.oasis.opendocument.text</document>', DocumentKind.UNKNOWN),
        (b"%PDF-1.7\n", DocumentKind.PDF),
        (b"\x00" * 500 + b"%PDF-1.7\n", DocumentKind.PDF),
        (b"\x00" * 1100 + b"%PDF-1.7\n", DocumentKind.UNKNOWN),
        (b"\x89PNG\r\n\x1a\n....", DocumentKind.IMAGE),
        (b"\xff\xd8\xff\xe0.JFIF", DocumentKind.IMAGE),
        (b"II*\x00....", DocumentKind.IMAGE),
        (b"GIF89a %PDF-1.4 both", DocumentKind.IMAGE),
        (b"From: a@example.org\r\nTo: b@example.org\r\nMIME-Version: 1.0\r\n\r\nHi", DocumentKind.EMAIL),
        (b"Note: this is text.\nAnd more.", DocumentKind.UNKNOWN),
        (b"", DocumentKind.UNKNOWN),
        (compound("WordDocument", "1Table"), DocumentKind.DOC),
        (compound("Workbook"), DocumentKind.XLS),
        (compound("PowerPoint Document", "Current User"), DocumentKind.PPT),
        (compound("EncryptedPackage", "EncryptionInfo"), DocumentKind.ENCRYPTED),
        (compound("WordDocument", word_flags=0x0100), DocumentKind.ENCRYPTED),
        (compound("__properties_version1.0"), DocumentKind.EMAIL),
        (compound("Something"), DocumentKind.UNKNOWN),
    ],
)
def test_kind_is_told_by_content(data: bytes, kind: DocumentKind) -> None:
    assert detect(data) is kind


def test_cut_off_file_is_still_what_it_was() -> None:
    assert detect(docx(paragraph("x" * 3000))[:-100]) is DocumentKind.DOCX


@given(st.binary(max_size=2000), st.sampled_from([b"", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"%PDF-"]))
def test_every_input_has_a_kind(data: bytes, head: bytes) -> None:
    assert isinstance(detect(head + data), DocumentKind)


@given(st.integers(0, 2000), st.integers(0, 255))
def test_damaged_compound_files_end(place: int, value: int) -> None:
    data = bytearray(compound("WordDocument", "1Table"))
    data[place % len(data)] = value
    assert isinstance(detect(bytes(data)), DocumentKind)
