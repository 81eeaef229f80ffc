"""Which mark stands in front of a paragraph: inherited from shape, layout, master (ECMA-376-1, 21.1.2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree
    from pptx.slide import Slide

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"

_MARKS = (A + "buNone", A + "buChar", A + "buAutoNum", A + "buBlip")
_LEVELS = 9
_MASTER_TYPES = {"obj": "body", "subTitle": "body", "ctrTitle": "title", "tbl": "body", "pic": "body", "chart": "body"}


@dataclass(frozen=True, slots=True)
class Bullet:
    """``number`` is where automatic numbering starts, 0 for a bullet."""

    number: int = 0


class Bullets:
    """The marks of one slide's paragraphs."""

    def __init__(self, slide: Slide) -> None:
        self._layout, self._master = sheets_of(slide)
        self._presentation = slide.part.package.presentation_part.presentation._element  # noqa: SLF001

    def of(self, paragraph: etree._Element, shape: etree._Element) -> Bullet | None:
        """The mark of a paragraph of the shape; None where there is none."""
        own = paragraph.find(A + "pPr")
        if own is not None and (mark := _mark(own)) is not None:
            return _bullet(mark)
        level = min(level_of(paragraph), _LEVELS - 1) + 1
        for style in self._styles(shape):
            properties = style.find(f"{A}lvl{level}pPr")
            if properties is not None and (mark := _mark(properties)) is not None:
                return _bullet(mark)
        return None

    def _styles(self, shape: etree._Element) -> Iterator[etree._Element]:
        """List styles that the shape inherits, nearest first."""
        yield from shape.iterfind(f"{P}txBody/{A}lstStyle")
        holder = placeholder(shape)
        if holder is None:
            yield from self._presentation.iterfind(P + "defaultTextStyle")
            return
        kind, index = holder.get("type", "obj"), holder.get("idx", "0")
        master_kind = _MASTER_TYPES.get(kind, kind)
        for sheet in (self._layout, self._master):
            for other in sheet.iter(P + "sp") if sheet is not None else ():
                described = placeholder(other)
                if described is None:
                    continue
                same_index = sheet is self._layout and described.get("idx", "0") == index
                same_kind = sheet is self._master and described.get("type", "obj") == master_kind
                if same_index or same_kind:
                    yield from other.iterfind(f"{P}txBody/{A}lstStyle")
                    break
        name = {"title": "titleStyle", "body": "bodyStyle"}.get(master_kind, "otherStyle")
        if self._master is not None:
            yield from self._master.iterfind(f"{P}txStyles/{P}{name}")


def sheets_of(slide: Slide) -> tuple[etree._Element | None, etree._Element | None]:
    """Layout and master of the slide; None for what a damaged deck has lost."""
    try:
        layout = slide.slide_layout
    except (KeyError, AttributeError):
        return None, None
    try:
        # python-pptx has no API for inherited lists.
        return layout._element, layout.slide_master._element  # noqa: SLF001
    except (KeyError, AttributeError):
        return layout._element, None  # noqa: SLF001


def placeholder(shape: etree._Element) -> etree._Element | None:
    """``p:ph`` of a shape that is a placeholder."""
    return shape.find(f"./*/{P}nvPr/{P}ph")


def level_of(paragraph: etree._Element) -> int:
    """Level of a paragraph, from 0."""
    properties = paragraph.find(A + "pPr")
    level = properties.get("lvl", "0") if properties is not None else "0"
    return int(level) if level.isdigit() else 0


def _mark(properties: etree._Element) -> etree._Element | None:
    return next((child for child in properties if child.tag in _MARKS), None)


def _bullet(mark: etree._Element) -> Bullet | None:
    if mark.tag == A + "buNone":
        return None
    if mark.tag == A + "buAutoNum":
        start = mark.get("startAt", "1")
        return Bullet(int(start) if start.isdigit() else 1)
    return Bullet()
