"""Rulings of a page gathered into frames of tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversion.pdf.records import Stroke

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.records import Flow, Segment

_TOUCH = 3.0
"""Points between strokes that are one ruling, and between rulings that end at the same place."""
_MAX_STROKES = 4_000
_COVERED = 0.5
"""Share of a table's width that a ruling between rows covers at least."""
_MAX_CROSSING = 400
_OVERFULL = 20.0
"""Points by which text may stick out of its cell."""
_MIN_WIDTH = 30.0
_MIN_COLUMN = 8.0
_OPEN_ROW = 6.0
"""Points: a row without a ruling at its end is higher than this."""
_HEAD_LINES = 4
"""Lines that a table's head has at most."""
_APART = 2.4
"""Leading, in sizes of type, that ends a body without a ruling."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The rulings of one table."""

    x0: float
    x1: float
    ys: tuple[float, ...]
    """Horizontal rulings over most of the width, from the top down."""
    xs: tuple[float, ...]
    """Vertical rulings, from the left; empty where columns are parted by white only."""
    header_y: float
    """The ruling under the head; 0 where none is known."""
    full_rows: bool
    """Every row has a ruling under it."""
    closed: bool
    """The last ruling ends the table."""


def frames(flow: Flow) -> list[tuple[Frame, int, int]]:
    """Frames with the lines they hold: (frame, first line, line after the last)."""
    strokes = flow.strokes
    if not strokes or len(strokes) > _MAX_STROKES:
        return []
    rules = [s for s in joined([s for s in strokes if s.horizontal]) if s.x1 - s.x0 >= _MIN_WIDTH]
    uprights = [_turned(s) for s in joined([_turned(s) for s in strokes if not s.horizontal])]
    found: list[tuple[Frame, int, int]] = []
    used: set[int] = set()
    for group in _crossing(rules, uprights):
        if grid := _grid_frame(flow, group):
            found.append(grid)
            used.update(id(stroke) for stroke in group)
    free = sorted((s for s in rules if id(s) not in used), key=lambda s: -s.y0)
    taken: set[int] = set()
    tabular = (_tabular(flow, free, index, taken) for index in range(len(free)) if index not in taken)
    found.extend(_rule_frame(flow, rows) for rows in tabular if rows)
    return [item for item in found if item[2] > item[1]]


def _turned(stroke: Stroke) -> Stroke:
    return Stroke(stroke.y0, stroke.x0, stroke.y1, stroke.x1)


def _crossing(rules: Sequence[Stroke], uprights: Sequence[Stroke]) -> list[list[Stroke]]:
    """Groups of rulings that touch one another."""
    group_of = {id(stroke): [stroke] for stroke in (*rules, *uprights)}
    for rule in rules[:_MAX_CROSSING]:
        for upright in uprights[:_MAX_CROSSING]:
            touches = (
                rule.x0 - _TOUCH <= upright.x0 <= rule.x1 + _TOUCH
                and upright.y0 - _TOUCH <= rule.y0 <= upright.y1 + _TOUCH
            )
            a, b = group_of[id(rule)], group_of[id(upright)]
            if touches and a is not b:
                a.extend(b)
                for stroke in b:
                    group_of[id(stroke)] = a
    return list({id(group): group for group in group_of.values() if len(group) > 4}.values())


def _grid_frame(flow: Flow, group: Sequence[Stroke]) -> tuple[Frame, int, int] | None:
    """The frame of a table whose cells are boxed in; None where the rulings box in less than two columns."""
    x0, x1 = min(s.x0 for s in group), max(s.x1 for s in group)
    y0, y1 = min(s.y0 for s in group), max(s.y1 for s in group)
    long = [s for s in group if s.horizontal and s.x1 - s.x0 >= _COVERED * (x1 - x0)]
    xs = _places([s.x0 for s in group if not s.horizontal])
    ys = _places([s.y0 for s in long])[::-1]
    held = [i for i, line in enumerate(flow.lines) if y0 < line.base + 0.3 * line.size < y1]
    xs = _with_sides(xs, x0, x1, [segment for i in held for segment in flow.lines[i].segments])
    if len(xs) < 3 or len(ys) < 2 or not held:
        return None
    # No ruling closes a row that goes on on the next page, nor opens its rest there.
    middles = [flow.lines[i].base + 0.3 * flow.lines[i].size for i in held]
    ys = [y1, *ys] if y1 - ys[0] > _OPEN_ROW and max(middles) > ys[0] else ys
    ys = [*ys, y0] if ys[-1] - y0 > _OPEN_ROW and min(middles) < ys[-1] else ys
    if any(flow.lines[i].x0 < x0 - 6 or flow.lines[i].x1 > x1 + 6 + _OVERFULL for i in held):
        return None
    full = len(ys) > 2
    return Frame(x0, x1, tuple(ys), tuple(xs), 0.0, full_rows=full, closed=True), held[0], held[-1] + 1


