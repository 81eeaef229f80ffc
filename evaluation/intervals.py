"""Is one row better than another, or is it chance? A paired bootstrap over documents.

What is drawn, with replacement, are documents, each with all its questions and for both rows at once: questions of one
document hang together, so questions drawn one by one would make intervals too narrow. A question belongs to the
document of its first fact. The chunks, the organisations and the judge are held fixed: an interval says nothing about
organisations that are not in the corpus.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.scores import MethodScores

DRAWS = 2_000
SEED = 0
CONFIDENCE = 0.95


LEAST_DOCUMENTS = 5
"""Fewer can hardly be drawn in another way: their interval says nothing."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A difference of means and its 95 % interval; not a number where no question was put to both."""

    difference: float
    low: float
    high: float
    documents: int
    """Documents that could be drawn."""

    @property
    def is_known(self) -> bool:
        """Whether there are documents enough for its ends to say anything."""
        return self.documents >= LEAST_DOCUMENTS

    @property
    def is_above(self) -> bool:
        """Whether it lies wholly above 0."""
        return self.is_known and self.low > 0

    @property
    def is_below(self) -> bool:
        """Whether it lies wholly below 0."""
        return self.is_known and self.high < 0


def paired_interval(one: MethodScores, other: MethodScores, measure: str) -> Interval:
    """How much better ``one`` is than ``other`` on the questions of both."""
    return paired_intervals(one, other, [measure])[measure]


def paired_intervals(one: MethodScores, other: MethodScores, measures: Sequence[str]) -> Mapping[str, Interval]:
    """``paired_interval`` for several measures, by the same draws."""
    base = {(s.query.organisation, s.query.text): s.values for s in other.queries}
    clusters: defaultdict[tuple[str, str], list[list[float]]] = defaultdict(list)
    for score in one.queries:
        known = base.get((score.query.organisation, score.query.text))
        if known is not None:
            differences = [score.values[measure] - known[measure] for measure in measures]
            clusters[score.query.organisation, score.document].append(differences)
    if not clusters:
        return dict.fromkeys(measures, Interval(float("nan"), float("nan"), float("nan"), 0))
    grouped = [np.array(clusters[key]) for key in sorted(clusters)]
    sums = np.stack([differences.sum(axis=0) for differences in grouped])
    counts = np.array([len(differences) for differences in grouped], dtype=float)
    times = _times_drawn(len(grouped))
    means = (times @ sums) / (times @ counts)[:, None]
    tail = 50 * (1 - CONFIDENCE)
    low, high = np.percentile(means, [tail, 100 - tail], axis=0)
    middle = sums.sum(axis=0) / counts.sum()
    return {
        measure: Interval(float(middle[place]), float(low[place]), float(high[place]), len(grouped))
        for place, measure in enumerate(measures)
    }


@cache
def _times_drawn(clusters: int) -> np.ndarray:
    """shape (draws, clusters): how often each cluster is in each draw."""
    rng = np.random.default_rng(SEED)
    drawn = rng.integers(0, clusters, (DRAWS, clusters))
    return np.stack([np.bincount(row, minlength=clusters) for row in drawn]).astype(float)
