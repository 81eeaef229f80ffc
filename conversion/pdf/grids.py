"""Finds tables among the lines of a flow: by rulings, else by cells that stand under one another.

A table is handed on as rows of cells, each cell a list of segments. Wrapped cells are told from new rows by the way in
which text is broken: a line goes on where its first word would not have fitted into the line above.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from conversion.pdf.lines import divided
from conversion.pdf.rulings import Frame, frames

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.records import Flow, Line, Segment

Cell = list["Segment"]

_DIGITS = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]+")
_PLAIN = re.compile(r"[a ]*")
_ALIKE = 0.5

_NEW_ROW_GAP = 1.3
"""A gap between lines of a table of so many times the smallest one starts a row."""
_MIN_ALIGNED = 3
"""Lines with several cells that make a table without rulings."""
_APART = 2.4
"""Leading, in sizes of type, that ends a table without rulings."""
_GUTTER = 2.2
"""In sizes of type: the white between columns of wrapped text is narrower."""
_FILLED = 0.3
"""Share of cells that hold text in a table; a drawing has fewer."""
_SPACE = 0.3
"""Width of a space in sizes of type."""
_SAME_EDGE = 0.4
"""In sizes of type: cells that start so near to one another are aligned."""


@dataclass(slots=True)
class Grid:
    """A table as it stands on one page."""

    page: int
    columns: list[tuple[float, float]]
    """x of the text of each column: (leftmost, rightmost)."""
    rows: list[list[Cell]]
    header: int
    """Rows that name the columns: 0 or more, from the top."""
    closed: bool
    """A ruling ends it, so that nothing on the next page belongs to it."""


def grids(flow: Flow, leading: float) -> list[tuple[int, int, Grid]]:
    """Tables of the flow as (first line, line after the last, table), from top to bottom."""
    found = [(start, end, _ruled(flow, frame, start, end)) for frame, start, end in frames(flow)]
    result = [(start, end, grid) for start, end, grid in found if grid]
    taken = {index for start, end, _ in result for index in range(start, end)}
    result += _aligned(flow, taken, leading)
    result.sort(key=lambda item: item[0])
    return result


# ---------------------------------------------------------------- ruled


def _ruled(flow: Flow, frame: Frame, start: int, end: int) -> Grid | None:
    boxed = list(pairwise(frame.xs))
    columns = boxed or _columns_by_gaps(flow.lines[start:end])
    if len(columns) < 2:
        return None
    lines = [_divided(line, columns, boxed=bool(boxed)) for line in flow.lines[start:end]]
    if frame.full_rows:
        rows = _rows_by_strokes(frame, lines, columns)
        header = 1
    else:
        head = sum(line.base > frame.header_y for line in lines) if frame.header_y else 0
        rights = _cell_widths(lines, columns, frame.x1)
        above = _rows_by_fit(lines[:head], columns, rights)
        rows = [_merged(above)] if above else []
        rows += _rows_by_fit(lines[head:], columns, rights)
        header = 1
    rows = [row for row in rows if any(row)]
    filled = sum(bool(cell) for row in rows for cell in row)
    if len(rows) < 2 or filled < _FILLED * len(rows) * len(columns):
        return None
    return Grid(flow.page, columns, rows, header, closed=frame.closed)


def _divided(line: Line, columns: Sequence[tuple[float, float]], *, boxed: bool = False) -> Line:
    """The line with segments cut where a word starts a column that the segment reaches into.

    ``boxed`` says that rulings part the columns, so that words start somewhere after them.
    """
    lefts = [x0 for x0, _ in columns[1:]]
    if all(segment.x1 < left or segment.x0 > left - 1 for segment in line.segments for left in lefts):
        return line
    return replace(line, segments=[part for segment in line.segments for part in divided(segment, lefts, after=boxed)])


def _columns_by_gaps(lines: Sequence[Line]) -> list[tuple[float, float]]:
    """Columns as the white stripes between cells show them; cells over several columns do not close a stripe."""
    rows = [line for line in lines if len(line.segments) > 1]
    if not rows:
        return []
    spans = sorted((s.x0, s.x1) for line in rows for s in line.segments)
    merged = _merged_intervals(spans)
    most = max(len(line.segments) for line in rows)
    if len(merged) < most:
        # Something spans: leave out the segments of lines with fewer cells than most lines have.
        spans = sorted((s.x0, s.x1) for line in rows if len(line.segments) == most for s in line.segments)
        fewer = _merged_intervals(spans)
        merged = fewer if len(fewer) > len(merged) else merged
    return merged


def _merged_intervals(spans: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for x0, x1 in spans:
        if merged and x0 < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], x1))
        else:
            merged.append((x0, x1))
    return merged


def _rows_by_strokes(frame: Frame, lines: Sequence[Line], columns: Sequence[tuple[float, float]]) -> list[list[Cell]]:
    rows: list[list[Cell]] = [[[] for _ in columns] for _ in range(len(frame.ys) - 1)]
    for line in lines:
        middle = line.base + 0.25 * line.size
        index = sum(middle < y for y in frame.ys[1:-1])
        for segment in line.segments:
            rows[index][_column(segment, columns)].append(segment)
    return rows


def _column(segment: Segment, columns: Sequence[tuple[float, float]]) -> int:
    """The column in which most of the segment's beginning lies."""
    best, most = 0, float("-inf")
    for index, (x0, x1) in enumerate(columns):
        overlap = min(segment.x1, x1) - max(segment.x0, x0)
        if overlap > most + 0.01:
            best, most = index, overlap
    start = next((i for i, (x0, x1) in enumerate(columns) if x0 - 1 <= segment.x0 <= x1), best)
    return start if segment.x1 > columns[best][1] + 1 else best


