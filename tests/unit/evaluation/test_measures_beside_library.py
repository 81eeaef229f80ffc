"""Our measures beside those of ir_measures, on rankings drawn at random.

The library knows documents and subtopics where we have chunks and facts. What it cannot know is that several chunks may
carry a fact together: the facts here are too thin for that (nothing of them is attainable).
"""

from __future__ import annotations

from types import SimpleNamespace

import ir_measures
import numpy as np
import pytest
from ir_measures import RR, P, Qrel, ScoredDoc, StRecall, nDCG

from evaluation.judge import JudgedText
from evaluation.measures import MEASURES, ndcg_at, precision_at, recall_at, recall_in_budget, reciprocal_rank_at
from evaluation.ranking import JudgedRanking
from evaluation.reference import Fact

SIZE = 10
THIN = Fact(document="d", row=" x ", weights={"x": 1.0}, total=1.0, attainable=0.0, verbatim=False)
NOWHERE = "a chunk that no index holds"


def drawn(count: int) -> list[np.ndarray]:
    """Which of up to 4 facts is carried by which of up to 12 chunks; sparse, some empty."""
    rng = np.random.default_rng(7)
    shapes = zip(rng.integers(1, 5, count), rng.integers(1, 13, count), strict=True)
    return [rng.random(shape) < rng.choice([0.0, 0.1, 0.3]) for shape in shapes]


def ranking(carried: np.ndarray) -> JudgedRanking:
    """Chunks of one size in this very order."""
    facts, chunks = carried.shape
    index = SimpleNamespace(judged=[JudgedText("d", "", frozenset())] * chunks, sizes=np.full(chunks, SIZE))
    return JudgedRanking(index, (THIN,) * facts, np.arange(chunks), carried)  # type: ignore[arg-type]


def library(measure: ir_measures.Measure, qrels: list[Qrel], chunks: int) -> float:
    run = [ScoredDoc("q", str(place), float(-place)) for place in range(chunks)]
    return next(iter(measure.iter_calc(qrels, run))).value


def by_chunk(carried: np.ndarray) -> list[Qrel]:
    """A chunk is relevant that carries any fact."""
    return [Qrel("q", str(place), int(found)) for place, found in enumerate(carried.any(axis=0))]


def by_fact(carried: np.ndarray) -> list[Qrel]:
    """Each fact is a subtopic; one that no chunk carries is one all the same."""
    rows = [Qrel("q", str(place), int(carried[fact, place]), str(fact)) for fact, place in np.ndindex(carried.shape)]
    return rows + [Qrel("q", NOWHERE, 1, str(fact)) for fact in range(len(carried))]


RANKINGS = drawn(300)


@pytest.mark.parametrize("k", [1, 3, 6])
def test_precision_reciprocal_rank_and_ndcg_are_the_library_s(k):
    for carried in RANKINGS:
        ours, qrels, chunks = ranking(carried), by_chunk(carried), carried.shape[1]
        assert precision_at(ours, k=k) == pytest.approx(library(P @ k, qrels, chunks))
        assert reciprocal_rank_at(ours, k=k) == pytest.approx(library(RR @ k, qrels, chunks))
        assert ndcg_at(ours, k=k) == pytest.approx(library(nDCG @ k, qrels, chunks))


@pytest.mark.parametrize("k", [1, 3, 6])
def test_recall_of_facts_is_the_library_s_recall_of_subtopics(k):
    for carried in RANKINGS:
        ours, qrels, chunks = ranking(carried), by_fact(carried), carried.shape[1]
        expected = pytest.approx(library(StRecall @ k, qrels, chunks))
        assert recall_at(ours, k=k) == expected
        # With chunks of one size, a budget of k of them is the first k.
        assert recall_in_budget(ours, budget=k * SIZE) == expected


def test_the_drawn_rankings_tell_definitions_apart():
    """No two measures agree on all of them, and every value is met from 0 to 1."""
    values = {name: [measure(ranking(carried)) for carried in RANKINGS] for name, measure in MEASURES.items()}
    named = [values[name] for name in ("R@3", "R@6", "P@3", "P@6", "MRR", "nDCG@3", "nDCG@6")]
    assert len({tuple(row) for row in named}) == len(named)
    assert all(min(row) == 0 and max(row) >= 0.5 for row in named)
