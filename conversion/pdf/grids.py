"""Finds tables among the lines of a flow: by rulings, else by cells that stand under one another.

A table is handed on as rows of cells, each cell a list of segments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from conversion.pdf.lines import divided
from conversion.pdf.markers import DASHES, is_mark
from conversion.pdf.merged_cells import with_merged_cells
from conversion.pdf.rows import cell_widths, cells_of, column_of, merged_row, rows_by_fit
from conversion.pdf.rulings import Frame, frames

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.records import Flow, Line, Segment
    from conversion.pdf.rows import Cell

_MIN_ALIGNED = 3
"""Lines with several cells that make a table without rulings."""
_APART = 2.4
"""Leading, in sizes of type, that ends a table without rulings."""
_FILLED = 0.3
"""Share of cells that hold text in a table; a drawing has fewer."""
_FIGURE = 0.7
"""Share of the cells of a column that begin with a figure below a head."""
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
    """A ruling ends it."""
    boxed: bool = False
    """Rulings part its columns."""


def ruled_grids(flow: Flow) -> list[tuple[int, int, Grid]]:
    """Tables of the flow that rulings show, as (first line, line after the last, table)."""
    found: list[tuple[int, int, Grid]] = []
    for frame, start, end in frames(flow):
        if grid := _ruled(flow, frame, start, end):
            head = _head_above(flow, start, grid) if frame.full_rows and not frame.xs and start else []
            if head:
                grid.rows = [head, *grid.rows]
            found.append((start - 1 if head else start, end, grid))
    return found


def _head_above(flow: Flow, start: int, grid: Grid) -> list[Cell]:
    """The cells of the line above the first ruling, where each column has one: many tables have none at the top."""
    line = flow.lines[start - 1]
    cells = cells_of(line, grid.columns)
    size = max(line.size, flow.lines[start].size)
    is_near = line.base - flow.lines[start].base <= _APART * size
    return cells if is_near and not line.rotated and all(len(cell) == 1 for cell in cells) else []


def grids(flow: Flow, leading: float) -> list[tuple[int, int, Grid]]:
    """Tables of the flow as (first line, line after the last, table), from top to bottom."""
    result = ruled_grids(flow)
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
        if boxed:
            rows = with_merged_cells(rows, frame, columns, flow.strokes)
        header = 1
    else:
        head = sum(line.base > frame.header_y for line in lines) if frame.header_y else 0
        rights = cell_widths(lines, columns, frame.x1)
        above = rows_by_fit(lines[:head], columns, rights)
        rows = [merged_row(above)] if above else []
        rows += rows_by_fit(lines[head:], columns, rights)
        header = 1
    rows = [row for row in rows if any(row)]
    filled = sum(bool(cell) for row in rows for cell in row)
    if len(rows) < 2 or filled < _FILLED * len(rows) * len(columns):
        return None
    return Grid(flow.page, columns, rows, header, closed=frame.closed, boxed=bool(boxed))


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
            rows[index][column_of(segment, columns)].append(segment)
    return rows


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
    if len(line.segments) == 2 and (mark := line.segments[0].text) not in DASHES and is_mark(mark):
        return False
    return len(line.segments) > 1 and not line.rotated


def _grid_of(flow: Flow, start: int, end: int) -> Grid | None:
    lines = flow.lines[start:end]
    rows = [line for line in lines if len(line.segments) > 1]
    if len(rows) < _MIN_ALIGNED:
        return None
    columns = _columns_by_gaps(lines)
    if len(columns) < 2 or not _is_aligned(rows, columns) or all(_is_item(line) for line in rows):
        return None
    lines = [_divided(line, columns) for line in lines]
    made = rows_by_fit(lines, columns, cell_widths(lines, columns, columns[-1][1]))
    if len(made) < 2:
        return None
    bold_head = lines[0].bold and not all(line.bold for line in lines)
    return Grid(flow.page, columns, made, 1 if bold_head or _is_head(made) else 0, closed=False)


def _is_head(rows: Sequence[list[Cell]]) -> bool:
    """Whether the first row names columns of which one holds numbers: words over each, and figures below one."""
    words = [" ".join(segment.text for segment in cell) for cell in rows[0]]
    if not all(words[1:]) or any(character.isdigit() for text in words for character in text):
        return False
    return any(_share_of_figures([row[column] for row in rows[1:]]) >= _FIGURE for column in range(len(words)))


def _share_of_figures(cells: Sequence[Cell]) -> float:
    filled = [cell for cell in cells if cell]
    figures = sum(cell[0].lead[:1].isdigit() or cell[0].lead[1:2].isdigit() for cell in filled)
    return figures / len(filled) if len(filled) > 1 else 0.0


def _is_item(line: Line) -> bool:
    """Whether it is an item of a list whose mark stands far from its text."""
    return len(line.segments) == 2 and is_mark(line.segments[0].text)


def _is_aligned(rows: Sequence[Line], columns: Sequence[tuple[float, float]]) -> bool:
    """Whether the cells of each column share an edge or their middle, and few lines have two in one column."""
    cells: list[list[Segment]] = [[] for _ in columns]
    doubled = 0
    for line in rows:
        held = [column_of(segment, columns) for segment in line.segments]
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
