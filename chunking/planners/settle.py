"""A lossless plan held to the window and to the cuts that are certain, whoever made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chunking.headings import common_path
from chunking.sections import group_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from chunking.headings import Outline
    from chunking.limits import WindowLimits
    from chunking.planners.excerpts import Stretch
    from chunking.planners.rule import RulePlanner
    from chunking.sections import Segment
    from wrac.records import Group


def settle(
    outline: Outline,
    groups: Sequence[Group],
    stretches: Sequence[Stretch],
    procedures: Collection[str],
    limits: WindowLimits,
    rule: RulePlanner,
    held: Collection[int] = (),
) -> tuple[Group, ...]:
    """The groups, none across a stretch border, none above the window, none without context.

    A group that the model calls one procedure may exceed the window, as those may that the rules found. What is too
    large is cut by rule; what is below half the minimum joins the neighbour that it shares more headings with. A
    stretch that begins with a unit of ``held`` is a group as it is.
    """
    position = outline.position
    ends = {position[group.unit_ids[-1]] + 1 for group in groups}
    kept = {position[i] for i in procedures if i in position}
    runs: list[list[Segment]] = []
    for stretch in stretches:
        if stretch[0].first in held:
            runs.append(list(stretch))
            continue
        start = 0
        for index, part in enumerate(stretch, 1):
            if part.end in ends or index == len(stretch):
                run = list(stretch[start:index])
                fits = len(run) == 1 or _tokens(run) <= limits.maximum or run[0].first in kept
                runs += [run] if fits else [list(part) for part in rule.runs(outline, run)]
                start = index
    return tuple(group_of(outline, run) for run in _with_context(runs, limits, held))


def _with_context(runs: list[list[Segment]], limits: WindowLimits, held: Collection[int]) -> list[list[Segment]]:
    least = limits.minimum // 2
    settled: list[list[Segment]] = []
    for index, run in enumerate(runs):
        after = _unless_held(runs[index + 1 : index + 2], held)
        before = _unless_held(settled[-1:], held)
        if run[0].first in held or (_tokens(run) >= least and not (before and _tokens(before) < least)):
            settled.append(run)
            continue
        fits = before is not None and _tokens(before) + _tokens(run) <= limits.maximum
        nearer = after is None or before is None or _shared(before, run) >= _shared(run, after)
        if before is not None and fits and (nearer or _tokens(before) < least):
            settled[-1] = [*before, *run]
        else:
            settled.append(run)
    return settled


def _unless_held(runs: Sequence[list[Segment]], held: Collection[int]) -> list[Segment] | None:
    return next((run for run in runs if run[0].first not in held), None)


def _shared(left: Sequence[Segment], right: Sequence[Segment]) -> int:
    return len(common_path([left[-1].path, right[0].path]))


def _tokens(run: Sequence[Segment]) -> int:
    return sum(part.tokens for part in run)
