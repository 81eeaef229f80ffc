"""What a document is, by its content: names and declared types are only hints, and files lie about both."""

from __future__ import annotations

import io
import re
import zipfile
from enum import StrEnum
from typing import TYPE_CHECKING

from conversion.drac.compound import compound_kind

if TYPE_CHECKING:
    from collections.abc import Collection


class DocumentKind(StrEnum):
    """Kinds of documents that are told apart."""

    PDF = "pdf"
    DOCX = "docx"
    PPTX = "pptx"
    XLSX = "xlsx"
    XLSB = "xlsb"
    ODT = "odt"
    ODP = "odp"
    ODS = "ods"
    RTF = "rtf"
    DOC = "doc"
    PPT = "ppt"
    XLS = "xls"
    IMAGE = "image"
    """PNG, JPEG, TIFF, GIF, WebP, BMP."""
    ENCRYPTED = "encrypted"
    """Office file under a password: its content cannot even be told."""
    EPUB = "epub"
    EMAIL = "email"
    ARCHIVE = "archive"
    """A ZIP file that is no document."""
    UNKNOWN = "unknown"


OFFICE_OPEN_XML = frozenset({DocumentKind.DOCX, DocumentKind.PPTX, DocumentKind.XLSX})
"""Read as they are; macros in them (``docm`` and the like) are never looked at."""
NORMALISED = {
    DocumentKind.ODT: DocumentKind.DOCX,
    DocumentKind.RTF: DocumentKind.DOCX,
    DocumentKind.DOC: DocumentKind.DOCX,
    DocumentKind.ODP: DocumentKind.PPTX,
    DocumentKind.PPT: DocumentKind.PPTX,
    DocumentKind.ODS: DocumentKind.XLSX,
    DocumentKind.XLS: DocumentKind.XLSX,
    DocumentKind.XLSB: DocumentKind.XLSX,
}
"""Read after LibreOffice wrote them anew, and as what."""

_ZIP = b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PDF_WITHIN = 1024  # readers accept leading bytes before the header (ISO 32000-1, annex H.3.4.1)
_IMAGES = re.compile(
    rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|II\*\x00|MM\x00\*|GIF8[79]a|RIFF....WEBP|BM.{4}\x00{4}", re.DOTALL
)
_MAIL = re.compile(
    rb"(?:[A-Za-z][\w-]*:[^\n]*\n(?:[ \t][^\n]*\n)*){0,40}?(?:MIME-Version|Received|Message-ID|Return-Path):",
    re.IGNORECASE,
)
_MAIL_WITHIN = 4096
FLAT_WITHIN = 8192
"""Bytes in which the root of a document that is one XML file stands: those of OpenDocument name thirty namespaces."""
_PROLOGUE = rb"\s*(?:\xef\xbb\xbf)?(?:\s|<\?[^>]*\?>|<!--[^>]*-->)*"
_FLAT = (
    (rb"<(?:\w+:)?Workbook\s[^>]*urn:schemas-microsoft-com:office:spreadsheet", DocumentKind.XLS),
    (rb"<(?:\w+:)?wordDocument\s[^>]*schemas\.microsoft\.com/office/word/2003/wordml", DocumentKind.DOC),
    (rb"<(?:\w+:)?document\s[^>]*application/vnd\.oasis\.opendocument\.text", DocumentKind.ODT),
    (rb"<(?:\w+:)?document\s[^>]*application/vnd\.oasis\.opendocument\.spreadsheet", DocumentKind.ODS),
    (rb"<(?:\w+:)?document\s[^>]*application/vnd\.oasis\.opendocument\.presentation", DocumentKind.ODP),
)
"""Office documents in one XML file, which no ZIP file holds: of Office 2003, and flat OpenDocument."""
_FLAT_PATTERNS = tuple((re.compile(_PROLOGUE + root), kind) for root, kind in _FLAT)
_MIME_TYPES = {
    b"application/vnd.oasis.opendocument.text": DocumentKind.ODT,
    b"application/vnd.oasis.opendocument.presentation": DocumentKind.ODP,
    b"application/vnd.oasis.opendocument.spreadsheet": DocumentKind.ODS,
    b"application/epub+zip": DocumentKind.EPUB,
}
_MAIN_PARTS = (
    (re.compile(r"word/document\d*\.xml"), DocumentKind.DOCX),
    (re.compile(r"ppt/presentation\.xml"), DocumentKind.PPTX),
    (re.compile(r"xl/workbook\.bin"), DocumentKind.XLSB),
    (re.compile(r"xl/workbook\.xml"), DocumentKind.XLSX),
)
_MAIN_TYPES = (
    (rb"wordprocessingml.(?:document|template).main+xml", DocumentKind.DOCX),
    (rb"ms-word.(?:document|template).macroEnabled", DocumentKind.DOCX),
    (rb"presentationml.(?:presentation|slideshow|template).main+xml", DocumentKind.PPTX),
    (rb"ms-powerpoint.(?:presentation|slideshow|template).macroEnabled", DocumentKind.PPTX),
    (rb"ms-excel.sheet.binary.macroEnabled.main", DocumentKind.XLSB),
    (rb"spreadsheetml.(?:sheet|template).main+xml", DocumentKind.XLSX),
    (rb"ms-excel.(?:sheet|template).macroEnabled", DocumentKind.XLSX),
)
_TYPE_PATTERNS = tuple(
    (re.compile(text.replace(b".", rb"\.").replace(b"+", rb"\+")), kind) for text, kind in _MAIN_TYPES
)
_LARGEST_TYPE_LIST = 1 << 20


