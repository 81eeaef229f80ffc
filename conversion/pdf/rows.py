"""Lines of cells to rows of a table.

Wrapped cells are told from new rows by the way in which text is broken: a line goes on where its first word would not
have fitted into the line above.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.records import Line, Segment

Cell = list["Segment"]

_DIGITS = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"[(\[]?[-+−–±~<>≤≥$€£¥]*\s?\d[\d.,'’ ]*(?<!,)\s?(?P<unit>%|‰|[A-Za-z€$£¥°]{1,3})?[)\]]?")
_PLAIN = re.compile(r"[a ]*")
_ALIKE = 0.5
_NEW_ROW_GAP = 1.3
"""A gap between lines of a table of so many times the smallest one starts a row."""
_GUTTER = 2.2
"""In sizes of type: the white between columns of wrapped text is narrower."""
_SPACE = 0.3
"""Width of a space in sizes of type."""


def column_of(segment: Segment, columns: Sequence[tuple[float, float]]) -> int:
    """The column in which most of the segment's beginning lies."""
    best, most = 0, float("-inf")
    for index, (x0, x1) in enumerate(columns):
        overlap = min(segment.x1, x1) - max(segment.x0, x0)
        if overlap > most + 0.01:
            best, most = index, overlap
    start = next((i for i, (x0, x1) in enumerate(columns) if x0 - 1 <= segment.x0 <= x1), best)
    return start if segment.x1 > columns[best][1] + 1 else best


def rows_by_fit(
    lines: Sequence[Line], columns: Sequence[tuple[float, float]], rights: Sequence[float]
) -> list[list[Cell]]:
    """Rows of lines without rulings between them."""
    steps = [a.base - b.base for a, b in pairwise(lines)]
    least = min((s for s in steps if s > 0.5), default=0.0)
    placed = [cells_of(line, columns) for line in lines]
    # Where every line fills every column, nothing is wrapped.
    one_each = all(all(cells) for cells in placed)
    rows: list[list[Cell]] = []
    for index, cells in enumerate(placed):
        if index == 0 or one_each or steps[index - 1] > _NEW_ROW_GAP * least:
            starts = True
        else:
            starts = _starts_row(placed[index - 1], cells, rights, top=placed[0])
        if starts:
            rows.append([list(cell) for cell in cells])
        else:
            for cell, more in zip(rows[-1], cells, strict=True):
                cell.extend(more)
    return rows


def cells_of(line: Line, columns: Sequence[tuple[float, float]]) -> list[Cell]:
    """The segments of a line by column."""
    cells: list[Cell] = [[] for _ in columns]
    for segment in line.segments:
        cells[column_of(segment, columns)].append(segment)
    return cells


def cell_widths(lines: Sequence[Line], columns: Sequence[tuple[float, float]], end: float) -> list[float]:
    """x up to which the text of each column may reach: as far as any does, or near to where the next column starts.

    Cells over several columns say nothing about it. The table ends at ``end``.
    """
    size = max((line.size for line in lines), default=10.0)
    rights = [x0 - _GUTTER * size for x0, _ in columns[1:]] + [end - size]
    for line in lines:
        for segment in line.segments:
            index = column_of(segment, columns)
            if index + 1 == len(columns) or segment.x1 < columns[index + 1][0]:
                rights[index] = max(rights[index], segment.x1)
    return rights


def _starts_row(above: list[Cell], cells: list[Cell], rights: Sequence[float], top: list[Cell]) -> bool:
    """Whether a line of cells starts a row, seen from the line above it and the first line of the table."""
    filled = [index for index, cell in enumerate(cells) if cell]
    if any((unit := _unit(above[index])) is not None and unit == _unit(cells[index]) for index in filled):
        return True
    if any(not above[index] for index in filled):
        # Cells are set from the top of their row down: what begins lower than its neighbours begins a row.
        return bool(cells[0]) or not top[0]
    fits = [above[i][-1].x1 + _SPACE * cells[i][0].size + cells[i][0].lead_width <= rights[i] + 0.5 for i in filled]
    if not cells[0]:
        return len(filled) > 1 and any(fits)
    return any(fits) or _begins_like(cells, top)


def _unit(cell: Cell) -> str | None:
    """What the cell counts, where it holds one number and no more: numbers of one kind are divided by no line end."""
    found = _NUMBER.fullmatch(cell[0].text) if len(cell) == 1 else None
    return found.group("unit") or "" if found else None


def _begins_like(cells: list[Cell], top: list[Cell]) -> bool:
    """Whether a line looks like the first line of the table where that has a pattern: "8.25% -" is like "7.99% -"."""
    telling = alike = 0
    for cell, first in zip(cells, top, strict=True):
        a, b = _shape(cell), _shape(first)
        if b and (not _PLAIN.fullmatch(b) or (a and cell[0].lead == first[0].lead)):
            telling += 1
            alike += a == b or (bool(cell) and cell[0].lead == first[0].lead)
    return telling > 0 and alike >= _ALIKE * telling


def _shape(cell: Cell) -> str:
    """The pattern of the text: 0 for a number, a for a word, signs as they are."""
    text = _DIGITS.sub("0", " ".join(segment.text for segment in cell))
    return _LETTERS.sub("a", text)


def merged_row(rows: Sequence[list[Cell]]) -> list[Cell]:
    """The rows as one: the lines of a table's head."""
    merged: list[Cell] = [list(cell) for cell in rows[0]]
    for row in rows[1:]:
        for cell, more in zip(merged, row, strict=True):
            cell.extend(more)
    return merged
