"""Reciprocal rank of the first relevant result."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluation.ranking import JudgedRanking


def reciprocal_rank_at(ranking: JudgedRanking, *, k: int) -> float:
    """1 / place of the first chunk that carries a fact, 0 where none of the first ``k`` does; its mean is the MRR."""
    return next((1 / place for place, found in enumerate(ranking.relevant()[:k], 1) if found), 0.0)
