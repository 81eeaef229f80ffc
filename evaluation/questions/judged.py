"""The hits of one question as a judged ranking, so that questions and corpora are measured by the same measures.

Each thing that a question expects is a fact of one word, and a hit "says" the words of what it meets: then a chunk
carries a fact exactly where a hit meets an expectation, in a budget too, where the last chunk is cut.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from evaluation.index import token_spans
from evaluation.judge import JudgedText
from evaluation.measures import ndcg_at, recall_at, recall_in_budget, reciprocal_rank_at
from evaluation.ranking import JudgedRanking
from evaluation.reference import Fact
from ingest.questions.targets import is_answered_by

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ingest.questions import Question, Target
    from wrac.records import Hit

BUDGET = 1_000
"""Wordpieces of the context that R@1000t is about."""
BUDGET_MEASURE = f"R@{BUDGET}t"
TURNED_AWAY = "turned away"
"""Measure of questions that have no answer: whether they are told from those that have one."""
_NEVER_FITS = 10**9
_DOCUMENT = "site"


def hit_at(ranking: JudgedRanking, *, k: int) -> float:
    """1 where any of the first ``k`` meets an expectation, else 0; its mean is the hit rate (success@k)."""
    return float(ranking.relevant()[:k].any())


def measures_for(k: int) -> Mapping[str, Callable[[JudgedRanking], float]]:
    """What is measured among the first ``k`` hits, by name; ``hit@k`` is the primary measure."""
    places = [*(place for place in (1, 3) if place < k), k]
    return {
        **{f"hit@{place}": partial(hit_at, k=place) for place in places},
        "MRR": partial(reciprocal_rank_at, k=k),
        f"R@{k}": partial(recall_at, k=k),
        f"nDCG@{k}": partial(ndcg_at, k=k),
    }


class JudgedHits:
    """Hits best first, each with what it meets; behind them, what none of them meets, too large for any budget."""

    def __init__(self, question: Question, targets: Sequence[Target], hits: Sequence[Hit], k: int) -> None:
        self._question, self._targets = question, targets
        self.met = [is_answered_by(question, targets, hit) for hit in hits]
        self._hits: list[Hit | None] = [*hits, *[None] * (k - len(hits))]
        """None where there are fewer than ``k``."""
        places = [next((place for place, met in enumerate(self.met) if met[one]), -1) for one in self._expected]
        self.first = tuple(places)
        """Place from 0 of the first hit that meets each expectation, -1 where none does."""

    @property
    def _expected(self) -> range:
        return range(len(self._question.expected))

    @cached_property
    def _spans(self) -> list[list[tuple[int, int]]]:
        return [token_spans(hit.text) if hit else [] for hit in self._hits]

    @cached_property
    def sizes(self) -> np.ndarray:
        """shape (hits and expectations,): wordpieces."""
        return np.array([*map(len, self._spans), *[_NEVER_FITS] * len(self._expected)])

    @cached_property
    def judged(self) -> Sequence[JudgedText]:
        """What each hit meets, as words."""
        nothing = (False,) * len(self._expected)
        met = [*self.met, *[nothing] * (len(self._hits) - len(self.met) + len(self._expected))]
        return [_judged(each) for each in met]

    def beginning(self, number: int, tokens: int) -> JudgedText:
        """What the first ``tokens`` wordpieces of a hit meet: a page whole, a quote where they say it."""
        hit = self._hits[number] if number < len(self._hits) else None
        if hit is None:
            return _judged((False,) * len(self._expected))
        cut = replace(hit, text=hit.text[: self._spans[number][tokens - 1][1]])
        return _judged(is_answered_by(self._question, self._targets, cut))

    def ranking(self) -> JudgedRanking:
        """For the measures; an expectation counts at the first hit that meets it, and once."""
        facts = tuple(Fact(_DOCUMENT, "", {_word(one): 1.0}, 1.0, 1.0, verbatim=False) for one in self._expected)
        carried = np.zeros((len(facts), len(self._hits) + len(facts)), dtype=bool)
        for one, place in enumerate(self.first):
            carried[one, place if place >= 0 else len(self._hits) + one] = True
        return JudgedRanking(self, facts, np.arange(carried.shape[1]), carried)

    def recall_in_budget(self) -> float:
        """Share of the expectations inside the first 1,000 wordpieces."""
        return recall_in_budget(self.ranking(), budget=BUDGET)


def _word(one: int) -> str:
    return f"expectation {one}"


def _judged(met: Sequence[bool]) -> JudgedText:
    return JudgedText(_DOCUMENT, "", frozenset(_word(one) for one, is_met in enumerate(met) if is_met))