def _rows_by_fit(
    lines: Sequence[Line], columns: Sequence[tuple[float, float]], rights: Sequence[float]
) -> list[list[Cell]]:
    """Rows of lines without rulings between them."""
    steps = [a.base - b.base for a, b in pairwise(lines)]
    least = min((s for s in steps if s > 0.5), default=0.0)
    placed = [_cells(line, columns) for line in lines]
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


def _cells(line: Line, columns: Sequence[tuple[float, float]]) -> list[Cell]:
    cells: list[Cell] = [[] for _ in columns]
    for segment in line.segments:
        cells[_column(segment, columns)].append(segment)
    return cells


def _cell_widths(lines: Sequence[Line], columns: Sequence[tuple[float, float]], end: float) -> list[float]:
    """x up to which the text of each column may reach: as far as any does, or near to where the next column starts.

    Cells over several columns say nothing about it. The table ends at ``end``.
    """
    size = max((line.size for line in lines), default=10.0)
    rights = [x0 - _GUTTER * size for x0, _ in columns[1:]] + [end - size]
    for line in lines:
        for segment in line.segments:
            index = _column(segment, columns)
            if index + 1 == len(columns) or segment.x1 < columns[index + 1][0]:
                rights[index] = max(rights[index], segment.x1)
    return rights


def _starts_row(above: list[Cell], cells: list[Cell], rights: Sequence[float], top: list[Cell]) -> bool:
    """Whether a line of cells starts a row, seen from the line above it and the first line of the table."""
    filled = [index for index, cell in enumerate(cells) if cell]
    if any(not above[index] for index in filled):
        # Cells are set from the top of their row down: what begins lower than its neighbours begins a row.
        return bool(cells[0]) or not top[0]
    fits = [above[i][-1].x1 + _SPACE * cells[i][0].size + cells[i][0].lead_width <= rights[i] + 0.5 for i in filled]
    if not cells[0]:
        return len(filled) > 1 and any(fits)
    return any(fits) or _begins_like(cells, top)


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


def _merged(rows: Sequence[list[Cell]]) -> list[Cell]:
    merged: list[Cell] = [list(cell) for cell in rows[0]]
    for row in rows[1:]:
        for cell, more in zip(merged, row, strict=True):
            cell.extend(more)
    return merged


# ---------------------------------------------------------------- aligned


def _aligned(flow: Flow, taken: set[int], leading: float) -> list[tuple[int, int, Grid]]:
    found: list[tuple[int, int, Grid]] = []
    index = 0
    while index < len(flow.lines):
        end = _run(flow.lines, index, taken, leading)
        grid = _grid_of(flow, index, end) if end > index else None
        if grid:
            found.append((index, end, grid))
            index = end
        else:
            index += 1
    return found


def _run(lines: Sequence[Line], start: int, taken: set[int], leading: float) -> int:
    """The line after the last that may belong to a table beginning at ``start``."""
    if not _may_be_row(lines[start]) or start in taken:
        return start
    lefts = {round(s.x0) for s in lines[start].segments}
    end = last_row = start + 1
    while end < len(lines) and end not in taken:
        line, above = lines[end], lines[end - 1]
        if above.base - line.base > _APART * max(line.size, leading / 1.2):
            break
        inner = abs(line.x0 - min(lefts)) > 2
        if _may_be_row(line):
            lefts.update(round(s.x0) for s in line.segments)
            last_row = end + 1
        elif (
            len(line.segments) > 1
            or line.bold != above.bold
            or not any(abs(line.x0 - left) <= 2 for left in lefts)
            or (not inner and line.x1 > max(lefts))
        ):
            break
        elif inner:
            last_row = end + 1
        end += 1
    return last_row


def _may_be_row(line: Line) -> bool:
    return len(line.segments) > 1 and not line.rotated


def _grid_of(flow: Flow, start: int, end: int) -> Grid | None:
    lines = flow.lines[start:end]
    rows = [line for line in lines if len(line.segments) > 1]
    if len(rows) < _MIN_ALIGNED:
        return None
    columns = _columns_by_gaps(lines)
    if len(columns) < 2 or not _is_aligned(rows, columns):
        return None
    lines = [_divided(line, columns) for line in lines]
    made = _rows_by_fit(lines, columns, _cell_widths(lines, columns, columns[-1][1]))
    if len(made) < 2:
        return None
    bold_head = lines[0].bold and not all(line.bold for line in lines)
    return Grid(flow.page, columns, made, 1 if bold_head else 0, closed=False)


def _is_aligned(rows: Sequence[Line], columns: Sequence[tuple[float, float]]) -> bool:
    """Whether the cells of each column share an edge or their middle, and few lines have two in one column."""
    cells: list[list[Segment]] = [[] for _ in columns]
    doubled = 0
    for line in rows:
        held = [_column(segment, columns) for segment in line.segments]
        doubled += len(held) != len(set(held))
        for index, segment in zip(held, line.segments, strict=True):
            cells[index].append(segment)
    if doubled > 0.2 * len(rows):
        return False
    return all(_share_edge(column) for column in cells if len(column) > 1)


def _share_edge(column: Sequence[Segment]) -> bool:
    size = column[0].size
    for edges in (
        [s.x0 for s in column],
        [s.x1 for s in column],
        [(s.x0 + s.x1) / 2 for s in column],
    ):
        most = max(sum(abs(edge - other) <= _SAME_EDGE * size for edge in edges) for other in edges[:20])
        if most >= 0.7 * len(column):
            return True
    return False
