"""Reranked hits, and hits that stay as they were because a reranker failed. The rerankers here are stubs."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from indexing.context import context
from indexing.reranking import MOST_CHARACTERS, Ranking, make_ranking, reranked
from indexing.search import UNREAD_DENSE_WEIGHT, search
from wrac.config import Settings
from wrac.errors import ConfigError, RerankFailed
from wrac.protocols import Reranker
from wrac.records import Hit, SparseVector

if TYPE_CHECKING:
    from collections.abc import Sequence


class Counting:
    """Scores a passage by how often it says ``pump``, and remembers what it read."""

    name = "counting/1"

    def __init__(self) -> None:
        self.read: list[tuple[str, list[str]]] = []

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        self.read.append((query, list(texts)))
        return [text.count("pump") for text in texts]


class Failing:
    name = "failing/1"

    def __init__(self, answer: Sequence[float] | None) -> None:
        self.answer = answer

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        if self.answer is None:
            raise RerankFailed("the server is away")
        return self.answer


def hit(key: str, text: str, score: float, **fields: Any) -> Hit:
    return Hit(key, score, text, fields.pop("breadcrumb", ""), f"https://e.org/{key}", "", "docs", **fields)


HITS = [
    hit("a", "valve", 0.9),
    hit("b", "pump", 0.8),
    hit("c", "pump pump", 0.7),
    hit("d", "a pump, a pump, a pump", 0.6),
]


class Held:
    """A store that holds the hits; ``asked`` is what it was asked last."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}

    def verify(self, embedder: object, sparse: object) -> None: ...

    def languages(self, site: str | None = None) -> Sequence[str]:
        return ["de"] if site == "deutsch" else ["en"]

    def search(self, dense: np.ndarray, sparse: SparseVector, *, limit: int, **options: Any) -> list[Hit]:
        self.asked = {"limit": limit, **options}
        return HITS[:limit]


class Encoder:
    name, dimension, max_tokens = "e/1", 1, 100
    languages: frozenset[str] | None = frozenset({"en"})

    def embed_query(self, text: str) -> np.ndarray:
        return np.ones(1, dtype=np.float32)

    def encode_query(self, text: str, language: str = "") -> SparseVector:
        return SparseVector(np.zeros(1, dtype=np.uint32), np.ones(1, dtype=np.float32))


def ask(store: Held, ranking: Ranking | None, limit: int = 2, **options: Any) -> list[str]:
    encoder: Any = Encoder()
    found: Any = store
    hits = search("pump", store=found, embedder=encoder, sparse=encoder, limit=limit, ranking=ranking, **options)
    return [hit.point_id for hit in hits]


def test_the_first_hits_are_reranked_and_the_others_follow() -> None:
    found = reranked("which pump?", HITS, Ranking(reranker=Counting(), reranked=3))
    assert [(hit.point_id, hit.score) for hit in found] == [("c", 2), ("b", 1), ("a", 0), ("d", 0.6)]


def test_more_hits_are_reranked_than_are_asked_for() -> None:
    store = Held()
    assert ask(store, Ranking(reranker=Counting(), reranked=4)) == ["d", "c"]
    assert store.asked["limit"] == 4
    assert ask(store, Ranking(reranker=Counting(), reranked=1), limit=3) == ["a", "b", "c"]
    assert ask(store, None) == ["a", "b"]
    assert store.asked["limit"] == 2


def test_a_reranker_reads_breadcrumb_and_the_nearest_part_of_bounded_length() -> None:
    reads = Counting()
    hits = [hit("a", "whole text", 1, breadcrumb="Pumps > Priming", part="a part"), hit("b", "x" * 9_000, 0.5)]
    reranked("q", hits, Ranking(reranker=reads))
    assert reads.read == [("q", ["Pumps > Priming\na part", "x" * MOST_CHARACTERS])]
    assert isinstance(reads, Reranker)


def test_of_equal_scores_the_order_of_the_search_stands() -> None:
    assert [hit.point_id for hit in reranked("q", HITS, Ranking(reranker=Failing([1, 2, 1, 2])))] == list("bdac")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "the server is away"),
        ([1, 2, 3], "failing/1 did not give one number a passage"),
        ([1, 2, 3, float("nan")], "did not give one number a passage"),
        ([], "did not give one number a passage"),
    ],
)
def test_a_failure_leaves_the_hits_as_they_were_and_says_so(
    answer: Sequence[float] | None, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert reranked("q", HITS, Ranking(reranker=Failing(answer))) == HITS
    assert "Not reranked, hits stand as the search ranked them: " in caplog.text
    assert reason in caplog.text


def test_nothing_found_asks_no_reranker() -> None:
    assert reranked("q", [], Ranking(reranker=Failing(None))) == []


def test_a_context_is_filled_in_the_reranked_order() -> None:
    found: Any = Held()
    encoder: Any = Encoder()
    # Room for one source and its words: without a reranker that is the valve's.
    told = [
        context("q", 22, store=found, embedder=encoder, sparse=encoder, ranking=ranking).pieces[0].text
        for ranking in (Ranking(reranker=Counting()), None)
    ]
    assert told == ["a pump, a pump, a pump", "valve"]


def test_the_weights_of_the_settings_reach_the_store() -> None:
    store = Held()
    ask(store, make_ranking(Settings(search_dense_weight=0.7, search_page_weight=0.1)))
    assert (store.asked["dense_weight"], store.asked["page_weight"]) == (0.7, 0.1)
    ask(store, None)
    assert (store.asked["dense_weight"], store.asked["page_weight"]) == (0.5, 0.25)


def test_words_lead_where_the_embedder_does_not_read_whatever_the_settings_say() -> None:
    store = Held()
    ask(store, make_ranking(Settings(search_dense_weight=0.7)), site="deutsch")
    assert store.asked["dense_weight"] == UNREAD_DENSE_WEIGHT
    ask(store, make_ranking(Settings(search_dense_weight=0.1)), site="deutsch")
    assert store.asked["dense_weight"] == 0.1


def test_reranking_is_off_unless_asked_for() -> None:
    named = Settings(reranker="cohere:m", reranker_base_url="http://localhost:1/v1", reranker_hits=7)
    assert make_ranking(named).reranker is None
    asked = make_ranking(named, rerank=True, environment={})
    assert asked.reranker is not None
    assert (asked.reranker.name, asked.reranked) == ("cohere/m", 7)
    always = named.model_copy(update={"rerank": True})
    assert make_ranking(always, environment={}).reranker is not None
    assert make_ranking(always, rerank=False).reranker is None


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({}, "reranking needs a reranker: write fastembed:MODEL or cohere:MODEL"),
        ({"reranker": "cohere:"}, "reranker = 'cohere:' is unknown"),
        ({"reranker": "bert"}, "reranker = 'bert' is unknown"),
        (
            {"reranker": "fastembed:ms-marco"},
            r"fastembed has no such cross-encoder(.|\n)*Xenova/ms-marco-MiniLM-L-6-v2",
        ),
        ({"reranker": "cohere:m"}, "needs reranker_base_url"),
        ({"reranker": "cohere:m", "reranker_base_url": "localhost:80"}, "it is 'localhost:80'"),
    ],
)
def test_what_cannot_be_used_is_refused_before_anything_is_asked(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        make_ranking(Settings(**settings), rerank=True, environment={})
