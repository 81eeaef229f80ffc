"""Pictures of pages by pdfium, bounded in pixels before anything is drawn."""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING

import numpy as np
import pypdfium2.raw as pdfium

from conversion.pdf.shapes import shapes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conversion.pdf.records import PdfOptions

DPI = 200
MAX_SIDE = 1_568
"""Pixels; what multimodal models read without scaling it down themselves."""
_POINTS = 72.0


class PageNotDrawn(Exception):
    """The page cannot be drawn; the message says why."""


def draw(
    document: pdfium.FPDF_DOCUMENT,
    index: int,
    options: PdfOptions,
    *,
    dpi: int = DPI,
    max_side: int = MAX_SIDE,
    grey: bool = False,
    turn: float = 0.0,
) -> NDArray[np.uint8]:
    """The page (0-based) at ``dpi``, or less where a side would pass ``max_side`` pixels, on white.

    Shape (height, width, 3), or (height, width) where ``grey``; ``turn`` turns the content counter-clockwise around
    the middle, in degrees. Raises ``PageNotDrawn``.
    """
    page = pdfium.FPDF_LoadPage(document, index)
    if not page:
        raise PageNotDrawn(f"page {index + 1} cannot be read: its content is damaged")
    try:
        pixels = shapes(page, options.max_page_shapes).largest_image
        if pixels > options.max_image_pixels:
            raise PageNotDrawn(
                f"page {index + 1} holds an image of {pixels:,} pixels, more than {options.max_image_pixels:,}"
            )
        wide, high = pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)
        if not (0 < wide < math.inf and 0 < high < math.inf):
            raise PageNotDrawn(f"page {index + 1} has no size")
        scale = min(dpi / _POINTS, max_side / wide, max_side / high)
        return _drawn(page, scale, round(wide * scale) or 1, round(high * scale) or 1, grey=grey, turn=turn)
    finally:
        pdfium.FPDF_ClosePage(page)


def _drawn(
    page: pdfium.FPDF_PAGE, scale: float, width: int, height: int, *, grey: bool, turn: float
) -> NDArray[np.uint8]:
    channels = 1 if grey else 3
    pixels = np.full((height, width * channels), 255, np.uint8)
    kind = pdfium.FPDFBitmap_Gray if grey else pdfium.FPDFBitmap_BGR
    buffer = pixels.ctypes.data_as(ctypes.c_void_p)
    bitmap = pdfium.FPDFBitmap_CreateEx(width, height, kind, buffer, width * channels)
    if not bitmap:
        raise PageNotDrawn(f"no memory for a picture of {width} x {height} pixels")
    try:
        flags = pdfium.FPDF_ANNOT | (pdfium.FPDF_GRAYSCALE if grey else pdfium.FPDF_REVERSE_BYTE_ORDER)
        if turn:
            pdfium.FPDF_RenderPageBitmapWithMatrix(
                bitmap, page, _turning(scale, width, height, turn), pdfium.FS_RECTF(0, 0, width, height), flags
            )
        else:
            pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
    return pixels if grey else pixels.reshape(height, width, channels)


def _turning(scale: float, width: int, height: int, degrees: float) -> pdfium.FS_MATRIX:
    """Scaling, then turning around the middle; y of pictures grows downwards."""
    sine, cosine = math.sin(math.radians(-degrees)), math.cos(math.radians(-degrees))
    x, y = width / 2, height / 2
    return pdfium.FS_MATRIX(
        scale * cosine,
        scale * sine,
        -scale * sine,
        scale * cosine,
        x - cosine * x + sine * y,
        y - sine * x - cosine * y,
    )