def detect(data: bytes) -> DocumentKind:
    """The kind of document; total over all inputs. The first bytes decide, so that no file is two kinds at once."""
    if data.startswith((_ZIP, _EMPTY_ZIP)):
        return _zip_kind(data)
    if data.startswith(_COMPOUND):
        return _compound(data)
    if data.startswith(b"{\\rtf"):
        return DocumentKind.RTF
    if _IMAGES.match(data):
        return DocumentKind.IMAGE
    if b"%PDF-" in data[:_PDF_WITHIN]:
        return DocumentKind.PDF
    if _MAIL.match(data[:_MAIL_WITHIN].replace(b"\r\n", b"\n")):
        return DocumentKind.EMAIL
    return flat_kind(data) or DocumentKind.UNKNOWN


def flat_kind(data: bytes) -> DocumentKind | None:
    """The kind of an Office document that is one XML file, by its root; None for all else."""
    head = data[:FLAT_WITHIN]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):  # UTF-16, of which ASCII is every second byte
        head = head[2:].replace(b"\x00", b"")
    if b"<" not in head[:64]:
        return None
    return next((kind for pattern, kind in _FLAT_PATTERNS if pattern.match(head)), None)


def _compound(data: bytes) -> DocumentKind:
    name = compound_kind(data)
    return DocumentKind(name) if name else DocumentKind.UNKNOWN


def _zip_kind(data: bytes) -> DocumentKind:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _of_members(archive)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, EOFError, RuntimeError):
        return _cut_off_kind(data)


def _of_members(archive: zipfile.ZipFile) -> DocumentKind:
    names = set(archive.namelist())
    if "mimetype" in names:
        with archive.open("mimetype") as member:
            declared = member.read(100).strip()
        if (kind := _of_mime_type(declared)) is not None:
            return kind
    if "[Content_Types].xml" in names:
        with archive.open("[Content_Types].xml") as member:
            types = member.read(_LARGEST_TYPE_LIST)
        for pattern, kind in _TYPE_PATTERNS:
            if pattern.search(types):
                return kind
    return _of_names(names)


def _of_mime_type(declared: bytes) -> DocumentKind | None:
    return next(
        (kind for prefix, kind in _MIME_TYPES.items() if declared in (prefix, prefix + b"-template")),
        None,
    )


def _of_names(names: Collection[str]) -> DocumentKind:
    for pattern, kind in _MAIN_PARTS:
        if any(pattern.fullmatch(name) for name in names):
            return kind
    return DocumentKind.ARCHIVE


def _cut_off_kind(data: bytes) -> DocumentKind:
    """The kind of an archive whose directory, which stands at the end, is missing: by the names before its members."""
    head = data[: 1 << 16]
    for marker, kind in (
        (rb"word/", DocumentKind.DOCX),
        (rb"ppt/", DocumentKind.PPTX),
        (rb"xl/", DocumentKind.XLSX),
    ):
        if marker in head:
            return kind
    for declared, kind in _MIME_TYPES.items():
        if b"mimetype" + declared in head:
            return kind
    return DocumentKind.DOCX if b"[Content_Types].xml" in head else DocumentKind.ARCHIVE
