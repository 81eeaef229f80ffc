"""Reading order: a page as flows in reading order, column after column where text runs in columns.

Like the recursive X-Y cut (Nagy and Seth, 1984), but cutting where a white stripe between columns is longest, since
titles, figures and wide tables stand over columns of the same page. Columns of prose and columns of a table look alike
from afar; a file, however, writes prose column after column and tables row after row.
"""

from __future__ import annotations

import math
from bisect import bisect
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from conversion.pdf.lines import lines, segments
from conversion.pdf.markers import is_bullet
from conversion.pdf.records import Flow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.records import PageText, Segment

_MIN_LINES = 4
"""Lines on each side of a gutter."""
_MIN_STARTS = 3
"""Lines that start at one place in a column; others are indented or centred."""
_MIN_ITEMS = 2
"""Of lists side by side."""
_SWITCHES = 0.34
"""Changes from one side of the gutter to the other in the file's order, a line: fewer mean columns, more a table."""
_SLACK = 12.0
"""Points by which rulings reach into the gutter."""
_MAX_DEPTH = 12
_MAX_CANDIDATES = 24


@dataclass(frozen=True, slots=True)
class _Stripe:
    """A white stripe: from row ``start`` to before row ``end`` nothing crosses ``x``."""

    x: float
    start: int
    end: int
    weight: float


Row = list["Segment"]


def flows(page: PageText, found: Sequence[Segment]) -> list[Flow]:
    """The segments of a page as flows in reading order."""
    result: list[Flow] = []
    for part, left, right in _ordered(_rows(found), -math.inf, math.inf, 0):
        held = [segment for row in part for segment in row]
        laid = lines(held, page.number)
        if laid:
            x0, x1 = min(s.x0 for s in held), max(s.x1 for s in held)
            strokes = [s for s in page.strokes if s.x0 >= left - _SLACK and s.x1 <= right + _SLACK]
            result.append(Flow(page.number, x0, x1, laid, strokes))
    return result


def aside(page: PageText) -> list[Flow]:
    """Text in other directions than the page's, after its text: a flow for each direction."""
    result: list[Flow] = []
    for angle in sorted({word.style.angle for word in page.aside}):
        found = segments([word for word in page.aside if word.style.angle == angle])
        laid = lines(found, page.number)
        for line in laid:
            line.rotated = True
        result.append(Flow(page.number, min(s.x0 for s in found), max(s.x1 for s in found), laid, ()))
    return result


def _rows(found: Sequence[Segment]) -> list[Row]:
    """Segments by baseline, from top to bottom, whichever column they stand in."""
    rows: list[Row] = []
    for segment in sorted(found, key=lambda s: -s.base):
        if rows and rows[-1][0].base - segment.base <= 0.3 * min(segment.size, rows[-1][0].size):
            rows[-1].append(segment)
        else:
            rows.append([segment])
    for row in rows:
        row.sort(key=lambda s: s.x0)
    return rows


def _ordered(rows: list[Row], left: float, right: float, depth: int) -> list[tuple[list[Row], float, float]]:
    """Rows in reading order as (rows, x of the gutter to their left, x of that to their right)."""
    stripe = _best_stripe(rows) if depth < _MAX_DEPTH else None
    if stripe is None:
        return [(rows, left, right)] if rows else []
    inside = rows[stripe.start : stripe.end]
    before = [side for row in inside if (side := [s for s in row if (s.x0 + s.x1) / 2 < stripe.x])]
    after = [side for row in inside if (side := [s for s in row if (s.x0 + s.x1) / 2 >= stripe.x])]
    parts = (
        (rows[: stripe.start], left, right),
        (before, left, stripe.x),
        (after, stripe.x, right),
        (rows[stripe.end :], left, right),
    )
    return [flow for part in parts for flow in _ordered(*part, depth + 1)]


def _best_stripe(rows: Sequence[Row]) -> _Stripe | None:
    """The stripe with most text on both sides of it, among those between columns of prose."""
    if len(rows) < _MIN_ITEMS:
        return None
    best: _Stripe | None = None
    for x in _candidates(rows):
        for stripe in _stripes(rows, x):
            if (best is None or stripe.weight > best.weight) and _parts_prose(rows[stripe.start : stripe.end], x):
                best = stripe
    return best


def _candidates(rows: Sequence[Row]) -> list[float]:
    """Just left of where several lines start and others have ended, the places of most lines first."""
    held = [segment for row in rows for segment in row]
    places: dict[int, list[float]] = {}
    for segment in held:
        places.setdefault(round(segment.x0 / 6), []).append(segment.x0)
    ends = sorted(segment.x1 for segment in held)
    ranked = sorted(places.values(), key=lambda xs: -len(xs))[:_MAX_CANDIDATES]
    # The left column's lines end anywhere; the right column's start at one place.
    starts = [min(xs) - 1.0 for xs in ranked if len(xs) >= _MIN_STARTS]
    marked = [s.x0 - 1.0 for row in rows for s in row[1:] if is_bullet(s.lead) and is_bullet(row[0].lead)]
    return [x for x in starts if bisect(ends, x) >= _MIN_LINES] + sorted(set(marked))[:_MAX_CANDIDATES]


def _stripes(rows: Sequence[Row], x: float) -> list[_Stripe]:
    """The runs of rows that nothing crosses, with enough on both sides."""
    found: list[_Stripe] = []
    start = 0
    for index in range(len(rows) + 1):
        if index < len(rows) and not any(s.x0 < x - 1 and s.x1 > x + 1 for s in rows[index]):
            continue
        run = rows[start:index]
        left = sum(any(s.x1 <= x + 1 for s in row) for row in run)
        right = sum(any(s.x0 >= x - 1 for s in row) for row in run)
        if min(left, right) >= _MIN_LINES:
            found.append(_Stripe(x, start, index, min(left, right)))
        elif lists := _lists(run, x):
            found.append(_Stripe(x, start + lists[0], start + lists[1], min(left, right)))
        start = index + 1
    return found


def _lists(rows: Sequence[Row], x: float) -> tuple[int, int] | None:
    """The rows of two lists side by side, however short: each item of the right one stands beside one of the left."""
    right = [index for index, row in enumerate(rows) if row[-1].x0 >= x - 1]
    both = [rows[index] for index in right if rows[index][0].x1 <= x + 1]
    firsts = [next(s for s in row if s.x0 >= x - 1) for row in both]
    if len(both) < _MIN_ITEMS or not all(is_bullet(s.lead) for s in [*firsts, *(row[0] for row in both)]):
        return None
    return right[0], right[-1] + 1


def _parts_prose(rows: Sequence[Row], x: float) -> bool:
    """Whether what stands left is read before what stands right."""
    side = sorted((segment.order, segment.x0 >= x - 1) for row in rows for segment in row)
    switches = sum(a[1] != b[1] for a, b in pairwise(side))
    both = sum(row[0].x0 < x - 1 and row[-1].x0 >= x - 1 for row in rows)
    left = sum(row[0].x0 < x - 1 for row in rows)
    right = sum(row[-1].x0 >= x - 1 for row in rows)
    return switches <= max(1, _SWITCHES * min(left, right)) and both >= 1
