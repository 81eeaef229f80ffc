"""The shapes of a slide in reading order, and what each of them says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pptx.exc import InvalidXmlError

from conversion.office.docx.names import COMPATIBILITY
from conversion.office.page import add
from conversion.office.pictures import described_text, is_decorative
from conversion.office.pptx.bullets import A, P, placeholder
from conversion.office.pptx.order import Placed, reading_order

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml import etree
    from pptx.presentation import Presentation
    from pptx.shapes.base import BaseShape
    from pptx.slide import Slide

    from conversion.office.flow import Flow
    from conversion.office.graphics import GraphicTexts
    from conversion.office.pptx.texts import TextReader
    from conversion.office.records import Removals

_FURNITURE = frozenset({"dt", "ftr", "sldNum", "hdr"})
_TITLES = frozenset({"title", "ctrTitle"})
_MAX_DEPTH = 20


def unwrap_alternatives(tree: etree._Element) -> None:
    """Replaces each offer of alternatives by its first, which holds text where later ones hold a picture of it."""
    for offer in list(tree.iter(COMPATIBILITY + "AlternateContent")):
        parent, branch = offer.getparent(), next(iter(offer), None)
        if parent is not None and parent.tag in (P + "spTree", P + "grpSp"):
            for child in reversed([] if branch is None else list(branch)):
                offer.addnext(child)
            parent.remove(offer)


@dataclass(frozen=True, slots=True)
class SlideShapes:
    """Sorted shapes of one slide."""

    title: BaseShape | None
    content: list[BaseShape]


def sort_shapes(slide: Slide, deck: Presentation, locator: str, removals: Removals) -> SlideShapes:
    """Title and content in reading order; footers, and what no viewer sees, recorded as left out."""
    title: BaseShape | None = None
    content: list[BaseShape] = []
    width, height = deck.slide_width or 0, deck.slide_height or 0
    for shape in slide.shapes:
        holder = placeholder(shape.element)
        kind = holder.get("type", "obj") if holder is not None else ""
        if kind in _FURNITURE:
            removals.add("office.footer", "slides", _text(shape.element))
        elif _is_hidden(shape.element):
            removals.add("office.hidden", locator, _text(shape.element))
        elif kind in _TITLES and title is None:
            title = shape
        elif _is_outside(shape, width, height):
            removals.add("office.off-slide", locator, _text(shape.element))
        else:
            content.append(shape)
    return SlideShapes(title, in_reading_order(content))


def in_reading_order(shapes: Iterable[BaseShape]) -> list[BaseShape]:
    """The shapes by position; those without a position keep their place behind the others."""
    placed: list[Placed[BaseShape]] = []
    unplaced: list[BaseShape] = []
    for shape in shapes:
        box = _box(shape)
        if box is None:
            unplaced.append(shape)
        else:
            placed.append(Placed(shape, *box))
    return [*reading_order(placed), *unplaced]


class ShapeWriter:
    """Writes what shapes say into the flow of their slide."""

    def __init__(self, texts: TextReader, graphics: GraphicTexts) -> None:
        self._texts = texts
        self._graphics = graphics

    def write(self, shape: BaseShape, flow: Flow, depth: int = 0) -> None:
        """A shape with all that it groups."""
        element = shape.element
        if element.tag == P + "grpSp" and depth < _MAX_DEPTH:
            for inner in in_reading_order(shape.shapes):  # type: ignore[attr-defined]
                self.write(inner, flow, depth + 1)
        elif (table := element.find(f"{A}graphic/{A}graphicData/{A}tbl")) is not None:
            self._texts.write_table(table, flow.block("table"))
        elif (body := element.find(P + "txBody")) is not None:
            self._texts.write_frame(element, body, flow)
        else:
            self._graphics.write(element, flow.block)
            if text := _description(element):
                add(flow.block("p"), "img", alt=text, src="")


def _description(element: etree._Element) -> str:
    properties = element.find(f"./*/{P}cNvPr")
    if properties is None or is_decorative(properties):
        return ""
    return described_text(properties.get("descr")) or described_text(properties.get("title"))


def _text(element: etree._Element) -> str:
    return " ".join(text.text or "" for text in element.iter(A + "t"))


def _is_hidden(element: etree._Element) -> bool:
    properties = element.find(f"./*/{P}cNvPr")
    return properties is not None and properties.get("hidden") in ("1", "true")


def _box(shape: BaseShape) -> tuple[int, int, int, int] | None:
    try:
        left, top, width, height = (getattr(shape, name) for name in ("left", "top", "width", "height"))
    except (KeyError, AttributeError, ValueError, InvalidXmlError):
        return None  # a damaged shape, or a placeholder whose layout is missing
    if left is None or top is None:
        return None
    return left, top, left + (width or 0), top + (height or 0)


def _is_outside(shape: BaseShape, width: int, height: int) -> bool:
    box = _box(shape)
    if box is None or not width or not height:
        return False
    left, top, right, bottom = box
    return right <= 0 or bottom <= 0 or left >= width or top >= height
