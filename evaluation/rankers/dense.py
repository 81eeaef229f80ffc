"""Cosine similarity of one vector a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wrac.protocols import Embedder


class DenseRanker:
    """A text longer than the model reads is cut into windows whose vectors are averaged by length.

    A stand-in for an embedder of long texts, so that large chunks are not judged by their first page only.
    """

    def __init__(self, texts: Sequence[str], embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors = np.stack([self._vector(text) for text in texts])

    def scores(self, query: str) -> np.ndarray:
        """shape (texts,): cosine similarities."""
        found: np.ndarray = self._vectors @ self._embedder.embed_query(query)
        return found

    def _vector(self, text: str) -> np.ndarray:
        spans, step = self._embedder.token_spans(text), self._embedder.max_tokens
        windows = [spans[first : first + step] for first in range(0, len(spans), step)]
        parts = [text[window[0][0] : window[-1][1]] for window in windows] or [text]
        weights = np.array([len(window) for window in windows] or [1], dtype=np.float32)
        mean = weights @ self._embedder.embed(parts)
        vector: np.ndarray = mean / np.linalg.norm(mean)
        return vector
