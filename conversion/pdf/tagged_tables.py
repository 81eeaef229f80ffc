"""Cells of tagged tables by row and column.

Structure trees of pages lack cells without text, so that the place of a cell in its row does not tell its column: where
its text stands does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Span = tuple[float, float]

_MAX_CELLS = 100_000
"""Of one table, those that spans make included."""
_OVERLAP = 1.0
"""Points by which the text of neighbouring cells may overlap."""


@dataclass(frozen=True, slots=True)
class TaggedCell:
    """A cell with its text and with the place of that on the page."""

    text: str
    x0: float
    x1: float
    rows: int = 1
    columns: int = 1


def columns_of(rows: Sequence[Sequence[TaggedCell]], known: Sequence[Span] = ()) -> list[Span]:
    """The columns that hold text, from the left; ``known`` are those of the page before."""
    spans = sorted([(c.x0, c.x1) for row in rows for c in row if c.text and c.columns == 1] + list(known))
    merged: list[Span] = []
    for x0, x1 in spans:
        if merged and x0 < merged[-1][1] - _OVERLAP:
            merged[-1] = (merged[-1][0], max(merged[-1][1], x1))
        else:
            merged.append((x0, x1))
    return merged


def spread(rows: Sequence[Sequence[TaggedCell]], columns: Sequence[Span]) -> list[list[str]]:
    """Texts by row and column; a cell over several rows stands in each of them, one over several columns once."""
    least = max((sum(cell.columns for cell in row) for row in rows), default=0)
    by_place = len(columns) >= least
    grid: list[dict[int, str]] = [{} for _ in rows]
    left = _MAX_CELLS
    for index, row in enumerate(rows):
        column = 0
        for cell in row:
            if by_place:
                if not cell.text:
                    continue
                column = _first_column(cell, columns, column)
            while column in grid[index]:
                column += 1
            left -= cell.rows * cell.columns
            height, width = (cell.rows, cell.columns) if left > 0 else (1, 1)
            for below in grid[index : index + height]:
                for offset in range(width):
                    below[column + offset] = "" if offset else cell.text
            column += width
    widest = max((column + 1 for row in grid for column in row), default=0)
    return [[row.get(column, "") for column in range(widest)] for row in grid]


def _first_column(cell: TaggedCell, columns: Sequence[Span], free: int) -> int:
    """The first column of the cell, not before ``free``: its text may stand in the middle of several."""
    overlaps = [min(cell.x1, x1) - max(cell.x0, x0) for x0, x1 in columns]
    middle = overlaps.index(max(overlaps))
    return free if free <= middle < free + cell.columns else max(free, middle - cell.columns + 1)
