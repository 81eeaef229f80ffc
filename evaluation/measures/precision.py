"""Precision among the first results."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluation.ranking import JudgedRanking


def precision_at(ranking: JudgedRanking, *, k: int) -> float:
    """Share of the first ``k`` places whose chunk carries a fact; missing places count as wrong."""
    return int(ranking.relevant()[:k].sum()) / k
