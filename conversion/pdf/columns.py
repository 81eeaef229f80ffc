"""Reading order: a page as flows, column after column where text runs in columns, else from top to bottom.

After the recursive X-Y cut (Nagy and Seth, 1984), with one addition: columns of prose and columns of a table look alike
from afar, but a file writes prose column after column and tables row after row.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from conversion.pdf.lines import lines
from conversion.pdf.records import Flow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.records import PageText, Segment

_GUTTER = 0.8
"""Least width of the white between columns, in sizes of type."""
_CROSSING = 0.25
"""Share of the text (by height) that may cross a gutter: titles, figures, wide tables."""
_MIN_COLUMN = 0.12
"""Least width of a column, as a share of the text's width."""
_MIN_LINES = 4
_SWITCHES = 0.34
"""Changes from one side of the gutter to the other in the file's order, a line: fewer mean columns, more a table."""
_MAX_DEPTH = 4


def flows(page: PageText, found: Sequence[Segment]) -> list[Flow]:
    """The segments of a page as flows in reading order."""
    result: list[Flow] = []
    for part in _ordered(list(found), 0):
        laid = lines(part, page.number)
        if laid:
            result.append(Flow(page.number, min(s.x0 for s in part), max(s.x1 for s in part), laid, page.strokes))
    return result


def _ordered(found: list[Segment], depth: int) -> list[list[Segment]]:
    if len(found) < 2 * _MIN_LINES or depth >= _MAX_DEPTH:
        return [found] if found else []
    gutters = _gutters(found)
    if not gutters:
        return [found]
    parts: list[list[Segment]] = []
    for is_spanning, band in _bands(found, gutters):
        columns = [] if is_spanning else _columns(band, gutters)
        if len(columns) > 1 and _is_prose(columns):
            for column in columns:
                parts.extend(_ordered(column, depth + 1))
        elif parts and isinstance(parts[-1], _Full):
            parts[-1].extend(band)
        else:
            parts.append(_Full(band))
    return [list(part) for part in parts]


class _Full(list["Segment"]):
    """A part over the full width, to which the next such part is joined."""


def _gutters(found: Sequence[Segment]) -> list[tuple[float, float]]:
    """White stripes (x0, x1) that little text crosses, from left to right."""
    left, right = min(s.x0 for s in found), max(s.x1 for s in found)
    width = right - left
    size = sorted(s.size for s in found)[len(found) // 2]
    edges: list[tuple[float, float]] = []
    for segment in found:
        edges.append((segment.x0, segment.size))
        edges.append((segment.x1, -segment.size))
    edges.sort()
    total = sum(s.size * (s.x1 - s.x0) for s in found) / max(width, 1.0)
    result: list[tuple[float, float]] = []
    load = 0.0
    start: float | None = left
    for x, change in edges:
        was_free = load <= _CROSSING * total
        load += change
        is_free = load <= _CROSSING * total
        if was_free and not is_free and start is not None:
            if x - start >= _GUTTER * size:
                result.append((start, x))
            start = None
        elif is_free and not was_free:
            start = x
    return [(a, b) for a, b in result if a - left >= _MIN_COLUMN * width and right - b >= _MIN_COLUMN * width]


def _bands(found: Sequence[Segment], gutters: Sequence[tuple[float, float]]) -> list[tuple[bool, list[Segment]]]:
    """Runs from top to bottom of segments that cross a gutter, and of those that do not."""
    bands: list[tuple[bool, list[Segment]]] = []
    floor = 0.0
    for segment in sorted(found, key=lambda s: -s.base):
        crosses = any(segment.x0 < a + 1 and segment.x1 > b - 1 for a, b in gutters)
        beside = bool(bands) and bands[-1][0] and segment.base >= floor - 0.3 * segment.size
        if bands and (bands[-1][0] == crosses or beside):
            bands[-1][1].append(segment)
        else:
            bands.append((crosses, [segment]))
        if crosses:
            floor = segment.base
    return bands


def _columns(band: Sequence[Segment], gutters: Sequence[tuple[float, float]]) -> list[list[Segment]]:
    columns: list[list[Segment]] = [[] for _ in range(len(gutters) + 1)]
    for segment in band:
        middle = (segment.x0 + segment.x1) / 2
        columns[sum(middle > (a + b) / 2 for a, b in gutters)].append(segment)
    return [column for column in columns if column]


def _is_prose(columns: Sequence[Sequence[Segment]]) -> bool:
    """Whether the columns are read one after the other."""
    side = [(segment.order, index) for index, column in enumerate(columns) for segment in column]
    side.sort()
    switches = sum(a[1] != b[1] for a, b in pairwise(side))
    rows = min(len({round(segment.base) for segment in column}) for column in columns)
    return rows >= 2 and switches <= max(len(columns) - 1, _SWITCHES * rows)
