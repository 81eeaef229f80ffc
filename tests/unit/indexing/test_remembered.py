"""A query is embedded once."""

from __future__ import annotations

import numpy as np
import pytest

from indexing.remembered import RememberedQueries
from wrac.protocols import Embedder


class Counting:
    name, dimension, max_tokens, languages = "counting/1", 2, 10, None

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts):
        return np.ones((len(texts), 2), dtype=np.float32)

    def embed_query(self, text):
        self.asked.append(text)
        return np.asarray([len(text), 1], dtype=np.float32)

    def token_spans(self, text):
        return [(0, len(text))]


def test_a_query_is_embedded_once_and_the_oldest_is_forgotten() -> None:
    inner = Counting()
    remembered = RememberedQueries(inner, most=2)
    for text in ("a", "bb", "a", "ccc", "a", "bb"):
        assert remembered.embed_query(text).tolist() == [len(text), 1]
    assert inner.asked == ["a", "bb", "ccc", "bb"]


def test_it_stands_for_its_embedder() -> None:
    remembered = RememberedQueries(Counting())
    assert isinstance(remembered, Embedder)
    assert (remembered.name, remembered.dimension, remembered.max_tokens) == ("counting/1", 2, 10)
    assert remembered.embed(["x"]).shape == (1, 2)
    assert remembered.token_spans("abc") == [(0, 3)]


def test_nobody_can_spoil_what_is_remembered() -> None:
    vector = RememberedQueries(Counting()).embed_query("a")
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 0
