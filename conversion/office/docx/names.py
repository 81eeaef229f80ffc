"""Names of WordprocessingML and the few ways in which its properties are written (ECMA-376-1, 17)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml import etree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
VML = "{urn:schemas-microsoft-com:vml}"
OFFICE = "{urn:schemas-microsoft-com:office:office}"

_OFF = frozenset({"0", "false", "off", "none"})
_NUMBER = re.compile(r"-?\d{1,9}")


def value(parent: etree._Element | None, name: str) -> str | None:
    """``w:val`` of a child; None where there is no such child, empty where it has no value."""
    if parent is None:
        return None
    child = parent.find(W + name)
    return None if child is None else child.get(W + "val", "")


def flag(parent: etree._Element | None, name: str) -> bool | None:
    """A toggle property (17.17.4): None where it is not set."""
    state = value(parent, name)
    return None if state is None else state not in _OFF


def whole(text: str | None) -> int | None:
    """The number that a value states, fractions cut off; None where it states none."""
    found = _NUMBER.match(text or "")
    return int(found.group()) if found else None


def attribute(element: etree._Element | None, *names: str) -> int | None:
    """The first of these attributes that holds a number."""
    if element is None:
        return None
    return next((n for name in names if (n := whole(element.get(W + name))) is not None), None)


def own_indent(properties: etree._Element | None) -> int | None:
    """Left indent that a paragraph's own ``w:pPr`` states, in twentieths of a point."""
    return None if properties is None else attribute(properties.find(W + "ind"), "start", "left")


def text_in(element: etree._Element, between: str = " ") -> str:
    """All text inside, deleted text included."""
    return between.join(text.text or "" for text in element.iter(W + "t", W + "delText"))