def _with_sides(xs: list[float], x0: float, x1: float, held: Sequence[Segment]) -> list[float]:
    """The upright rulings, with the ends of the others where text stands outside: many tables have open sides."""
    if xs and xs[0] - x0 >= _MIN_COLUMN and any(segment.x1 <= xs[0] + _TOUCH for segment in held):
        xs = [x0, *xs]
    if xs and x1 - xs[-1] >= _MIN_COLUMN and any(segment.x0 >= xs[-1] - _TOUCH for segment in held):
        xs = [*xs, x1]
    return xs


def joined(strokes: Sequence[Stroke]) -> list[Stroke]:
    """Strokes on one height that touch, as one: cells often draw their own edges."""
    rows: list[Stroke] = []
    for stroke in sorted(strokes, key=lambda s: (round(s.y0 / 2), s.x0)):
        last = rows[-1] if rows else None
        if last and abs(last.y0 - stroke.y0) <= 2 and stroke.x0 <= last.x1 + _TOUCH:
            rows[-1] = Stroke(last.x0, min(last.y0, stroke.y0), max(last.x1, stroke.x1), max(last.y1, stroke.y1))
        else:
            rows.append(stroke)
    return rows


def _tabular(flow: Flow, rules: Sequence[Stroke], start: int, used: set[int]) -> list[Stroke]:
    """The rulings of the same extent from ``start`` down, as long as what stands between two of them is cells."""
    first = rules[start]
    group = [first]
    for index in range(start + 1, len(rules)):
        rule = rules[index]
        if abs(rule.x0 - first.x0) > _TOUCH or abs(rule.x1 - first.x1) > _TOUCH:
            continue
        if group[-1].y0 - rule.y1 < 2:
            used.add(index)
            continue
        if not _holds_cells(flow, group[-1], rule):
            break
        group.append(rule)
        used.add(index)
    used.add(start)
    return group if len(group) > 1 else []


def _holds_cells(flow: Flow, upper: Stroke, lower: Stroke) -> bool:
    inside = [line for line in flow.lines if lower.y0 < line.base + 0.3 * line.size < upper.y1]
    if not inside:
        return False
    if any(line.x0 < upper.x0 - 6 or line.x1 > upper.x1 + 6 for line in inside):
        return False
    return any(len(line.segments) > 1 for line in inside)


def _rule_frame(flow: Flow, group: Sequence[Stroke]) -> tuple[Frame, int, int]:
    """The frame of a table that has rulings between some of its rows only."""
    x0, x1 = group[0].x0, group[0].x1
    top, bottom = group[0].y1, group[-1].y0
    indices = [i for i, line in enumerate(flow.lines) if bottom < line.base + 0.3 * line.size < top]
    ys = tuple((s.y0 + s.y1) / 2 for s in group)
    closed = True
    end = indices[-1] + 1 if indices else 0
    if len(group) == 2 and len(indices) <= _HEAD_LINES:
        # A head between two rulings: the body follows below, up to the next ruling or the end of its cells.
        body = _body_end(flow, end, x0, x1)
        closed = not any(len(line.segments) > 1 for line in flow.lines[end:body])
        end = end if closed else body
    full = len(group) > 3
    header_y = 0.0 if full or (closed and len(group) == 2) else ys[1]
    frame = Frame(x0, x1, ys, (), header_y, full_rows=full, closed=closed)
    return frame, indices[0] if indices else 0, end


def _body_end(flow: Flow, start: int, x0: float, x1: float) -> int:
    """The line after the last of a body that no ruling ends: it ends where a line fills the whole width."""
    end = start
    for index in range(start, len(flow.lines)):
        line = flow.lines[index]
        if line.x0 < x0 - 6 or line.x1 > x1 + 6:
            break
        if index and flow.lines[index - 1].base - line.base > _APART * line.size:
            break
        end = index + 1
    return end


def _places(values: Sequence[float]) -> list[float]:
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > _TOUCH:
            places.append(value)
    return places
