"""Link annotations that lead to the web, put onto the words under them."""

from __future__ import annotations

import ctypes
import re
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from conversion.pdf.shapes import Box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.records import Word

_SCHEME = re.compile(r"(?:https?://|mailto:|tel:)\S+$", re.IGNORECASE)
_MAX_LINKS = 2_000
_MAX_LENGTH = 4_096


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


def put_links(words: Sequence[Word], found: Sequence[tuple[Box, str]]) -> None:
    """Each word whose middle lies in a link's box carries its target."""
    for box, uri in found:
        for word in words:
            if box.y0 <= (word.y0 + word.y1) / 2 <= box.y1 and box.x0 - 1 <= (word.x0 + word.x1) / 2 <= box.x1 + 1:
                word.link = uri
