"""What of a plan outlives a change of its page.

A plan is where to cut. A group whose units are unchanged is kept wherever they now stand; a group in which a text was
edited or deleted is kept as long as its size allows. Only what is left between is for the planner, so that a cut far
from an edit stays where it was, whatever the planner would do with the whole page.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from chunking.alignment import align, replacements
from chunking.headings import LEADING_KINDS, Outline, common_path
from chunking.planners.kept import NOT_ASKED
from chunking.repair import repair
from chunking.sections import group_of, segments

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from chunking.limits import WindowLimits
    from chunking.sections import Segment
    from wrac.records import ChunkPlan, Group, UnitKind, UnitTree

    Key = tuple[UnitKind, str]

_SHRUNK = 0.5
"""A group below the minimum is kept while at least this share of it is left."""


def keep_groups(before: UnitTree, plan: ChunkPlan, tree: UnitTree, limits: WindowLimits) -> tuple[Group, ...]:
    """Groups of ``tree`` that stand as ``plan`` has them, in order; a planner decides about the units in none of them.

    ``plan`` is one of ``before`` and need not be valid. Groups of it that still wait for a model are not kept.
    ``validate`` finds no fault in the groups that come back but for the units that they leave out.
    """
    outline = Outline(tree)
    parts = segments(outline)
    change = _Change(before, plan, outline, parts)
    kept = change.in_place(limits)
    kept += change.moved(kept)
    return tuple(group_of(outline, parts[run.first : run.end]) for run in _joined(parts, sorted(kept), limits))


class _Run(NamedTuple):
    """Segments ``first`` to ``end`` (exclusive) of the new text, which stand for group ``group`` of the old one."""

    first: int
    end: int
    group: int


class _Change:
    """Two texts beside each other."""

    def __init__(self, before: UnitTree, plan: ChunkPlan, outline: Outline, parts: Sequence[Segment]) -> None:
        self._before = before.units
        groups, _ = repair(before, plan.groups)
        waiting = {i for fault in plan.repairs if fault.rule.startswith(NOT_ASKED) for i in fault.unit_ids}
        place = {unit.id: index for index, unit in enumerate(before.units)}
        self._groups = [
            (place[group.unit_ids[0]], place[group.unit_ids[-1]] + 1)
            for group in groups
            if waiting.isdisjoint(group.unit_ids)
        ]
        self._old, self._new = _keys(before), _keys(outline.tree)
        self._outline = outline
        self._parts = parts
        self._starts = {part.first: index for index, part in enumerate(parts)}
        self._ends = {part.end: index + 1 for index, part in enumerate(parts)}

    def in_place(self, limits: WindowLimits) -> list[_Run]:
        """Groups whose units follow one another as before, none between them that was not there."""
        units = self._outline.units
        same = align(self._old, self._new)
        paired = same | {
            old: new
            for old, new in replacements(same, len(self._old), len(self._new)).items()
            if (self._before[old].kind, self._before[old].level) == (units[new].kind, units[new].level)
        }
        kept = []
        for number, (first, end) in enumerate(self._groups):
            places = [paired[i] for i in range(first, end) if i in paired]
            if not places or places[-1] - places[0] + 1 != len(places):
                continue
            run = self._run(number, places[0], places[-1] + 1)
            unchanged = [i for i in range(first, end) if i in same]
            if run is not None and (len(unchanged) == end - first or self._still_fits(run, unchanged, limits)):
                kept.append(run)
        return kept

    def moved(self, kept: Sequence[_Run]) -> list[_Run]:
        """Groups that stand elsewhere as they were, in segments that no group is kept for yet."""
        held = {run.group for run in kept}
        taken = {index for run in kept for index in range(run.first, run.end)}
        by_start: defaultdict[Key, dict[tuple[Key, ...], int]] = defaultdict(dict)
        for number, (first, end) in enumerate(self._groups):
            if number not in held:
                by_start[self._old[first]].setdefault(tuple(self._old[first:end]), number)
        found: list[_Run] = []
        index = 0
        while index < len(self._parts):
            run = None if index in taken else self._moved_run(index, taken, by_start)
            if run is not None:
                found.append(run)
            index = run.end if run else index + 1
        return found

    def _moved_run(self, index: int, taken: Set[int], by_start: dict[Key, dict[tuple[Key, ...], int]]) -> _Run | None:
        first = self._parts[index].first
        waiting = by_start.get(self._new[first], {})
        for length in sorted({len(keys) for keys in waiting}, reverse=True):
            number = waiting.get(tuple(self._new[first : first + length]))
            run = None if number is None else self._run(number, first, first + length)
            if run is not None and taken.isdisjoint(range(run.first, run.end)):
                return run
        return None

    def _run(self, group: int, first: int, end: int) -> _Run | None:
        """The group in units ``first`` to ``end`` of the new text; None where that cuts through a segment."""
        start, stop = self._starts.get(first), self._ends.get(end)
        return None if start is None or stop is None else _Run(start, stop, group)

    def _still_fits(self, run: _Run, unchanged: Sequence[int], limits: WindowLimits) -> bool:
        """Whether a group that was edited gives no cause to cut or join: part of it stands, and its size is right."""
        first, end = self._groups[run.group]
        was = sum(unit.tokens for unit in self._before[first:end])
        tokens = _tokens(self._parts, run)
        if tokens < min(limits.minimum, _SHRUNK * was):
            return False
        stands = any(self._before[i].kind not in LEADING_KINDS for i in unchanged)
        return run.end - run.first == 1 or (stands and tokens <= limits.maximum)


def _keys(tree: UnitTree) -> list[Key]:
    """What a unit says, without its occurrence: that of a repeated text shifts when one is put in before it."""
    return [(unit.kind, " ".join(tree.text_of(unit).split())) for unit in tree.units]


def _joined(parts: Sequence[Segment], kept: Sequence[_Run], limits: WindowLimits) -> list[_Run]:
    """The runs without those that a gap too small for a chunk of its own must be able to join."""
    released: set[_Run] = set()
    bounds = [_Run(0, 0, -1), *kept, _Run(len(parts), len(parts), -1)]
    for left, right in pairwise(bounds):
        gap = _Run(left.end, right.first, -1)
        if gap.first < gap.end and _tokens(parts, gap) < limits.minimum:
            beside = [run for run in (left, right) if run.first < run.end]
            released.update(sorted(beside, key=lambda run: _distance(parts, gap, run, limits))[:1])
    return [run for run in kept if run not in released]


def _distance(parts: Sequence[Segment], gap: _Run, run: _Run, limits: WindowLimits) -> tuple[int, bool, int]:
    """The nearer of two neighbours shares more headings with the gap, then fits with it, then is smaller."""
    left, right = (run, gap) if run.first < gap.first else (gap, run)
    shared = common_path((parts[left.end - 1].path, parts[right.first].path))
    tokens = _tokens(parts, run)
    return -len(shared), tokens + _tokens(parts, gap) > limits.maximum, tokens


def _tokens(parts: Sequence[Segment], run: _Run) -> int:
    return sum(part.tokens for part in parts[run.first : run.end])
