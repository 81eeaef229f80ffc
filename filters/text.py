"""Measures of an element's text and of what it holds; all of them run inside libxml2, none in a Python loop."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from lxml import etree

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_text: Final = etree.XPath("normalize-space()", smart_strings=False)
_length: Final = etree.XPath("string-length(normalize-space())")
_LEAST_ROWS: Final = 2


def text_of(element: HtmlElement) -> str:
    """All text inside the element, its tail left out, white space folded."""
    return str(_text(element))


def quick_text(element: HtmlElement) -> str:
    """``text_of`` for the many elements without children, most of them links, without asking libxml2."""
    return text_of(element) if len(element) else (element.text or "").strip()


def length_of(element: HtmlElement) -> int:
    """Characters of ``text_of``."""
    return int(_length(element))  # type: ignore[arg-type]


def link_share(element: HtmlElement) -> float:
    """Share of the element's text that stands in links or buttons, 0 to 1; 1 for an element without text."""
    total = length_of(element)
    if not total:
        return 1.0
    return min(1.0, sum(length_of(link) for link in element.iter("a", "button")) / total)


def holds(element: HtmlElement) -> tuple[str, ...]:
    """Kinds of content inside that deserve a second look: ``table``, ``list``, ``code``."""
    kinds = []
    if holds_table(element):
        kinds.append("table")
    if next(element.iter("ul", "ol", "dl"), None) is not None:
        kinds.append("list")
    if holds_code(element):
        kinds.append("code")
    return tuple(kinds)


def holds_content(element: HtmlElement) -> bool:
    """Whether the element holds what no class-name rule alone may drop: code, a data table, an ordered list."""
    return holds_code(element) or next(element.iter("ol"), None) is not None or holds_table(element)


def holds_code(element: HtmlElement) -> bool:
    """Whether the element is or holds preformatted text."""
    return next(element.iter("pre"), None) is not None


def holds_table(element: HtmlElement) -> bool:
    """Whether the element is or holds a table with header cells, or of several rows and columns; others are layout."""
    return any(_is_data(table) for table in element.iter("table"))


def _is_data(table: HtmlElement) -> bool:
    rows = list(islice(table.iter("tr"), _LEAST_ROWS))
    if len(rows) < _LEAST_ROWS:
        return False
    return any(len(row) > 1 for row in rows) or next(table.iter("th"), None) is not None


def holds_heading(element: HtmlElement, *tags: str) -> bool:
    """Whether the element is or holds one of the heading tags with text in it."""
    return any(length_of(heading) for heading in element.iter(*tags))
