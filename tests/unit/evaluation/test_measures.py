"""Every measure on rankings worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evaluation.corpora.ragmc import StatedFact
from evaluation.index import ChunkIndex, EvaluatedChunk
from evaluation.measures import ndcg_at, precision_at, recall_at, recall_in_budget, reciprocal_rank_at
from evaluation.ranking import JudgedRanking
from evaluation.reference import Reference

TEXT = "amber lamp burns\n\ngreen gate opens\n\nold barge sinks\n\nquay"
REFERENCE = Reference({"d.md": TEXT})
FACTS = tuple(REFERENCE.fact(StatedFact("d.md", said)) for said in ("amber lamp burns", "green gate opens"))


def ranking(*texts: str) -> JudgedRanking:
    """The texts in this order."""
    index = ChunkIndex(REFERENCE, [EvaluatedChunk("d.md", text) for text in texts])
    return JudgedRanking(index, FACTS, np.arange(len(texts)), index.carriers(FACTS))


RANKED = ranking("quay", "amber lamp burns", "old barge sinks", "green gate opens")


@pytest.mark.parametrize(("k", "value"), [(1, 0.0), (2, 0.5), (3, 0.5), (4, 1.0), (9, 1.0)])
def test_recall(k, value):
    assert recall_at(RANKED, k=k) == value


@pytest.mark.parametrize(("k", "value"), [(1, 0.0), (2, 0.5), (4, 0.5), (6, 2 / 6)])
def test_precision_counts_missing_places(k, value):
    assert precision_at(RANKED, k=k) == value


def test_reciprocal_rank():
    assert reciprocal_rank_at(RANKED, k=6) == 0.5
    assert reciprocal_rank_at(RANKED, k=1) == 0.0


def test_ndcg():
    gained = 1 / math.log2(3) + 1 / math.log2(5)
    best = 1 / math.log2(2) + 1 / math.log2(3)
    assert ndcg_at(RANKED, k=6) == pytest.approx(gained / best)
    assert ndcg_at(ranking("quay"), k=6) == 0.0


def test_recall_in_a_budget_cuts_the_last_chunk_to_fit():
    # Wordpieces by MiniLM's vocabulary: "quay" 1, the others 3 each but "barge": "old barge sinks" is 3 too.
    assert RANKED.index.sizes.tolist() == [1, 3, 3, 3]
    assert [recall_in_budget(RANKED, budget=n) for n in (1, 3, 4, 8, 9, 10, 99)] == [0.0, 0.0, 0.5, 0.5, 0.5, 1.0, 1.0]


def test_what_is_cut_off_is_not_found():
    long = ranking("quay quay quay amber lamp burns")
    assert recall_in_budget(long, budget=5) == 0.0
    assert recall_in_budget(long, budget=6) == 0.5


def test_parts_of_a_fact_count_together():
    parts = ranking("amber", "lamp burns")
    assert recall_at(parts, k=2) == 0.5
    assert recall_in_budget(parts, budget=3) == 0.5
    assert precision_at(parts, k=2) == 0.0


def test_copies_count_once():
    assert len(ranking("quay", "amber lamp burns").index.texts) == 2
    index = ChunkIndex(REFERENCE, [EvaluatedChunk("d.md", text) for text in ("Quay", "*quay*", " ", "gate")])
    assert index.texts == ["Quay", "gate"]
    assert index.copies == 1
