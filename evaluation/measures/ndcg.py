"""Normalised discounted cumulative gain of the first results (Järvelin and Kekäläinen, 2002)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evaluation.ranking import JudgedRanking


def ndcg_at(ranking: JudgedRanking, *, k: int) -> float:
    """Gain 1 for each chunk that carries a fact, against the best order of this index; 0 where no chunk does."""
    relevant = ranking.relevant()
    best = _discounted([True] * min(k, int(relevant.sum())))
    return _discounted(relevant[:k]) / best if best else 0.0


def _discounted(gains: Iterable[bool]) -> float:
    return sum(1 / math.log2(place + 1) for place, gain in enumerate(gains, 1) if gain)
