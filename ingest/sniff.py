"""What a body is, from its first bytes before what the server says: binaries come under text/html every day."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from conversion.drac.detect import FLAT_WITHIN, DocumentKind, detect, flat_kind


class BodyKind(StrEnum):
    """Which path a body takes."""

    EMPTY = "empty"
    HTML = "html"
    MARKDOWN = "markdown"
    """Markdown or plain text."""
    PDF = "pdf"
    OFFICE = "office"
    """Word, PowerPoint, Excel, OpenDocument, RTF; also EPUB, which is refused with its own reason."""
    IMAGE = "image"
    """A picture: read where a person named its file, and nowhere else."""
    OTHER = "other"
    """Nothing that is read: archives, scripts, data."""

    @property
    def is_document(self) -> bool:
        """Whether it is converted in a process of its own."""
        return self in (BodyKind.PDF, BodyKind.OFFICE)


_HEAD = 4096
_PDF_WITHIN = 1024  # readers accept leading bytes before the header (ISO 32000-1, annex H.3.4.1)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = b"PK\x03\x04"
_TEXT_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_MARKUP = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|main|article|div|p|h[1-6]|title|meta|table|ul|section)[\s>/]", re.IGNORECASE
)
_HTML_TYPES = frozenset(["text/html", "application/xhtml+xml"])
_XML_TYPES = frozenset(["text/xml", "application/xml"])
_MARKDOWN_TYPES = frozenset(["text/markdown", "text/x-markdown", "text/x-web-markdown"])
_VAGUE_TYPES = frozenset(["", "text/plain", "application/octet-stream", "binary/octet-stream", "unknown/unknown"])
_MARKDOWN_NAMES = frozenset([".md", ".markdown", ".mdown", ".mkd", ".txt", ".text"])
_OF_DOCUMENTS = {
    DocumentKind.PDF: BodyKind.PDF,
    DocumentKind.IMAGE: BodyKind.IMAGE,
    DocumentKind.ARCHIVE: BodyKind.OTHER,
    DocumentKind.UNKNOWN: BodyKind.OTHER,
}
_OFFICE_NAMES = {f".{name}{x}": f".{name}x" for name in ("doc", "ppt", "xls") for x in ("", "x")}
_TEXT_CONTROLS = frozenset(b"\t\n\v\f\r\x1b")


def media_type(content_type: str) -> str:
    """The type without parameters, in lower case."""
    return content_type.partition(";")[0].strip().lower()


def body_kind(body: bytes, content_type: str, url: str) -> BodyKind:
    """Which path the body takes; total over all inputs."""
    head = body[:_HEAD]
    if not head.strip():
        return BodyKind.EMPTY
    if _has_pdf_mark(head, content_type, url):
        # The first bytes decide: a picture, or a Word file, may hold a PDF.
        kind = detect(body)
        return _OF_DOCUMENTS.get(kind, BodyKind.OFFICE)
    if head.startswith((_OLE, b"{\\rtf")) or (head.startswith(_ZIP) and _is_office(body)):
        return BodyKind.OFFICE
    kind = detect(body[:FLAT_WITHIN])
    if kind is DocumentKind.IMAGE:
        return BodyKind.IMAGE
    if flat_kind(body) is not None:
        return BodyKind.OFFICE
    if _is_binary(head):
        return BodyKind.OTHER
    found = _text_kind(head, media_type(content_type), _suffix(url))
    # An e-mail is refused with a reason of its own, but what calls itself a text may begin like one.
    return BodyKind.OFFICE if found is BodyKind.OTHER and kind is DocumentKind.EMAIL else found


def _has_pdf_mark(head: bytes, content_type: str, url: str) -> bool:
    """Whether the mark of a PDF stands where readers look for it, and not in a text that speaks of it."""
    before, mark, _ = head[:_PDF_WITHIN].partition(b"%PDF-")
    if not mark or _MARKUP.search(before):
        return False
    is_text = bool(before.strip(b"\xef\xbb\xbf \t\r\n")) and not _is_binary(before)
    return not (is_text and (_is_markdown(content_type, url) or not before.endswith((b"\n", b"\r"))))


def _is_markdown(content_type: str, url: str) -> bool:
    declared = media_type(content_type)
    return declared in _MARKDOWN_TYPES or (declared in _VAGUE_TYPES and _suffix(url) in _MARKDOWN_NAMES)


def _suffix(url: str) -> str:
    return PurePosixPath(urlsplit(url).path).suffix.lower()


def why_unread(body: bytes, content_type: str, url: str) -> str:
    """What a body of no kind that is read is, and what to do."""
    declared, suffix = media_type(content_type) or "no content type", _suffix(url)
    if body_kind(body, content_type, url) is BodyKind.IMAGE:
        return f"a picture ({declared}), which is read where its file is named: wrac ingest FILE"
    if suffix in _OFFICE_NAMES and not _is_binary(body[:_HEAD]):
        return f"text under the name of a document ({suffix}): save it as a real {_OFFICE_NAMES[suffix]}, or as .md"
    return f"neither a page nor a document ({declared})"


def may_be_document(body: bytes) -> bool:
    """Whether the first bytes are those of a document, or of an archive, which may be one; nothing is opened."""
    if body.startswith((_OLE, _ZIP, b"{\\rtf")) or b"%PDF-" in body[:_PDF_WITHIN]:
        return True
    return detect(body[:_HEAD]) is DocumentKind.IMAGE


def _is_office(body: bytes) -> bool:
    """Whether a ZIP file is a document, by its members, which stand in any order."""
    return detect(body) is not DocumentKind.ARCHIVE


def _is_binary(head: bytes) -> bool:
    """Whether control bytes stand there that no text has; UTF-16 has a mark, or NUL in every second byte."""
    if head.startswith(_TEXT_BOMS):
        return False
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) * 4 > len(head) and min(even, odd) * 50 < len(head):
        return False
    controls = sum(1 for byte in head if byte < 0x20 and byte not in _TEXT_CONTROLS)
    return controls * 50 > len(head)


def _text_kind(head: bytes, declared: str, suffix: str) -> BodyKind:
    is_markup = _MARKUP.search(head.replace(b"\x00", b"")) is not None
    if declared in _HTML_TYPES:
        return BodyKind.HTML
    if declared in _MARKDOWN_TYPES:
        return BodyKind.MARKDOWN
    if declared in _XML_TYPES:
        return BodyKind.HTML if re.search(rb"<html[\s>]", head, re.IGNORECASE) else BodyKind.OTHER
    if declared not in _VAGUE_TYPES:
        return BodyKind.OTHER
    if suffix in _MARKDOWN_NAMES:
        return BodyKind.MARKDOWN
    if is_markup and head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return BodyKind.HTML
    return BodyKind.MARKDOWN if declared == "text/plain" or not suffix else BodyKind.OTHER
