"""The planner that needs no model: the cheapest way to cut a document, by structure, size and words.

Planning is cutting: of all ways to cut between segments (``chunking.sections``) the one with the least cost is taken,
found by dynamic programming in a time linear in the document. A group costs by how far its size is from the target,
and by each section border that it spans; a cut inside a section costs by how much its two sides have in common.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from chunking.headings import Outline, common_path
from chunking.limits import WindowLimits
from chunking.sections import Segment, group_of, segments
from wrac.records import ChunkPlan, UnitKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wrac.records import UnitTree

_WORD = re.compile(r"[^\W_]{3,}")
_ENTITY = re.compile(r"\d|[a-z][A-Z]|[A-Z]{2}")
_PSEUDO_HEADING = re.compile(
    r"(?:\*\*|__)[^*_\n]{1,80}(?:\*\*|__):?\s*$|(?:\d{1,2}\.){2,4}\d{0,2}\s+\S[^\n]{0,80}$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class _Weights:
    """What makes a plan dear; tuned by cross-validation over organisations (docs/decisions/0010)."""

    small: float = 1.0
    """A group of no size at all."""
    tiny: float = 1.0
    """On top, below the minimum."""
    large: float = 1.0
    """A group of twice the target."""
    border: tuple[float, ...] = (2.0, 0.5, 0.2, 0.1)
    """Joining across a border that leaves 0, 1, 2, ... headings in common."""
    cut: float = 0.25
    """Cutting inside a section between two sides with all words in common."""
    soft: float = 0.15
    """Taken off a cut before a pseudo-heading."""
    dense: float = 0.2
    """Share of the target that a group loses if all its words are entities."""


class RulePlanner:
    """Groups by heading depth, section hierarchy, token window, entity density and cohesion. Pure and free."""

    name = "rule/1"

    def __init__(self, limits: WindowLimits = WindowLimits(), weights: _Weights = _Weights()) -> None:
        self.limits = limits
        self._weights = weights

    def plan(self, tree: UnitTree) -> ChunkPlan:
        """A plan that owns every unit once, in order. No group is made of headings only."""
        outline = Outline(tree)
        return ChunkPlan(tuple(group_of(outline, run) for run in self.runs(outline, segments(outline))), self.name)

    def runs(self, outline: Outline, parts: Sequence[Segment]) -> list[Sequence[Segment]]:
        """The segments, which must be neighbours, in runs that become groups."""
        cuts = self._cuts(outline, parts)
        return [parts[first:end] for first, end in pairwise(cuts)]

    def _cuts(self, outline: Outline, parts: Sequence[Segment]) -> list[int]:
        """Segment indices at which groups begin, and the end: 0, ..., len(parts)."""
        limits = self.limits
        features = [_Features.of(outline, part) for part in parts]
        borders = [
            0.0,
            *(
                self._border(a, b, fa, fb)
                for a, b, fa, fb in zip(parts, parts[1:], features, features[1:], strict=False)
            ),
        ]
        best = [0.0]
        begin = [0]
        for end in range(1, len(parts) + 1):
            tokens, joins, entities, words = 0, 0.0, 0, 0
            cost, choice = float("inf"), end - 1
            for first in range(end - 1, -1, -1):
                tokens += parts[first].tokens
                if first < end - 1 and tokens > limits.maximum:
                    break
                entities += features[first].entities
                words += features[first].words
                total = best[first] + joins + self._size(tokens, entities / max(1, words))
                if total < cost:
                    cost, choice = total, first
                joins += max(0.0, borders[first])
            best.append(cost + max(0.0, -(borders[end] if end < len(parts) else 0.0)))
            begin.append(choice)
        cuts = [len(parts)]
        while cuts[-1] > 0:
            cuts.append(begin[cuts[-1]])
        return cuts[::-1]

    def _size(self, tokens: int, density: float) -> float:
        weights, limits = self._weights, self.limits
        target = max(1.0, limits.target * (1 - weights.dense * density))
        if tokens >= target:
            return weights.large * ((tokens - target) / target) ** 2
        cost = weights.small * ((target - tokens) / target) ** 2
        return cost + weights.tiny * (limits.minimum - tokens) / limits.minimum if tokens < limits.minimum else cost

    def _border(self, left: Segment, right: Segment, a: _Features, b: _Features) -> float:
        """Positive: what joining across costs. Negative: what cutting costs."""
        weights = self._weights
        shared = a.overlap(b)
        if right.opens_section or left.path != right.path:
            common = len(common_path([left.path, right.path]))
            return weights.border[min(common, len(weights.border) - 1)] * (1 - shared)
        return -max(0.0, weights.cut * (0.5 + shared) - weights.soft * b.pseudo_heading)


@dataclass(frozen=True, slots=True)
class _Features:
    vocabulary: frozenset[str]
    words: int
    entities: int
    pseudo_heading: bool

    @classmethod
    def of(cls, outline: Outline, part: Segment) -> _Features:
        units = outline.units
        text = outline.tree.document.text[units[part.content].start : units[part.end - 1].end]
        words = _WORD.findall(text)
        pseudo = units[part.content].kind is UnitKind.PARAGRAPH and bool(_PSEUDO_HEADING.match(text))
        return cls(frozenset(w.lower() for w in words), len(words), sum(1 for w in words if _ENTITY.search(w)), pseudo)

    def overlap(self, other: _Features) -> float:
        smaller = min(len(self.vocabulary), len(other.vocabulary))
        return len(self.vocabulary & other.vocabulary) / smaller if smaller else 0.0
