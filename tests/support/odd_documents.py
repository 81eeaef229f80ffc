"""Documents as nobody should publish them, each with how it must end wherever it is met."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from office_files import compound, docx, paragraph, zip_of
from pdf_files import Page, column, image, pdf, text

INDEXED, FAILED, EMPTY, UNSUPPORTED = "indexed", "failed", "empty", "unsupported"
_MIB = 1 << 20


@dataclass(frozen=True)
class Odd:
    """One file."""

    data: bytes
    outcome: str
    says: str
    """Words of the reason; of the content where the file is read."""
    content_type: str = "application/octet-stream"


def _sound(words: str) -> bytes:
    return pdf([Page(text(72, 720, "Harbour notes", size=20) + column(72, 680, [words]))])


def _locked() -> bytes:
    keys = b"<</Filter/Standard/V 1/R 2/P -4/O(" + b"a" * 32 + b")/U(" + b"b" * 32 + b")>>"
    named = b"/ID[(1234567890123456)(1234567890123456)]"
    return _sound("Nobody may read this.").replace(b"trailer<<", b"trailer<</Encrypt" + keys + named)


def very_many_pages(count: int) -> bytes:
    """A small file that shows one page so many times."""
    kids = b" ".join([b"3 0 R"] * count)
    content = zlib.compress(b"BT /F1 12 Tf 72 700 Td (Once more) Tj ET")
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (count, kids),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def _with_macros() -> bytes:
    """A Word file with a part for macros, which are not even looked at."""
    import io
    import zipfile

    words = "Cranes are greased on the first day of every quarter by their drivers."
    with zipfile.ZipFile(io.BytesIO(docx(paragraph("Cranes", style="H1") + paragraph(words)))) as sound:
        members: dict[str, str | bytes] = {name: sound.read(name) for name in sound.namelist()}
    types = members["[Content_Types].xml"]
    assert isinstance(types, bytes)
    members["[Content_Types].xml"] = types.replace(
        b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
        b"application/vnd.ms-word.document.macroEnabled.main+xml",
    )
    members["word/vbaProject.bin"] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"Shell Kill Format C:" * 40
    return zip_of(members)


def _word(words: str) -> bytes:
    return docx(paragraph("Harbour notes", style="H1") + paragraph(words))


def _gigapixel() -> bytes:
    return pdf([Page(image("I", 0, 0, 612, 792), images={"I": (40_000, 40_000, b"\0" * 64)})])


def _bomb() -> bytes:
    return zip_of({**_members(_word("Never read.")), "word/a.xml": b"<a>" + b" " * (40 * _MIB)})


def _members(data: bytes) -> dict[str, str | bytes]:
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


_READ_AS_PDF = "Ropes are looked over each spring, and those that are worn are cut up."
_READ_AS_WORD = "Anchors of visiting yachts are kept in the shed behind the office."

ODD: dict[str, Odd] = {
    "locked.pdf": Odd(_locked(), UNSUPPORTED, "is encrypted and needs a password"),
    "locked.docx": Odd(
        compound("EncryptionInfo", "EncryptedPackage"), UNSUPPORTED, "is encrypted: save it without a pass"
    ),
    "cut.pdf": Odd(_sound("This never arrives.")[:400], FAILED, "damaged or cut off", "application/pdf"),
    "cut.docx": Odd(_word("This never arrives. " * 40)[:-300], FAILED, "is damaged or was cut off"),
    "pdf-and-zip.pdf": Odd(
        _sound(_READ_AS_PDF) + zip_of({"word/document.xml": "<w:document/>"}), INDEXED, _READ_AS_PDF
    ),
    "word-with-pdf.docx": Odd(
        zip_of({"%PDF-1.7.txt": b"%PDF-1.7", **_members(_word(_READ_AS_WORD))}), INDEXED, _READ_AS_WORD, "text/html"
    ),
    "picture-and-pdf.pdf": Odd(b"GIF89a" + b"\0" * 30 + _sound("Nobody knows."), UNSUPPORTED, "a picture ("),
    "bomb.docx": Odd(_bomb(), FAILED, "times its size: a bomb"),
    "endless.pdf": Odd(very_many_pages(100_000), FAILED, "it has 100,000 pages, more than 5,000", "application/pdf"),
    "gigapixel.pdf": Odd(_gigapixel(), FAILED, "1,600,000,000 pixels", "application/pdf"),
    "cranes.docm": Odd(_with_macros(), INDEXED, "Cranes are greased on the first day"),
    "blank.pdf": Odd(pdf([Page(), Page()]), EMPTY, "no text on any of its 2 pages: they are blank", "application/pdf"),
    "nothing.docx": Odd(docx(""), EMPTY, "the document holds no text"),
    "novel.docx": Odd(zip_of({"mimetype": "application/epub+zip", "a.xhtml": "<p>x</p>"}), UNSUPPORTED, "EPUB"),
    "none.pdf": Odd(b"", EMPTY, "the body is empty", "application/pdf"),
    "error.pdf": Odd(
        b"<!doctype html><title>Sorry</title><p>The file that you asked for is being moved.</p>",
        INDEXED,
        "The file that you asked for is being moved.",
        "text/html",
    ),
}
