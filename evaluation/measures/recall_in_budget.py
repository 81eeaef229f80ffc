"""Recall inside a context budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.judge import carries, carry_together

if TYPE_CHECKING:
    from evaluation.ranking import JudgedRanking


def recall_in_budget(ranking: JudgedRanking, *, budget: int) -> float:
    """Share of the query's facts inside the ranking's first ``budget`` wordpieces; the last chunk is cut to fit."""
    index, left, whole = ranking.index, budget, 0
    for number in ranking.order:
        if index.sizes[number] > left:
            break
        left -= int(index.sizes[number])
        whole += 1
        if left <= 0:
            break
    texts = [index.judged[number] for number in ranking.order[:whole]]
    cut = index.beginning(int(ranking.order[whole]), left) if left > 0 and whole < len(ranking.order) else None
    shown = texts if cut is None else [*texts, cut]
    found = sum(
        bool(ranking.carried[place, :whole].any())
        or (cut is not None and carries(cut, fact))
        or carry_together(shown, fact)
        for place, fact in enumerate(ranking.facts)
    )
    return found / len(ranking.facts)
