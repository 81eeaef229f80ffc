"""Cells over several rows or columns of a boxed table: where the ruling between two cells is missing, they are one."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.records import Stroke
    from conversion.pdf.rows import Cell
    from conversion.pdf.rulings import Frame

_NEAR = 3.0
"""Points between a ruling and the place of its row or column."""
_MAX_CHECKS = 2_000_000
"""Cells times rulings: a table with more keeps its cells as they are."""


def with_merged_cells(
    rows: list[list[Cell]], frame: Frame, columns: Sequence[tuple[float, float]], strokes: Sequence[Stroke]
) -> list[list[Cell]]:
    """The rows, one for each band between ``frame.ys``, with merged cells as the HTML tables have them.

    The text of a cell over several rows stands in each of them, wherever in the cell it is set; that of a cell over
    several columns in the first.
    """
    y0, y1 = frame.ys[-1] - _NEAR, frame.ys[0] + _NEAR
    inside = [s for s in strokes if s.y1 >= y0 and s.y0 <= y1 and s.x1 >= frame.x0 - _NEAR and s.x0 <= frame.x1 + _NEAR]
    if len(inside) * len(rows) * len(columns) > _MAX_CHECKS:
        return rows
    across = [s for s in inside if s.horizontal]
    upright = [s for s in inside if not s.horizontal]
    edges = [min((cell[0].x0 for row in rows if (cell := row[i])), default=x0) for i, (x0, _) in enumerate(columns)]
    for row, (top, bottom) in zip(rows, pairwise(frame.ys), strict=True):
        _merge_columns(row, columns, edges, [_runs_at(x1, (top + bottom) / 2, upright) for _, x1 in columns[:-1]])
    for column, (x0, x1) in enumerate(columns):
        middle = (x0 + x1) / 2
        _merge_rows(rows, column, [_lies_at(y, middle, across) for y in frame.ys[1:-1]])
    return rows


def _runs_at(x: float, y: float, upright: Sequence[Stroke]) -> bool:
    return any(abs(s.x0 - x) <= _NEAR and s.y0 - _NEAR <= y <= s.y1 + _NEAR for s in upright)


def _lies_at(y: float, x: float, across: Sequence[Stroke]) -> bool:
    return any(abs(s.y0 - y) <= _NEAR and s.x0 - _NEAR <= x <= s.x1 + _NEAR for s in across)


def _merge_columns(
    row: list[Cell], columns: Sequence[tuple[float, float]], edges: Sequence[float], parted: Sequence[bool]
) -> None:
    """Moves the text of each cell over several columns to the first of them.

    Rows are often set without upright rulings: where each column has text of its own, or the only text starts at the
    edge of its column (``edges``), they are no single cell.
    """
    start = 0
    for end in range(1, len(row) + 1):
        if end < len(row) and not parted[end - 1]:
            continue
        filled = [cell for cell in row[start:end] if cell]
        crossing = any(
            segment.x0 < columns[i][1] - _NEAR and segment.x1 > columns[i][1] + _NEAR
            for cell in filled
            for segment in cell
            for i in range(start, end - 1)
        )
        at_edge = any(abs(row[i][0].x0 - edges[i]) <= _NEAR for i in range(start, end) if row[i])
        if end - start > 1 and filled and (crossing or (len(filled) == 1 and not at_edge)):
            row[start:end] = [[segment for cell in filled for segment in cell], *([] for _ in range(end - start - 1))]
        start = end


def _merge_rows(rows: list[list[Cell]], column: int, parted: Sequence[bool]) -> None:
    start = 0
    for end in range(1, len(rows) + 1):
        if end < len(rows) and not parted[end - 1]:
            continue
        if end - start > 1:
            text = [segment for row in rows[start:end] for segment in row[column]]
            for row in rows[start:end]:
                row[column] = list(text)
        start = end
