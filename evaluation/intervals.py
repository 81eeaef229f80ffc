"""Is one method better than another? A paired bootstrap over documents, since queries of one document are not free."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from evaluation.scores import MethodScores

DRAWS = 2_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A difference of means and its 95 % interval."""

    difference: float
    low: float
    high: float


def paired_interval(one: MethodScores, other: MethodScores, measure: str) -> Interval:
    """How much better ``one`` is than ``other`` on the queries of both; documents are drawn with a fixed seed."""
    base = {(s.query.organisation, s.query.text): s.values[measure] for s in other.queries}
    clusters: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for score in one.queries:
        key = (score.query.organisation, score.query.text)
        if key in base:
            clusters[score.query.organisation, score.document].append(score.values[measure] - base[key])
    if not clusters:
        return Interval(float("nan"), float("nan"), float("nan"))
    grouped = [clusters[key] for key in sorted(clusters)]
    sums = np.array([sum(differences) for differences in grouped])
    counts = np.array([len(differences) for differences in grouped])
    rng = np.random.default_rng(0)
    draws = [rng.integers(0, len(grouped), len(grouped)) for _ in range(DRAWS)]
    means = np.array([sums[draw].sum() / counts[draw].sum() for draw in draws])
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(float(sums.sum() / counts.sum()), float(low), float(high))
