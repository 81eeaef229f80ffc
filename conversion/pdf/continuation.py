"""Tables over a page border: whether one goes on, and rows that the border divides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversion.html.marks import anchor_mark, without_anchors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.grids import Grid
    from conversion.pdf.records import Segment

_SAME_COLUMN = 12.0
"""Points between the left edges of a column on both pages."""


def continues(before: Grid, after: Grid, *, has_same_head: bool) -> bool:
    """Whether the second table is the first one's rest. A box is closed at the end of each page."""
    if len(before.columns) != len(after.columns) or after.page - before.page not in (0, 1):
        return False
    if before.closed and (after.page == before.page or not (has_same_head or _starts_with_data(after))):
        return False
    return all(abs(a[0] - b[0]) <= _SAME_COLUMN for a, b in zip(before.columns, after.columns, strict=True))


def _starts_with_data(grid: Grid) -> bool:
    """Whether the first row is set like the second: no head of its own."""
    first, second = ([s for cell in row for s in cell] for row in grid.rows[:2])
    return [_is_bold(first), first[0].size] == [_is_bold(second), second[0].size]


def _is_bold(segments: Sequence[Segment]) -> bool:
    return all(run.style.bold for segment in segments for run in segment.runs)


def joined_row(last: list[str], first: list[str]) -> bool:
    """Joins the first row of a page to the last of the page before where it is its rest; whether it did.

    A row without a name goes on where all of its cells begin in the middle of a sentence.
    """
    bare = [without_anchors(cell) for cell in first]
    filled = [cell for cell in bare if cell]
    if bare[0] or not last[0] or not filled or not all(cell[0].islower() for cell in filled):
        return False
    mark = first[0]
    for index, cell in enumerate(bare):
        if cell:
            last[index] = f"{last[index]} {mark}{cell}".strip()
            mark = ""
    return True


def mark_page(rows: list[list[str]], page: int) -> None:
    """The first cell of the rows says on which page it stands."""
    if rows and rows[0]:
        rows[0][0] = anchor_mark(page) + rows[0][0]
