"""Where a fragment leads: ids on headings and terms, on what opens a section, on empty anchors."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement


def inner_id(element: HtmlElement) -> str:
    """The first id, or name of an anchor, inside the element; empty where there is none."""
    for inner in element.iter():
        if inner is not element and isinstance(inner.tag, str):
            name = inner.get("id") or (inner.get("name") if inner.tag == "a" else None)
            if name:
                return name
    return ""
