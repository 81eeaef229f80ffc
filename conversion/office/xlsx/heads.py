"""Which rows of a block name its columns, and which lines stand above and below the table."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conversion.office.xlsx.regions import Region
    from conversion.office.xlsx.sheet import Cell, Sheet

_LONGEST_NAME = 60
_YEAR = re.compile(r"(?:19|20)\d\d")
_ENOUGH = 0.8
"""Share of a head's columns that have a name."""


@dataclass(slots=True)
class SheetTable:
    """A block, taken apart."""

    above: list[Cell] = field(default_factory=list)
    """Lines over the table, e.g. its title."""
    head: list[str] = field(default_factory=list)
    """Names of the columns, empty where they have none."""
    rows: list[list[Cell | None]] = field(default_factory=list)
    below: list[Cell] = field(default_factory=list)
    """Lines under the table, e.g. its source."""


def taken_apart(region: Region, sheet: Sheet) -> SheetTable:
    """The table of a block with its head and the lines around it."""
    grid = [[sheet.rows[row].get(column) for column in region.columns] for row in region.rows]
    table = SheetTable()
    declared = next((i for i, row in enumerate(region.rows) if _is_declared(region, row, sheet)), None)
    first, last = 0, len(grid)
    if region.width > 1:
        while first < last - 1 and _is_line(grid[first]) and (declared is None or first < declared):
            table.above.append(_only(grid[first]))
            first += 1
        while last > first + 2 and _is_line(grid[last - 1]) and _reads_as_note(_only(grid[last - 1])):
            last -= 1
            table.below.insert(0, _only(grid[last]))
    count = _head_rows(region, grid[first:last], region.rows[first:last], sheet)
    if declared is not None and declared >= first:
        count = declared - first + 1
    heads, table.rows = grid[first : first + count], grid[first + count : last]
    if count:
        table.head = _names(heads, region, region.rows[first : first + count], sheet)
    return table


def _is_declared(region: Region, row: int, sheet: Sheet) -> bool:
    return any(
        area.top == row and area.left <= region.columns[-1] and area.right >= region.columns[0] for area in sheet.heads
    )


def _filled(row: list[Cell | None]) -> list[Cell]:
    return [cell for cell in row if cell is not None]


def _is_line(row: list[Cell | None]) -> bool:
    return len(_filled(row)) == 1 and row[0] is not None and not row[0].is_number


def _only(row: list[Cell | None]) -> Cell:
    return _filled(row)[0]


def _reads_as_note(cell: Cell) -> bool:
    return len(cell.text) > _LONGEST_NAME or cell.text.endswith((".", ":")) or ":" in cell.text or cell.text[0] in "*†("


def _head_rows(region: Region, grid: list[list[Cell | None]], rows: list[int], sheet: Sheet) -> int:
    """How many leading rows name the columns: one, two under a merged head, or none."""
    if len(grid) < 2 or region.width < 1:
        return 0
    spanning = _has_span(rows[0], region, sheet)
    if (
        spanning
        and len(grid) > 2
        and _could_name(grid[1], 0.5, unique=False)
        and all(not c.is_number for c in _filled(grid[0]))
    ):
        return 2
    frozen = rows[0] <= sheet.frozen_rows < rows[-1]
    if not _could_name(grid[0], 0.5 if frozen else _ENOUGH):
        return 0
    if frozen:
        return max(sum(row <= sheet.frozen_rows for row in rows[:2]), 1)
    first = _filled(grid[0])
    below = grid[1:]
    if all(cell.bold for cell in first) and not all(cell.bold for row in below for cell in _filled(row)):
        return 1
    if any(_is_column_of_numbers(below, index) for index, cell in enumerate(grid[0]) if cell and not cell.is_number):
        # One label beside one number is a row like the others.
        return int(region.width > 2 or all(not cell.is_number for cell in first))
    return int(region.width > 2 and len(grid) > 2)


def _has_span(row: int, region: Region, sheet: Sheet) -> bool:
    return any(
        area.top == row and area.right > area.left and region.columns[0] <= area.left <= region.columns[-1]
        for area in sheet.merged
    )


def _could_name(row: list[Cell | None], enough: float, *, unique: bool = True) -> bool:
    cells = _filled(row)
    texts = [cell.text for cell in cells]
    return (
        len(cells) >= enough * len(row)
        and (not unique or len(set(texts)) == len(texts))
        and all(len(text) <= _LONGEST_NAME for text in texts)
        and all(not cell.is_number or _YEAR.fullmatch(cell.text) for cell in cells)
        and any(not cell.is_number for cell in cells)
    )


def _is_column_of_numbers(rows: list[list[Cell | None]], index: int) -> bool:
    cells = [row[index] for row in rows]
    filled = [cell for cell in cells if cell is not None]
    return bool(filled) and sum(cell.is_number for cell in filled) * 2 > len(filled)


def _names(heads: list[list[Cell | None]], region: Region, rows: list[int], sheet: Sheet) -> list[str]:
    """A name for each column; names that span columns stand before those below them."""
    names = [""] * region.width
    for head, row in zip(heads, rows, strict=True):
        for index, column in enumerate(region.columns):
            cell = head[index] or _spanning(row, column, sheet)
            if cell is not None and cell.text not in names[index].split(" "):
                names[index] = f"{names[index]} {cell.text}".strip()
    return names


def _spanning(row: int, column: int, sheet: Sheet) -> Cell | None:
    for area in sheet.merged:
        if area.top <= row <= area.bottom and area.left <= column <= area.right:
            return sheet.rows.get(area.top, {}).get(area.left)
    return None
