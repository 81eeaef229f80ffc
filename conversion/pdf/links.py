"""Link annotations that lead to the web, put onto the words under them."""

from __future__ import annotations

import ctypes
import re
from collections import defaultdict
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from conversion.pdf.shapes import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.records import Word

_SCHEME = re.compile(r"(?:https?://|mailto:|tel:)\S+$", re.IGNORECASE)
_MAX_LINKS = 2_000
_MAX_LENGTH = 4_096
_STEP = 16.0
"""Points of height by which links are looked up."""
_MAX_STEPS = 1_000
_SLACK = 2.0
"""Points by which the box of a link is wider or narrower than its text."""


def links(document: pdfium.FPDF_DOCUMENT, page: pdfium.FPDF_PAGE) -> list[tuple[Box, str]]:
    """Boxes in page coordinates and the URI that each leads to; links inside the document are left out."""
    found: list[tuple[Box, str]] = []
    position, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    for _ in range(_MAX_LINKS):
        if not pdfium.FPDFLink_Enumerate(page, position, link):
            break
        if uri := _uri(document, link):
            found.extend((box, uri) for box in _boxes(link))
    return found


def _uri(document: pdfium.FPDF_DOCUMENT, link: pdfium.FPDF_LINK) -> str:
    action = pdfium.FPDFLink_GetAction(link)
    if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
        return ""
    length = pdfium.FPDFAction_GetURIPath(document, action, None, 0)
    if not 1 < length <= _MAX_LENGTH:
        return ""
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDFAction_GetURIPath(document, action, buffer, length)
    uri = buffer.value.decode("utf-8", "replace").strip()
    if uri.lower().startswith("www."):
        uri = f"https://{uri}"
    return uri if _SCHEME.match(uri) else ""


def _boxes(link: pdfium.FPDF_LINK) -> list[Box]:
    quads = pdfium.FS_QUADPOINTSF()
    boxes = []
    for index in range(min(pdfium.FPDFLink_CountQuadPoints(link), _MAX_LINKS)):
        if pdfium.FPDFLink_GetQuadPoints(link, index, quads):
            xs, ys = (quads.x1, quads.x2, quads.x3, quads.x4), (quads.y1, quads.y2, quads.y3, quads.y4)
            boxes.append(Box(min(xs), min(ys), max(xs), max(ys)))
    rectangle = pdfium.FS_RECTF()
    if not boxes and pdfium.FPDFLink_GetAnnotRect(link, rectangle):
        edges = sorted((rectangle.bottom, rectangle.top))
        boxes.append(Box(rectangle.left, edges[0], rectangle.right, edges[1]))
    return boxes


class Links:
    """The links of one page, to be asked word by word."""

    def __init__(self, found: Sequence[tuple[Box, str]]) -> None:
        self._by_height: defaultdict[int, list[tuple[Box, str]]] = defaultdict(list)
        for box, uri in found:
            for height in range(int(box.y0 // _STEP), int(box.y1 // _STEP) + 1)[:_MAX_STEPS]:
                self._by_height[height].append((box, uri))

    def _near(self, word: Word) -> list[tuple[Box, str]]:
        y = (word.y0 + word.y1) / 2
        return [
            (box, uri)
            for box, uri in self._by_height.get(int(y // _STEP), ())
            if box.y0 <= y <= box.y1 and box.x0 < word.x1 and box.x1 > word.x0
        ]

    def edges(self, word: Word) -> list[float]:
        """The x at which links begin and end inside the word."""
        near = self._near(word)
        return [x for box, _ in near for x in (box.x0, box.x1) if word.x0 + _SLACK < x < word.x1 - _SLACK]

    def target(self, word: Word) -> str:
        """Where the link leads in which the middle of the word lies; empty where there is none."""
        x = (word.x0 + word.x1) / 2
        return next((uri for box, uri in self._near(word) if box.x0 <= x <= box.x1), "")
