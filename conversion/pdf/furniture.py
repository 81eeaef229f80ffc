"""Running heads, feet and page numbers: what stands at the same place of many pages and says the same.

Only lines at the outer edge that a gap parts from the page's text can be furniture, so that a table's head, repeated at
the top of each page, is none.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversion.pdf.hidden import removal
from conversion.pdf.lines import lines
from conversion.pdf.rulings import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.records import Line, PageText, Segment, Stroke
    from wrac.records import Removal

_EDGE_LINES = 3
_GAP = 1.45
"""In sizes of type, from baseline to baseline: usual leading is 1.15 to 1.35."""
_ZONE = 0.2
"""Share of the page's height, at its top and bottom, in which furniture stands."""
_RULE = 2.0
"""In sizes of type: how far a table's ruling stands from its head at most."""
_CELL_EDGE = 0.25
"""In sizes of type: cells that stand so near to one another are aligned."""
_SAME_PLACE = 4.0
_LEAST_PAGES = 3
_SLOT_SHARE = 0.6
"""Share of the pages on which furniture at one place makes any text at that place furniture."""
_NUMBER = re.compile(
    r"\W*(?:(?:page|pag|seite|página|pagina|p)\b\.?\s*)?(?P<number>\d{1,4}|[ivxlc]{1,7})"
    r"(?:\s*(?:/|of|von|de|sur|di)\s*\d{1,4})?\W*",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class _Edge:
    page: int
    top: bool
    line: Line
    key: str
    place: float
    """Distance from the page's edge in points."""


def without_furniture(
    pages: Sequence[PageText], laid: Sequence[list[Segment]]
) -> tuple[list[list[Segment]], list[Removal]]:
    """The segments of each page without furniture, and what was taken out, in the order of the pages."""
    edges = [edge for page, found in zip(pages, laid, strict=True) for edge in _edges(page, found)]
    judged = _numbers(edges) | _repeated(edges, len(pages))
    judged |= _in_slots(edges, judged, len(pages))
    if sum(len(edge.line.segments) for edge in edges if id(edge) in judged) == sum(len(found) for found in laid):
        # A stack of the same sheet: nothing is left that these lines could be furniture of.
        return [list(found) for found in laid], []
    gone: defaultdict[int, set[int]] = defaultdict(set)
    removals: list[Removal] = []
    for edge in edges:
        if id(edge) in judged:
            gone[edge.page].update(segment.order for segment in edge.line.segments)
            rule = "pdf.page-number" if _NUMBER.fullmatch(edge.line.text) else "pdf.running-head"
            removals.append(removal(rule, edge.page, edge.line.text, "head" if edge.top else "foot"))
    kept = [
        [segment for segment in found if segment.order not in gone[page.number]] if page.number in gone else found
        for page, found in zip(pages, laid, strict=True)
    ]
    return kept, removals


def _edges(page: PageText, found: Sequence[Segment]) -> list[_Edge]:
    if not found or not page.height:
        return []
    zone = _ZONE * page.height
    head = lines([s for s in found if s.base >= page.height - zone], page.number)
    foot = lines([s for s in found if s.base <= zone], page.number)[::-1]
    below = max((s.base for s in found if s.base < page.height - zone), default=None)
    above = min((s.base for s in found if s.base > zone), default=None)
    rules = joined([s for s in page.strokes if s.horizontal])
    edges = [_edge(page, line, top=True) for line in _apart(head, below, rules)]
    return edges + [_edge(page, line, top=False) for line in _apart(foot, above, rules)]


def _apart(candidates: Sequence[Line], inner: float | None, rules: Sequence[Stroke]) -> list[Line]:
    """The lines from the edge up to the last gap among the first few lines; none that is a row of a table."""
    last = 0
    for index, line in enumerate(candidates[:_EDGE_LINES], start=1):
        if _is_boxed(line, rules) or (index < len(candidates) and _is_row(line, candidates[index])):
            break
        follower = candidates[index].base if index < len(candidates) else inner
        if follower is None or abs(line.base - follower) >= _GAP * max(line.size, 1.0):
            last = index
    return list(candidates[:last])


def _is_boxed(line: Line, rules: Sequence[Stroke]) -> bool:
    """Whether rulings of one extent stand above and below."""
    over = [s for s in rules if s.x0 <= line.x0 + 3 and s.x1 >= line.x1 - 3]
    above = [s for s in over if 0 < s.y0 - line.base < _RULE * line.size]
    below = [s for s in over if 0 < line.base - s.y0 < 2 * _RULE * line.size]
    return any(abs(a.x0 - b.x0) < 2 and abs(a.x1 - b.x1) < 2 for a in above for b in below)


def _is_row(line: Line, other: Line) -> bool:
    """Whether the cells of one line stand under those of the other.

    Running heads stand at both edges of the page, as do the lines of its columns: two cells have to share their left
    edges, and only more of them may share their right edges or their middles.
    """
    pairs = list(zip(line.segments, other.segments, strict=False))
    if len(pairs) < 2 or len(line.segments) != len(other.segments):
        return False
    near = _CELL_EDGE * line.size
    if all(abs(a.x0 - b.x0) <= near for a, b in pairs):
        return True
    return len(pairs) > 2 and all(
        min(abs(a.x0 - b.x0), abs(a.x1 - b.x1), abs(a.x0 + a.x1 - b.x0 - b.x1) / 2) <= near for a, b in pairs
    )


def _edge(page: PageText, line: Line, *, top: bool) -> _Edge:
    key = _DIGITS.sub("#", " ".join(line.text.casefold().split()))
    return _Edge(page.number, top, line, key, page.height - line.base if top else line.base)


def _numbers(edges: Sequence[_Edge]) -> set[int]:
    """Lines that hold the page's number and nothing else."""
    offsets: Counter[int] = Counter()
    numbered: list[tuple[_Edge, int]] = []
    for edge in edges:
        found = _NUMBER.fullmatch(edge.line.text)
        if found and (value := _value(found.group("number"))):
            numbered.append((edge, value - edge.page))
            offsets[value - edge.page] += 1
    return {id(edge) for edge, offset in numbered if offset == 0 or offsets[offset] >= 2}


def _value(text: str) -> int:
    if text.isdigit():
        return int(text)
    total = 0
    values = [_ROMAN[c] for c in text.casefold()]
    for value, following in zip(values, [*values[1:], 0], strict=True):
        total += -value if value < following else value
    return total


def _repeated(edges: Sequence[_Edge], pages: int) -> set[int]:
    groups: defaultdict[tuple[bool, str], list[_Edge]] = defaultdict(list)
    for edge in edges:
        # Bare numbers are judged by their sequence.
        if any(c.isalpha() for c in edge.key):
            groups[edge.top, edge.key].append(edge)
    least = _LEAST_PAGES if pages > _LEAST_PAGES else 2
    found: set[int] = set()
    for group in groups.values():
        group.sort(key=lambda e: e.place)
        start = 0
        for end in range(1, len(group) + 1):
            if end == len(group) or group[end].place - group[end - 1].place > _SAME_PLACE:
                alike = _alike(group[start:end])
                if len({edge.page for edge in alike}) >= least:
                    found.update(id(edge) for edge in alike)
                start = end
    return found


def _alike(group: Sequence[_Edge]) -> list[_Edge]:
    """Those of lines that differ in numbers only whose numbers another line has as well, or that count the pages."""
    slots = [_DIGITS.findall(edge.line.text.casefold()) for edge in group]
    counts: Counter[tuple[int, str, int]] = Counter()
    for edge, numbers in zip(group, slots, strict=True):
        for place, number in enumerate(numbers):
            counts[place, "same", _value(number)] += 1
            counts[place, "page", _value(number) - edge.page] += 1
    return [
        edge
        for edge, numbers in zip(group, slots, strict=True)
        if all(
            max(counts[place, "same", _value(number)], counts[place, "page", _value(number) - edge.page]) > 1
            for place, number in enumerate(numbers)
        )
    ]


def _in_slots(edges: Sequence[_Edge], judged: set[int], pages: int) -> set[int]:
    """Lines at a place where most pages have furniture: a running head that changes with each page."""
    if pages < 2 * _LEAST_PAGES:
        return set()
    places: defaultdict[tuple[bool, int], set[int]] = defaultdict(set)
    for edge in edges:
        if id(edge) in judged:
            places[edge.top, round(edge.place)].add(edge.page)
    found: set[int] = set()
    for edge in edges:
        near = [places.get((edge.top, round(edge.place) + d), set()) for d in (-1, 0, 1)]
        if len(set[int]().union(*near)) >= _SLOT_SHARE * pages:
            found.add(id(edge))
    return found
