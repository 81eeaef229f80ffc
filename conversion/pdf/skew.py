"""By how much a scanned page is turned, from the rows that its dark pixels make (projection profile)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAX_DEGREES = 6.0
_COARSE, _FINE = 0.5, 0.1
_LEAST = 0.15
"""Degrees that are not worth turning the page for."""
_DARK = 128
_MAX_POINTS = 60_000


def skew(pixels: NDArray[np.uint8]) -> float:
    """Degrees by which to turn the picture counter-clockwise so that its lines are level; 0 where they are.

    ``pixels`` is grey, shape (height, width), text darker than paper.
    """
    ys, xs = np.nonzero(pixels < _DARK)
    if len(ys) < 200:
        return 0.0
    if len(ys) > _MAX_POINTS:
        step = len(ys) // _MAX_POINTS + 1
        ys, xs = ys[::step], xs[::step]
    x, y = xs.astype(np.float32), ys.astype(np.float32)

    def sharpness(degrees: float) -> float:
        rows = np.round(y - x * np.tan(np.radians(degrees))).astype(np.int64)
        counts = np.bincount(rows - rows.min())
        return float(np.square(counts.astype(np.float64)).sum())

    coarse = max(np.arange(-_MAX_DEGREES, _MAX_DEGREES + _COARSE, _COARSE), key=sharpness)
    best = max(np.arange(coarse - _COARSE, coarse + _COARSE + _FINE, _FINE), key=sharpness)
    return float(best) if abs(best) >= _LEAST and sharpness(float(best)) > 1.02 * sharpness(0.0) else 0.0
