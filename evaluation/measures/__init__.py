"""Measures of a judged ranking, one a module; each is a share between 0 and 1, to be averaged over queries.

R@k, P@k, MRR and nDCG reward bigger chunks, for whoever returns whole documents is always right. The primary measure
is the recall inside a fixed context budget.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from evaluation.measures.ndcg import ndcg_at
from evaluation.measures.precision import precision_at
from evaluation.measures.recall import recall_at
from evaluation.measures.recall_in_budget import recall_in_budget
from evaluation.measures.reciprocal_rank import reciprocal_rank_at

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evaluation.ranking import JudgedRanking

PRIMARY = "R@1000t"
MEASURES: Mapping[str, Callable[[JudgedRanking], float]] = {
    "R@500t": partial(recall_in_budget, budget=500),
    PRIMARY: partial(recall_in_budget, budget=1000),
    "R@2000t": partial(recall_in_budget, budget=2000),
    "R@3": partial(recall_at, k=3),
    "R@6": partial(recall_at, k=6),
    "P@3": partial(precision_at, k=3),
    "P@6": partial(precision_at, k=6),
    "MRR": partial(reciprocal_rank_at, k=6),
    "nDCG@3": partial(ndcg_at, k=3),
    "nDCG@6": partial(ndcg_at, k=6),
}
"""What is reported, by name; MRR looks at the first six places."""

__all__ = ["MEASURES", "PRIMARY", "ndcg_at", "precision_at", "recall_at", "recall_in_budget", "reciprocal_rank_at"]
