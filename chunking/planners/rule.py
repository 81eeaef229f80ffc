"""The planner that needs no model: the cheapest way to cut a document, by structure, size and words.

Planning is cutting: of all ways to cut between segments (``chunking.sections``) the one with the least cost is taken,
found by dynamic programming in a time linear in the document. A group costs by how far its size is from the target,
and by the section borders that it spans, unless it is one section as the author made it, which is what a reader would
take out of the page; a cut inside a section costs by how much its two sides have in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from chunking.headings import Outline, common_path
from chunking.limits import WindowLimits
from chunking.planners.kept import blocks_of
from chunking.planners.traits import Traits, traits_of
from chunking.sections import group_of, segments
from wrac.records import ChunkPlan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chunking.sections import Segment
    from wrac.records import Group, UnitTree


@dataclass(frozen=True, slots=True)
class Weights:
    """What makes a plan dear; the unit is arbitrary. Measured in docs/decisions/0010 and 0050."""

    small: float = 0.25
    """A group of no size at all; falls with the square of what is missing to the target."""
    tiny: float = 0.5
    """On top, at no size at all; falls linearly to nothing at the minimum."""
    large: float = 0.75
    """A group of twice the target; grows with the square of what exceeds the target."""
    border: tuple[float, ...] = (2.0, 0.3, 0.15, 0.1)
    """Joining two sections that have 0, 1, 2, or more headings in common, if they share no words."""
    whole: float = 0.5
    """Taken off a group that is all that stands under one heading; borders inside it are free."""
    cut: float = 0.25
    """Cutting inside a section whose two sides share half of their words."""
    inferred: float = 0.15
    """Taken off a cut before a line that looks like a heading."""
    dense: float = 0.2
    """Share of the target that a group loses if all of its words are names or numbers."""


class RulePlanner:
    """Groups by heading depth, section hierarchy, token window, entity density and cohesion. Pure and free of cost."""

    name = "rule/2"

    def __init__(self, limits: WindowLimits | None = None, weights: Weights | None = None) -> None:
        self._limits = limits or WindowLimits()
        self._weights = weights or Weights()

    def plan(self, tree: UnitTree, *, kept: Sequence[Group] = ()) -> ChunkPlan:
        """A plan that owns every unit once, in order; ``validate`` finds no fault in it.

        Groups of ``kept`` (``chunking.delta``) stand in it as they are. Another group exceeds the maximum only where
        one procedure, lead-in or atom does.
        """
        outline = Outline(tree)
        runs: list[Sequence[Segment]] = []
        for block in blocks_of(outline, segments(outline), kept):
            runs += [block.parts] if block.is_kept else self.runs(outline, block.parts)
        return ChunkPlan(tuple(group_of(outline, run) for run in runs), self.name)

    def runs(self, outline: Outline, parts: Sequence[Segment]) -> list[Sequence[Segment]]:
        """The segments, which must be neighbours, in the runs that become groups."""
        cuts = self._cuts(parts, [traits_of(outline, part) for part in parts])
        return [parts[first:end] for first, end in pairwise(cuts)]

    def _cuts(self, parts: Sequence[Segment], traits: Sequence[Traits]) -> list[int]:
        """Places at which the cheapest plan cuts: 0, ..., len(parts)."""
        joins, breaks = self._borders(parts, traits)
        whole = _whole_sections(parts)
        maximum = self._limits.maximum
        best, begin = [0.0], [0]
        for end in range(1, len(parts) + 1):
            cost, choice = float("inf"), end - 1
            tokens = words = entities = 0
            spanned = 0.0
            for first in range(end - 1, -1, -1):
                tokens += parts[first].tokens
                if tokens > maximum and first < end - 1:
                    break
                words += traits[first].words
                entities += traits[first].entities
                total = best[first] + self._size(tokens, entities / words if words else 0.0)
                total += -self._weights.whole if (first, end) in whole else spanned
                if total < cost:
                    cost, choice = total, first
                spanned += joins[first]
            best.append(cost + breaks[end])
            begin.append(choice)
        cuts = [len(parts)]
        while cuts[-1] > 0:
            cuts.append(begin[cuts[-1]])
        return cuts[::-1]

    def _size(self, tokens: int, density: float) -> float:
        weights, minimum = self._weights, self._limits.minimum
        target = max(1.0, self._limits.target * (1 - weights.dense * density))
        off = (tokens - target) / target
        if off >= 0:
            return weights.large * off * off
        cost = weights.small * off * off
        return cost + weights.tiny * (1 - tokens / minimum) if tokens < minimum else cost

    def _borders(self, parts: Sequence[Segment], traits: Sequence[Traits]) -> tuple[list[float], list[float]]:
        """What joining across, and what cutting at, the border before each part costs; 0 at both ends."""
        weights = self._weights
        joins, breaks = [0.0] * (len(parts) + 1), [0.0] * (len(parts) + 1)
        for place, ((left, right), (a, b)) in enumerate(zip(pairwise(parts), pairwise(traits), strict=True), 1):
            shared = a.overlap(b)
            if right.opens_section or left.path != right.path:
                depth = min(len(common_path((left.path, right.path))), len(weights.border) - 1)
                joins[place] = weights.border[depth] * (1 - shared)
            else:
                inferred = weights.inferred if b.opens_like_heading else 0.0
                breaks[place] = max(0.0, weights.cut * (0.5 + shared) - inferred)
        return joins, breaks


def _whole_sections(parts: Sequence[Segment]) -> set[tuple[int, int]]:
    """First and end of the runs that hold all that stands under one heading, of those that hold several segments."""
    first: dict[int, int] = {}
    end: dict[int, int] = {}
    for place, part in enumerate(parts):
        for heading in part.path:
            first.setdefault(heading, place)
            end[heading] = place + 1
    return {(first[heading], end[heading]) for heading in first if end[heading] - first[heading] > 1}
