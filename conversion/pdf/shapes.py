"""What is drawn on a page besides text: rulings, filled areas and images, each as a box in page coordinates."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import pypdfium2.raw as pdfium

from conversion.pdf.records import Stroke
from conversion.pdf.styles import WHITE

if TYPE_CHECKING:
    from collections.abc import Iterator

_THIN = 3.0
"""Points: a filled area of less height or width is a ruling."""
_SHORT = 4.0
"""Points: shorter rulings are dashes, dots and parts of drawings."""
_MAX_SEGMENTS = 400
"""A path with more is a drawing, no frame of a table."""
_MAX_DEPTH = 6
"""Of forms inside forms."""


class Box(NamedTuple):
    """An upright rectangle."""

    x0: float
    y0: float
    x1: float
    y1: float

    def holds(self, x: float, y: float) -> bool:
        """Whether the point is inside."""
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1

    def touches(self, x0: float, y0: float, x1: float, y1: float) -> bool:
        """Whether any of the other rectangle is inside."""
        return x0 <= self.x1 and x1 >= self.x0 and y0 <= self.y1 and y1 >= self.y0

    @property
    def area(self) -> float:
        """In square points."""
        return max(0.0, self.x1 - self.x0) * max(0.0, self.y1 - self.y0)


@dataclass(slots=True)
class Shapes:
    """The shapes of one page."""

    strokes: list[Stroke] = field(default_factory=list)
    images: list[Box] = field(default_factory=list)
    backgrounds: list[Box] = field(default_factory=list)
    """Areas filled with another colour than paper, shadings included."""
    largest_image: int = 0
    """Pixels of the largest image as it is stored."""


def shapes(page: pdfium.FPDF_PAGE, limit: int) -> Shapes:
    """The first ``limit`` shapes of the page, those inside forms included."""
    reader = _Reader(limit)
    count = pdfium.FPDFPage_CountObjects(page)
    reader.read((pdfium.FPDFPage_GetObject(page, i) for i in range(min(count, limit))), None, 0)
    return reader.found


Matrix = tuple[float, float, float, float, float, float]


class _Reader:
    def __init__(self, limit: int) -> None:
        self.found = Shapes()
        self._left = limit
        self._edges = tuple(ctypes.c_float() for _ in range(4))
        self._colour = tuple(ctypes.c_uint() for _ in range(4))

    def read(self, objects: Iterator[pdfium.FPDF_PAGEOBJECT], matrix: Matrix | None, depth: int) -> None:
        for item in objects:
            kind = pdfium.FPDFPageObj_GetType(item)
            if kind == pdfium.FPDF_PAGEOBJ_TEXT:
                continue
            self._left -= 1
            if self._left < 0:
                return
            if kind == pdfium.FPDF_PAGEOBJ_PATH:
                self._path(item, matrix)
            elif kind == pdfium.FPDF_PAGEOBJ_IMAGE:
                self._image(item, matrix)
            elif kind == pdfium.FPDF_PAGEOBJ_SHADING:
                self.found.backgrounds.append(self._bounds(item, matrix))
            elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _MAX_DEPTH:
                inner = _times(_matrix(item), matrix)
                count = min(pdfium.FPDFFormObj_CountObjects(item), self._left + 1)
                self.read((pdfium.FPDFFormObj_GetObject(item, i) for i in range(max(0, count))), inner, depth + 1)

    def _bounds(self, item: pdfium.FPDF_PAGEOBJECT, matrix: Matrix | None) -> Box:
        left, bottom, right, top = self._edges
        if not pdfium.FPDFPageObj_GetBounds(item, left, bottom, right, top):
            return Box(0, 0, 0, 0)
        return _placed(Box(left.value, bottom.value, right.value, top.value), matrix)

    def _image(self, item: pdfium.FPDF_PAGEOBJECT, matrix: Matrix | None) -> None:
        self.found.images.append(self._bounds(item, matrix))
        wide, high = ctypes.c_uint(), ctypes.c_uint()
        if pdfium.FPDFImageObj_GetImagePixelSize(item, wide, high):
            self.found.largest_image = max(self.found.largest_image, wide.value * high.value)

    def _path(self, item: pdfium.FPDF_PAGEOBJECT, matrix: Matrix | None) -> None:
        box = self._bounds(item, matrix)
        wide, high = box.x1 - box.x0, box.y1 - box.y0
        fill, stroked = ctypes.c_int(), ctypes.c_int()
        if not pdfium.FPDFPath_GetDrawMode(item, fill, stroked):
            return
        if min(wide, high) <= _THIN:
            if max(wide, high) >= _SHORT and not self._is_paper(item, stroked=bool(stroked.value and not fill.value)):
                self.found.strokes.append(Stroke(box.x0, box.y0, box.x1, box.y1))
            return
        if fill.value and not self._is_paper(item, stroked=False):
            self.found.backgrounds.append(box)
        if stroked.value:
            self._outline(item, matrix)

    def _is_paper(self, item: pdfium.FPDF_PAGEOBJECT, *, stroked: bool) -> bool:
        red, green, blue, alpha = self._colour
        ask = pdfium.FPDFPageObj_GetStrokeColor if stroked else pdfium.FPDFPageObj_GetFillColor
        if not ask(item, red, green, blue, alpha):
            return False
        return alpha.value == 0 or min(red.value, green.value, blue.value) >= WHITE

    def _outline(self, item: pdfium.FPDF_PAGEOBJECT, matrix: Matrix | None) -> None:
        """The upright edges of a stroked path: boxes and grids are drawn in one go by some producers."""
        count = pdfium.FPDFPath_CountSegments(item)
        if not 2 <= count <= _MAX_SEGMENTS:
            return
        matrix = _times(_matrix(item), matrix)
        x, y = ctypes.c_float(), ctypes.c_float()
        begin = last = (0.0, 0.0)
        for index in range(count):
            segment = pdfium.FPDFPath_GetPathSegment(item, index)
            pdfium.FPDFPathSegment_GetPoint(segment, x, y)
            point = _point(matrix, x.value, y.value)
            kind = pdfium.FPDFPathSegment_GetType(segment)
            if kind == pdfium.FPDF_SEGMENT_MOVETO:
                begin = point
            elif kind == pdfium.FPDF_SEGMENT_LINETO:
                self._edge(last, point)
            if pdfium.FPDFPathSegment_GetClose(segment):
                self._edge(point, begin)
            last = point

    def _edge(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        wide, high = abs(start[0] - end[0]), abs(start[1] - end[1])
        if min(wide, high) <= 1.0 and max(wide, high) >= _SHORT:
            x0, x1 = sorted((start[0], end[0]))
            y0, y1 = sorted((start[1], end[1]))
            self.found.strokes.append(Stroke(x0, y0, x1, y1))


def _matrix(item: pdfium.FPDF_PAGEOBJECT) -> Matrix:
    m = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(item, m):
        return (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    return (m.a, m.b, m.c, m.d, m.e, m.f)


def _times(first: Matrix, then: Matrix | None) -> Matrix:
    if then is None:
        return first
    a, b, c, d, e, f = first
    g, h, i, j, k, m = then
    return (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m)


def _point(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _placed(box: Box, matrix: Matrix | None) -> Box:
    if matrix is None:
        return box
    corners = [_point(matrix, x, y) for x in (box.x0, box.x1) for y in (box.y0, box.y1)]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return Box(min(xs), min(ys), max(xs), max(ys))
