"""Where a fragment leads: ids on headings and terms, on what opens a section, on empty anchors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversion.html.inline import is_permalink

if TYPE_CHECKING:
    from lxml.html import HtmlElement


def inner_id(element: HtmlElement) -> str:
    """The first id, or name of an anchor, inside the element; empty where there is none."""
    for inner in element.iter():
        if inner is not element and isinstance(inner.tag, str):
            name = inner.get("id") or (inner.get("name") if inner.tag == "a" else None)
            if name:
                return str(name)
    return ""


def permalink_target(element: HtmlElement) -> str:
    """The fragment that a heading's link to itself names; empty where it has none."""
    for link in element.iter("a"):
        place, _, fragment = (link.get("href") or "").partition("#")
        if fragment and not place and is_permalink(link):
            return str(fragment)
    return ""
