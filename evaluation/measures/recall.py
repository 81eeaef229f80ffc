"""Recall among the first results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.judge import carry_together

if TYPE_CHECKING:
    from evaluation.ranking import JudgedRanking


def recall_at(ranking: JudgedRanking, *, k: int) -> float:
    """Share of the query's facts that the first ``k`` chunks carry, alone or together."""
    texts = [ranking.index.judged[number] for number in ranking.order[:k]]
    found = sum(
        bool(ranking.carried[place, :k].any()) or carry_together(texts, fact)
        for place, fact in enumerate(ranking.facts)
    )
    return found / len(ranking.facts)
