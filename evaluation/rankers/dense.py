"""Cosine similarity of one vector a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wrac.protocols import Embedder


class DenseRanking:
    """Makes rankers for one embedder; what several methods have in common, queries above all, is embedded once.

    A text longer than the model reads is cut into windows whose vectors are averaged by length: a stand-in for an
    embedder of long texts, so that large chunks are not judged by their first page only.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._texts: dict[str, np.ndarray] = {}
        self._queries: dict[str, np.ndarray] = {}

    def __call__(self, texts: Sequence[str]) -> DenseRanker:
        """A ranker of ``texts``."""
        vectors = np.stack([self._vector(text) for text in texts])
        return DenseRanker(vectors, self._query_vector)

    def _vector(self, text: str) -> np.ndarray:
        if text not in self._texts:
            spans, step = self._embedder.token_spans(text), self._embedder.max_tokens
            windows = [spans[first : first + step] for first in range(0, len(spans), step)]
            parts = [text[window[0][0] : window[-1][1]] for window in windows] or [text]
            weights = np.array([len(window) for window in windows] or [1], dtype=np.float32)
            mean = weights @ self._embedder.embed(parts)
            self._texts[text] = mean / np.linalg.norm(mean)
        return self._texts[text]

    def _query_vector(self, text: str) -> np.ndarray:
        if text not in self._queries:
            self._queries[text] = self._embedder.embed_query(text)
        return self._queries[text]


class DenseRanker:
    """Ranks texts whose vectors are known."""

    def __init__(self, vectors: np.ndarray, query_vector: Callable[[str], np.ndarray]) -> None:
        self._vectors = vectors
        self._query_vector = query_vector

    def scores(self, query: str) -> np.ndarray:
        """shape (texts,): cosine similarities."""
        return np.asarray(self._vectors @ self._query_vector(query))
