"""In whose terms a question is put, and which side leads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from indexing.query import DENSE_WEIGHT
from indexing.search import UNREAD_DENSE_WEIGHT, by_page, encode_for, search
from wrac.records import Hit, SparseVector

if TYPE_CHECKING:
    from collections.abc import Sequence


class English:
    name, dimension, max_tokens = "e/1", 1, 100
    languages: frozenset[str] | None = frozenset({"en"})

    def embed_query(self, text: str) -> np.ndarray:
        return np.ones(1, dtype=np.float32)


class Tags:
    """Each language is a term of its own, the term 1 is common to all."""

    name = "tags"

    def encode_query(self, text: str, language: str = "") -> SparseVector:
        terms = sorted({1, 100 + sum(map(ord, language))})
        return SparseVector(np.asarray(terms, dtype=np.uint32), np.ones(len(terms), dtype=np.float32))


class Store:
    def __init__(self, *languages: str) -> None:
        self.held = languages
        self.asked: dict[str, Any] = {}

    def verify(self, embedder: object, sparse: object) -> None:
        self.asked["verified"] = True

    def languages(self, site: str | None = None) -> Sequence[str]:
        return self.held

    def search(self, dense: np.ndarray, sparse: SparseVector, **options: Any) -> list[object]:
        self.asked |= options | {"terms": set(sparse.indices.tolist())}
        return []


def ask(store: Store, question: str, **options: Any) -> dict[str, Any]:
    search(question, store=store, embedder=English(), sparse=Tags(), **options)
    return store.asked


def term(language: str) -> int:
    return 100 + sum(map(ord, language))


def test_the_terms_are_those_of_the_documents() -> None:
    assert ask(Store("de", "fr"), "password")["terms"] == {1, term("de"), term("fr")}


def test_regions_of_a_language_are_one() -> None:
    assert ask(Store("pt-br", "pt", "en-us"), "password")["terms"] == {1, term("pt"), term("en")}


def test_a_filter_names_the_language() -> None:
    assert ask(Store("de", "fr"), "password", filters={"language": "fr"})["terms"] == {1, term("fr")}


def test_documents_of_unknown_language_are_asked_in_the_question_s() -> None:
    assert ask(Store(), "Wie ändere ich das Passwort?")["terms"] == {1, term("de")}


def test_each_term_counts_once() -> None:
    merged = encode_for("x", ["de", "fr"], Tags())
    assert merged.values.tolist() == [1, 1, 1]
    assert merged.indices.tolist() == sorted(merged.indices.tolist())


@pytest.mark.parametrize(
    ("held", "question", "weight"),
    [
        (("en",), "How do I reset it?", DENSE_WEIGHT),
        (("en",), "password", DENSE_WEIGHT),
        ((), "password", DENSE_WEIGHT),
        (("de", "en"), "How do I reset it?", DENSE_WEIGHT),
        (("de",), "How do I reset it?", UNREAD_DENSE_WEIGHT),
        (("en",), "Wie ändere ich das Passwort?", UNREAD_DENSE_WEIGHT),
        (("ja",), "パスワード", UNREAD_DENSE_WEIGHT),
    ],
)
def test_words_lead_where_the_embedder_does_not_read(held: tuple[str, ...], question: str, weight: float) -> None:
    assert ask(Store(*held), question)["dense_weight"] == weight


def test_the_collection_is_verified_first() -> None:
    assert ask(Store("en"), "x")["verified"]


def test_pages_come_in_the_order_of_their_best_hit() -> None:
    def hit(page: str, fragment: str, score: float, site: str = "docs") -> Hit:
        return Hit(fragment, score, "", "", f"https://d.example/{page}#{fragment}", page, site, {"page_id": page})

    hits = [hit("b", "1", 0.9), hit("a", "2", 0.8), hit("b", "3", 0.7), hit("b", "4", 0.6, site="other")]
    pages = by_page(hits)
    assert [(page.url, page.title, page.score) for page in pages] == [
        ("https://d.example/b", "b", 0.9),
        ("https://d.example/a", "a", 0.8),
        ("https://d.example/b", "b", 0.6),
    ]
    assert pages[0].hits == (hits[0], hits[2])
