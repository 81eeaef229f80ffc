"""Where the tables of a sheet are: blocks of filled cells parted by blank rows and columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conversion.office.xlsx.sheet import Area, Cell

    Rows = dict[int, dict[int, Cell]]

_MAX_DEPTH = 30


@dataclass(slots=True)
class Region:
    """A block of cells: the numbers of its rows and columns, ascending, blank ones left out."""

    rows: list[int]
    columns: list[int]

    @property
    def width(self) -> int:
        """Columns that hold anything."""
        return len(self.columns)


def regions(rows: Rows, declared: list[Area]) -> list[Region]:
    """The blocks in reading order. What the author declared as one table is one, whatever blank rows it has."""
    found: list[Region] = []
    left = rows
    for area in declared:
        inside = _inside(left, area)
        if inside:
            found.append(_region(inside))
            left = _without(left, area)
    found.extend(_parted(left, 0))
    found.sort(key=lambda region: (region.rows[0], region.columns[0]))
    return _continued(found, rows)


def _region(rows: Rows) -> Region:
    return Region(sorted(rows), sorted({column for cells in rows.values() for column in cells}))


def _inside(rows: Rows, area: Area) -> Rows:
    kept = {
        row: {column: cell for column, cell in cells.items() if area.left <= column <= area.right}
        for row, cells in rows.items()
        if area.top <= row <= area.bottom
    }
    return {row: cells for row, cells in kept.items() if cells}


def _without(rows: Rows, area: Area) -> Rows:
    kept = {
        row: cells
        if not area.top <= row <= area.bottom
        else {column: cell for column, cell in cells.items() if not area.left <= column <= area.right}
        for row, cells in rows.items()
    }
    return {row: cells for row, cells in kept.items() if cells}


def _parted(rows: Rows, depth: int) -> Iterator[Region]:
    if not rows:
        return
    bands = _bands(sorted(rows))
    if len(bands) > 1 and depth < _MAX_DEPTH:
        for band in bands:
            yield from _parted({row: rows[row] for row in band}, depth + 1)
        return
    region = _region(rows)
    groups = _bands(region.columns)
    if len(groups) > 1 and depth < _MAX_DEPTH:
        for group in groups:
            first, last = group[0], group[-1]
            part = {
                row: inner
                for row, cells in rows.items()
                if (inner := {column: cell for column, cell in cells.items() if first <= column <= last})
            }
            yield from _parted(part, depth + 1)
        return
    yield region


def _bands(numbers: list[int]) -> list[list[int]]:
    """Runs of consecutive numbers."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _continued(found: list[Region], rows: Rows) -> list[Region]:
    """The blocks, with those joined that go on with the table above: same columns, and no head of their own."""
    joined: list[Region] = []
    for region in found:
        above = joined[-1] if joined else None
        if above is not None and _goes_on(above, region, rows):
            above.rows.extend(region.rows)
        else:
            joined.append(region)
    return joined


def _goes_on(above: Region, region: Region, rows: Rows) -> bool:
    if above.width < 2 or region.columns != above.columns or region.rows[0] <= above.rows[-1]:
        return False
    last, first = rows[above.rows[-1]], rows[region.rows[0]]
    kinds_above = [_kind(last.get(column)) for column in region.columns]
    kinds_here = [_kind(first.get(column)) for column in region.columns]
    is_head = all(cell.bold for column, cell in first.items() if column in region.columns)
    return "number" in kinds_above and kinds_above == kinds_here and not is_head


def _kind(cell: Cell | None) -> str:
    return "" if cell is None else "number" if cell.is_number else "text"
