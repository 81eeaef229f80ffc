"""The structure tree of a tagged page (ISO 32000-1, 14.7) as plain records."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_DEPTH = 60
_MAX_ELEMENTS = 50_000
_TEXT = 2_048
_MAX_SPAN = 1_000
TELLING = frozenset({"H", "H1", "H2", "H3", "H4", "H5", "H6", "L", "LI", "Table", "TR", "Code", "BlockQuote"})
"""Kinds that say more than that something is text."""


@dataclass(slots=True)
class Element:
    """A structure element with what belongs to one page."""

    kind: str
    """Standard structure type, after the role map: ``P``, ``H1``, ``LBody``, ``TD``, ..."""
    children: list[Element | int] = field(default_factory=list)
    """Elements and marked-content identifiers, in reading order."""
    alternative: str = ""
    """What stands for a picture."""
    rows: int = 1
    columns: int = 1
    """Rows and columns of its table that a cell takes."""

    def identifiers(self) -> Iterator[int]:
        """All marked-content identifiers below, in reading order."""
        for child in self.children:
            if isinstance(child, int):
                yield child
            else:
                yield from child.identifiers()

    def kinds(self) -> Iterator[str]:
        """The kinds of this and of all elements below."""
        yield self.kind
        for child in self.children:
            if isinstance(child, Element):
                yield from child.kinds()


def structure(page: pdfium.FPDF_PAGE) -> Element | None:
    """The root of the page's structure; None where it has none."""
    tree = pdfium.FPDF_StructTree_GetForPage(page)
    if not tree:
        return None
    reader = _Reader()
    try:
        count = pdfium.FPDF_StructTree_CountChildren(tree)
        root = Element("Document")
        for index in range(max(0, count)):
            if child := pdfium.FPDF_StructTree_GetChildAtIndex(tree, index):
                root.children.append(reader.element(child, 0))
        return root if any(True for _ in root.identifiers()) else None
    finally:
        pdfium.FPDF_StructTree_Close(tree)


class _Reader:
    def __init__(self) -> None:
        self._left = _MAX_ELEMENTS
        self._buffer = ctypes.create_string_buffer(_TEXT)

    def element(self, handle: pdfium.FPDF_STRUCTELEMENT, depth: int) -> Element:
        self._left -= 1
        found = Element(self._text(pdfium.FPDF_StructElement_GetType, handle))
        if found.kind == "Figure":
            found.alternative = self._text(pdfium.FPDF_StructElement_GetAltText, handle)
        elif found.kind in ("TD", "TH"):
            found.rows, found.columns = self._number(handle, b"RowSpan"), self._number(handle, b"ColSpan")
        for index in range(max(0, pdfium.FPDF_StructElement_CountChildren(handle))):
            identifier = pdfium.FPDF_StructElement_GetChildMarkedContentID(handle, index)
            if identifier >= 0:
                found.children.append(identifier)
                continue
            child = pdfium.FPDF_StructElement_GetChildAtIndex(handle, index)
            if child and depth < _MAX_DEPTH and self._left > 0:
                found.children.append(self.element(child, depth + 1))
        return found

    def _number(self, handle: pdfium.FPDF_STRUCTELEMENT, name: bytes) -> int:
        """The attribute, a number from 1; 1 where it is missing or none."""
        value = ctypes.c_float()
        for index in range(max(0, pdfium.FPDF_StructElement_GetAttributeCount(handle))):
            attributes = pdfium.FPDF_StructElement_GetAttributeAtIndex(handle, index)
            found = pdfium.FPDF_StructElement_Attr_GetValue(attributes, name) if attributes else None
            if found and pdfium.FPDF_StructElement_Attr_GetNumberValue(found, value) and 1 <= value.value <= _MAX_SPAN:
                return int(value.value)
        return 1

    def _text(self, ask: object, handle: pdfium.FPDF_STRUCTELEMENT) -> str:
        length = ask(handle, self._buffer, _TEXT)  # type: ignore[operator]
        if not 2 < length <= _TEXT:
            return ""
        return self._buffer.raw[: length - 2].decode("utf-16-le", "replace")


def tagged_share(root: Element, tags: list[tuple[int, int]]) -> tuple[int, int]:
    """(characters that the structure holds, all characters) of (identifier, characters) pairs."""
    known = set(root.identifiers())
    return sum(n for tag, n in tags if tag in known), sum(n for _, n in tags)
