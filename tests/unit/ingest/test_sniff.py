import random

import pytest
from office_files import FLAT_TEXT, LETTER_2003, SHEET_2003, zip_of

from ingest.sniff import BodyKind, body_kind, may_be_document, why_unread

HTML = b"<!DOCTYPE html><html><body><p>Buoy</p></body></html>"
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj"
DOCX = b"PK\x03\x04\x14\x00\x06\x00" + b"\x00" * 22 + b"[Content_Types].xml \xa2"
ODT = b"PK\x03\x04\x14\x00\x00\x08" + b"\x00" * 22 + b"mimetypeapplication/vnd.oasis.opendocument.text"
LATE = zip_of({"docProps/thumbnail.jpeg": random.Random(1).randbytes(9_000), "word/document.xml": "<w:document/>"})
"""What makes it a document stands behind its first kilobytes."""
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00"


@pytest.mark.parametrize(
    ("body", "content_type", "path", "kind"),
    [
        (HTML, "text/html; charset=utf-8", "/", "html"),
        (HTML, "TEXT/HTML", "/", "html"),
        (HTML, "application/xhtml+xml", "/", "html"),
        (HTML, "", "/page", "html"),
        (HTML, "text/plain", "/page", "html"),
        (HTML, "application/octet-stream", "/page.html", "html"),
        (b"<p>no frame around it</p>", "text/html", "/", "html"),
        (b"Just words", "text/html", "/", "html"),
        (b'<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml">', "application/xml", "/", "html"),
        (b'<?xml version="1.0"?>\n<rss version="2.0">', "application/xml", "/feed", "other"),
        (b"# Title\n\ntext", "text/markdown", "/page.md", "markdown"),
        (b"# Title\n\ntext", "text/plain; charset=utf-8", "/page", "markdown"),
        (b"# Title\n\ntext", "application/octet-stream", "/page.md", "markdown"),
        (b"# Title\n\n<p>html inside</p>", "text/plain", "/page.md", "markdown"),
        (b"Use <html> as the root.", "text/plain", "/", "markdown"),
        (PDF, "application/pdf", "/a.pdf", "pdf"),
        (PDF, "text/html", "/a", "pdf"),
        (b"\n\n" + PDF, "application/octet-stream", "/a", "pdf"),
        (b"<p>A PDF starts with %PDF-1.7</p>", "text/html", "/", "html"),
        (b"\xef\xbb\xbf" + PDF, "application/pdf", "/a", "pdf"),
        (b"\x1b%-12345X@PJL ENTER LANGUAGE=PDF\r\n" + PDF, "application/pdf", "/a", "pdf"),
        (bytes(128) + PDF, "application/octet-stream", "/a", "pdf"),
        (b"# Formats\n\nA file that begins with %PDF-1.7 is a PDF.", "text/markdown", "/a.md", "markdown"),
        (b"# Formats\n\n```\n%PDF-1.7\n1 0 obj\n```\n", "text/plain", "/a.md", "markdown"),
        (b"A file that begins with %PDF-1.7 is a PDF.", "text/plain", "/a", "markdown"),
        (b"GIF89a\x01\x00\x01\x00\x00\x00\x00" + PDF, "image/gif", "/a.gif", "image"),
        (zip_of({"%PDF-1.7.txt": "x"}), "application/zip", "/a.zip", "other"),
        (DOCX, "application/octet-stream", "/a", "office"),
        (DOCX, "text/html", "/a", "office"),
        (ODT, "application/zip", "/a", "office"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 50, "application/msword", "/a.doc", "office"),
        (b"{\\rtf1\\ansi hello}", "text/plain", "/a.rtf", "office"),
        (b"PK\x03\x04\x14\x00\x00\x00" + b"\x00" * 22 + b"src/main.c", "application/zip", "/a.zip", "other"),
        (LATE, "application/zip", "/a", "office"),
        (zip_of({"mimetype": "application/epub+zip"}), "application/epub+zip", "/a.epub", "office"),
        (zip_of({"word.txt": "word/document.xml"}), "application/zip", "/a.zip", "other"),
        (SHEET_2003.encode(), "application/vnd.ms-excel", "/a.xls", "office"),
        (SHEET_2003.encode(), "text/xml", "/a", "office"),
        (LETTER_2003.encode(), "text/html", "/a.doc", "office"),
        (FLAT_TEXT.encode(), "", "/a.fodt", "office"),
        (b"From: a@b.example\r\nMIME-Version: 1.0\r\n\r\nHi", "application/msword", "/a.doc", "office"),
        (b"From: a@b.example\r\nMIME-Version: 1.0\r\n\r\nHi", "text/plain", "/a", "markdown"),
        (PNG, "text/html", "/a", "image"),
        (PNG, "image/png", "/a.png", "image"),
        (b'{"a": 1}', "application/json", "/a.json", "other"),
        (b"body { color: red }", "text/css", "/a.css", "other"),
        (b"", "text/html", "/", "empty"),
        (b" \r\n\t ", "text/html", "/", "empty"),
        ("<html><p>Größe</p>".encode("utf-16"), "text/html", "/", "html"),
        ("<html><p>Boje und Tonne</p>".encode("utf-16-le"), "text/html", "/", "html"),
        (b"<html><p>one stray \x00 byte in a long page of text</p>" * 3, "text/html", "/", "html"),
    ],
)
def test_what_a_body_is(body, content_type, path, kind):
    assert body_kind(body, content_type, f"https://docs.test{path}") is BodyKind(kind)


@pytest.mark.parametrize(
    "body", [PDF, DOCX, ODT, LATE, b"{\\rtf1", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"\n" + PDF, PNG]
)
def test_what_may_be_a_document_is_told_by_its_first_bytes(body):
    assert may_be_document(body)


@pytest.mark.parametrize("body", [HTML, b"", b"# Title"])
def test_what_cannot_be_one(body):
    assert not may_be_document(body)


@pytest.mark.parametrize(
    ("body", "content_type", "path", "why"),
    [
        (b"Name;Count\nRope;5\n", "application/vnd.ms-excel", "/stock.xls", "text under the name of a document (.xls)"),
        (PNG, "image/png", "/a.png", "a picture (image/png), which is read where its file is named"),
        (bytes(100), "", "/a", "neither a page nor a document (no content type)"),
    ],
)
def test_why_it_is_not_read(body, content_type, path, why):
    assert why_unread(body, content_type, f"https://docs.test{path}").startswith(why)
