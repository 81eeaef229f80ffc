"""Vectors of texts: what is paid for once, and what comes back from the cache."""

from __future__ import annotations

import numpy as np
import pytest

from indexing import vector_key, vectors_for
from indexing.vectors import pack, pack_windows, unpack, unpack_windows
from wrac.errors import EmbeddingFailed
from wrac.records import SparseVector


class Lengths:
    """A text's vector points by its length; counts what it was asked."""

    name, dimension, max_tokens, languages = "lengths/1", 2, 100, None

    def __init__(self) -> None:
        self.seen: list[str] = []

    def embed(self, texts: list[str]) -> np.ndarray:
        self.seen += texts
        angles = np.asarray([len(text) for text in texts]) * 0.1
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    def embed_query(self, text: str) -> np.ndarray:
        return self.embed([text])[0]

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return [(place, place + 1) for place in range(len(text))]


class NoTerms:
    name = "none"

    def encode(self, texts: list[str], language: str) -> list[SparseVector]:
        return [SparseVector(np.asarray([len(language)], dtype=np.uint32), np.ones(1, np.float32)) for _ in texts]

    def encode_query(self, text: str, language: str = "") -> SparseVector:
        return self.encode([text], language)[0]


def test_each_distinct_text_is_embedded_once() -> None:
    embedder, cache = Lengths(), {}
    first = vectors_for(["abc", "abcd", "abc"], "en", embedder, NoTerms(), window_tokens=50, cache=cache)
    again = vectors_for(["abcd", "abc"], "en", embedder, NoTerms(), window_tokens=50, cache=cache)
    assert embedder.seen == ["abc", "abcd"]
    assert np.array_equal(first[0].dense, again[1].dense)
    assert np.array_equal(first[0].dense, first[2].dense)
    assert first[0].spans == ((0, 3),)
    assert first[0].sparse.indices.tolist() == [2]


def test_the_dense_vector_is_the_mean_of_the_windows() -> None:
    vectors = vectors_for(["x" * 80], "en", Lengths(), NoTerms(), window_tokens=40)[0]
    assert [end - start for start, end in vectors.spans] == [40, 40]
    assert vectors.windows.shape == (2, 2)
    assert np.linalg.norm(vectors.dense) == pytest.approx(1)
    assert vectors.dense == pytest.approx(vectors.windows[0])


def test_a_key_names_everything_that_shapes_the_vectors() -> None:
    other = Lengths()
    other.name = "lengths/2"
    keys = {
        vector_key("abc", Lengths(), 120),
        vector_key("abd", Lengths(), 120),
        vector_key("abc", Lengths(), 121),
        vector_key("abc", other, 120),
    }
    assert len(keys) == 4
    assert vector_key("abc", Lengths(), 120) in keys


def test_a_vector_that_is_no_number_is_refused() -> None:
    class Broken(Lengths):
        def embed(self, texts: list[str]) -> np.ndarray:
            return np.full((len(texts), 2), np.nan, dtype=np.float32)

    cache: dict[str, bytes] = {}
    with pytest.raises(EmbeddingFailed, match="lengths/1"):
        vectors_for(["abc"], "en", Broken(), NoTerms(), cache=cache)
    assert cache == {}


def test_no_texts_are_no_vectors() -> None:
    assert vectors_for([], "en", Lengths(), NoTerms()) == []


def test_packing_keeps_every_bit() -> None:
    rows = np.random.default_rng(1).normal(size=(3, 5)).astype(np.float32)
    spans = ((0, 7), (7, 9), (9, 70_000))
    unpacked, found = unpack(pack(rows, spans), 5)
    assert np.array_equal(unpacked, rows)
    assert found == spans


def test_windows_in_a_payload_keep_three_digits() -> None:
    rows = np.asarray([[0.123456, -0.5], [1, 0]], dtype=np.float32)
    assert np.allclose(unpack_windows(pack_windows(rows), 2), rows, atol=1e-4)
