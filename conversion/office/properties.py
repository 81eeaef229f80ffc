"""What a document says about itself: core properties (ECMA-376-2, 8.3), and which titles are not meant as such."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from wrac.records import PageMetadata

if TYPE_CHECKING:
    from lxml import etree

    from conversion.office.package import Package

_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
# What programs write into the title when nobody names the document.
_NO_TITLE = re.compile(
    r"(?:powerpoint[- ]?pr[äe]sentation|pr[ée]sentation powerpoint|powerpoint presentation"
    r"|presentaci[óo]n de powerpoint|slide \d*|presentation\d*|document\d*|dokument\d*|untitled(?: \w+)?"
    r"|unbenannt\w*|sans titre|title|book\d*|mappe\d*|microsoft (?:word|powerpoint|excel)\b.*"
    r"|.*\.(?:docx?|pptx?|xlsx?|od[tps]|rtf|dotx?|potx?)|click to .*|template)",
    re.IGNORECASE,
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?")
_ZERO_DATES = ("1601", "1899", "1900-01-01", "1970-01-01", "0001")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z\d]{2,8})*")


def core_properties(package: Package) -> PageMetadata:
    """Title, author, dates and language as the file states them; empty where it states nothing meant."""
    part = next((r.target for r in package.relations("").values() if r.kind == "core-properties"), "docProps/core.xml")
    root = package.parse_leniently(part)
    if root is None:
        return PageMetadata()
    title = _text(root, _DC + "title")
    language = _text(root, _DC + "language")
    return PageMetadata(
        title="" if _NO_TITLE.fullmatch(title) else title,
        language=language.lower() if _LANGUAGE.fullmatch(language) else "",
        description=_text(root, _DC + "description"),
        published=_date(root, _TERMS + "created"),
        modified=_date(root, _TERMS + "modified"),
        author=_text(root, _DC + "creator"),
    )


def name_of(url: str) -> str:
    """The file's name without its ending, as a title of last resort."""
    return PurePosixPath(unquote(urlsplit(url).path)).stem.replace("_", " ").strip()


def _text(root: etree._Element, name: str) -> str:
    element = root.find(name)
    return "" if element is None else " ".join((element.text or "").split())


def _date(root: etree._Element, name: str) -> str:
    value = _text(root, name)
    return value if _DATE.fullmatch(value) and not value.startswith(_ZERO_DATES) else ""
