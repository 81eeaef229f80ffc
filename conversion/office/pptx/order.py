"""Reading order by position: recursive cuts along the widest gap, across or down (XY cut; Nagy and Seth, 1984)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

_T = TypeVar("_T")
_MAX_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Placed(Generic[_T]):
    """Something with its box, in any unit."""

    thing: _T
    left: int
    top: int
    right: int
    bottom: int


def reading_order(shapes: list[Placed[_T]]) -> list[_T]:
    """The things as a reader meets them: columns with wide gutters one by one, rows otherwise, from the top left."""
    return [shape.thing for shape in _ordered(shapes, 0)]


def _ordered(shapes: list[Placed[_T]], depth: int) -> list[Placed[_T]]:
    if len(shapes) < 2 or depth > _MAX_DEPTH:
        return shapes
    down = _widest_gap([(shape.top, shape.bottom) for shape in shapes])
    across = _widest_gap([(shape.left, shape.right) for shape in shapes])
    if down is None and across is None:
        return sorted(shapes, key=lambda shape: (shape.top, shape.left))
    if across is None or (down is not None and down[0] >= across[0]):
        parts = _cut(shapes, [shape.top for shape in shapes], down[1] if down else 0)
    else:
        parts = _cut(shapes, [shape.left for shape in shapes], across[1])
    return [shape for part in parts for shape in _ordered(part, depth + 1)]


def _cut(shapes: list[Placed[_T]], starts: list[int], place: int) -> tuple[list[Placed[_T]], list[Placed[_T]]]:
    pairs = list(zip(shapes, starts, strict=True))
    return [shape for shape, start in pairs if start < place], [shape for shape, start in pairs if start >= place]


def _widest_gap(spans: list[tuple[int, int]]) -> tuple[int, int] | None:
    """Width of the widest gap that no span crosses, and where it ends; None where all overlap."""
    spans = sorted(spans)
    reached, widest = spans[0][1], None
    for start, end in spans[1:]:
        if start >= reached and (widest is None or start - reached > widest[0]):
            widest = start - reached, start
        reached = max(reached, end)
    return widest
