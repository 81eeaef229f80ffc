"""Trees of HTML elements, built from Office files and read by the one walk that reads web pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree
from lxml.html import Element

from conversion.html import HtmlConverter
from wrac.errors import ConversionFailed
from wrac.records import CleanedPage, Directives, PageMetadata

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from wrac.records import MarkdownDocument

_NOT_XML = {
    **{code: " " for code in range(0x20) if chr(code) not in "\t\n"},
    **dict.fromkeys(range(0xD800, 0xE000)),
    0xFFFE: None,
    0xFFFF: None,
}


def new(tag: str, text: str = "", **attributes: str) -> HtmlElement:
    """An element with text."""
    element = Element(tag, attributes)
    if text:
        element.text = xml_text(text)
    return element


def add(parent: HtmlElement, tag: str, text: str = "", **attributes: str) -> HtmlElement:
    """A new last child."""
    element: HtmlElement = etree.SubElement(parent, tag, attributes)
    if text:
        element.text = xml_text(text)
    return element


def add_text(parent: HtmlElement, text: str) -> None:
    """Text behind all that the element holds."""
    text = xml_text(text)
    if len(parent):
        last = parent[-1]
        last.tail = (last.tail or "") + text
    else:
        parent.text = (parent.text or "") + text


def xml_text(text: str) -> str:
    """The text without control characters, which no tree can hold (XML 1.0, 2.2); vertical tabs part words."""
    return text if text.isprintable() else text.translate(_NOT_XML)


def converted(root: HtmlElement, url: str, title: str) -> MarkdownDocument | None:
    """The tree as Markdown, anchored at its headings; None where no text comes out."""
    page = CleanedPage(
        root=root,
        url=url,
        base_url=url,
        metadata=PageMetadata(title=title),
        directives=Directives(),
        links=(),
        removals=(),
    )
    try:
        return HtmlConverter().convert(page)
    except ConversionFailed:
        return None
