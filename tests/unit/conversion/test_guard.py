"""What is refused before anything reads it, each with the one limit that it passed."""

from __future__ import annotations

import io
import time
import zipfile

import pytest
from office_files import LETTER_2003, SHEET_2003, docx, paragraph, zip_of

from conversion.drac.detect import DocumentKind
from conversion.drac.guard import GuardLimits, guarded_kind
from wrac.errors import ConversionFailed, UnsupportedContent

URL = "https://handbook.example/files/a.docx"
MIB = 1 << 20


def members(data: bytes) -> dict[str, str | bytes]:
    """Members of a ZIP file by name."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def with_member(name: str, content: str | bytes) -> bytes:
    """A sound Word file with one more member."""
    return zip_of({**members(docx(paragraph("Text."))), name: content})


def test_sound_file_passes() -> None:
    assert guarded_kind(docx(paragraph("Text.")), URL) is DocumentKind.DOCX


@pytest.mark.parametrize(
    ("data", "limits", "message"),
    [
        (docx(paragraph("Text.")), GuardLimits(size=100), "more than the 0 MiB that are read"),
        (docx(paragraph("Text.")), GuardLimits(entries=3), "more than 3 members: a bomb"),
        (with_member("word/media/a.bin", b"\0" * 3 * MIB), GuardLimits(expanded=2 * MIB), "more than 2 MiB: a bomb"),
        (
            with_member("word/media/a.bin", b"\0" * 3 * MIB),
            GuardLimits(ratio_from=MIB),
            r"unpacks word/media/a\.bin to more than 200 times its size: a bomb",
        ),
        (with_member("word/a.xml", b" " * 3 * MIB), GuardLimits(xml_expanded=2 * MIB), "more than 2 MiB of XML"),
        (
            with_member("word/a.xml", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'),
            GuardLimits(),
            r"declares entities or a document type in word/a\.xml",
        ),
        (
            with_member("word/a.xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>".encode("utf-16")),
            GuardLimits(),
            r"declares entities or a document type in word/a\.xml",
        ),
        (docx(paragraph("Text." * 500))[:-200], GuardLimits(), "is damaged or was cut off"),
        (with_member("WORD/document.xml", "<a/>"), GuardLimits(), r"two members named 'word/document\.xml'"),
        (b"{\\rtf1 never closed", GuardLimits(), "ends before its last bracket"),
        (SHEET_2003[:-60].encode(), GuardLimits(), "ends before its last element; it was cut off"),
        (
            LETTER_2003.replace("<w:body>", "<!ENTITY b 'c'><w:body>").encode("utf-16"),
            GuardLimits(),
            "declares entities or a document type",
        ),
    ],
)
def test_bombs_and_damaged_files_are_refused(data: bytes, limits: GuardLimits, message: str) -> None:
    with pytest.raises(ConversionFailed, match=message) as caught:
        guarded_kind(data, URL, limits)
    assert str(caught.value).startswith(f"{URL}: the document ")


def test_declaration_on_the_seam_of_two_blocks_is_found() -> None:
    text = "<a>" + "x" * ((1 << 16) - 3 - 4) + "<!ENTITY b 'c'></a>"
    with pytest.raises(ConversionFailed, match="declares entities"):
        guarded_kind(with_member("word/a.xml", text), URL)


def test_archives_inside_archives_share_the_account() -> None:
    inner = zip_of({f"m{n}": b"\0" * MIB for n in range(4)})
    with pytest.raises(ConversionFailed, match="more than 3 MiB: a bomb"):
        guarded_kind(with_member("word/embeddings/a.xlsx", inner), URL, GuardLimits(expanded=3 * MIB))
    for _ in range(3):
        inner = zip_of({"a.zip": inner})
    with pytest.raises(ConversionFailed, match="archives inside archives"):
        guarded_kind(with_member("word/embeddings/a.zip", inner), URL)


def test_document_with_an_embedded_workbook_passes() -> None:
    inner = zip_of({"xl/workbook.xml": "<a/>"})
    assert guarded_kind(with_member("word/embeddings/a.xlsx", inner), URL) is DocumentKind.DOCX


def test_broken_picture_costs_nobody_the_text() -> None:
    data = bytearray(with_member("word/media/a.png", b"picture data " * 50))
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as archive:
        place = archive.getinfo("word/media/a.png").header_offset + 30 + len("word/media/a.png") + 3
    data[place] ^= 0xFF
    assert guarded_kind(bytes(data), URL) is DocumentKind.DOCX


def test_broken_text_part_is_named() -> None:
    data = bytearray(docx(paragraph("Some text that is long enough to be packed. " * 50)))
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as archive:
        place = archive.getinfo("word/document.xml").header_offset + 30 + len("word/document.xml") + 40
    data[place] ^= 0xFF
    with pytest.raises(ConversionFailed, match=r"is damaged in word/document\.xml"):
        guarded_kind(bytes(data), URL)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (zip_of({"mimetype": "application/epub+zip"}), "is an EPUB book"),
        (b"From: a\r\nMIME-Version: 1.0\r\n\r\nHi", "is an e-mail"),
        (zip_of({"a.txt": "x"}), "is a ZIP archive and no document"),
        (b"just words", "is of no kind that is read"),
    ],
)
def test_kinds_that_are_not_read_have_a_clear_outcome(data: bytes, message: str) -> None:
    with pytest.raises(UnsupportedContent, match=message):
        guarded_kind(data, URL)


def test_encrypted_member_is_unsupported() -> None:
    data = bytearray(docx(paragraph("Text.")))
    # The flag stands in the local header and, 2 bytes further, in the central directory (APPNOTE 4.3.7, 4.3.12).
    data[data.index(b"PK\x03\x04") + 6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(UnsupportedContent, match="is encrypted"):
        guarded_kind(bytes(data), URL)


def test_bomb_is_refused_fast_and_in_little_memory() -> None:
    bomb = with_member("word/a.xml", b"<a>" + b" " * 200 * MIB)
    start = time.process_time()
    with pytest.raises(ConversionFailed, match="a bomb"):
        guarded_kind(bomb, URL)
    assert time.process_time() - start < 2
