"""Queries that were embedded a moment ago: a chatbot asks one question for its answer, its sources and its checks."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from wrac.protocols import Embedder

MOST_QUERIES = 1024
"""Queries that are remembered: at 384 dimensions, 1.5 MB."""


class RememberedQueries:
    """An embedder that embeds a query once, as long as no ``most`` others were asked since. Calls from any thread."""

    def __init__(self, embedder: Embedder, most: int = MOST_QUERIES) -> None:
        self.name = embedder.name
        self.dimension = embedder.dimension
        self.max_tokens = embedder.max_tokens
        self.languages = embedder.languages
        self._embedder = embedder
        self._most = most
        self._vectors: OrderedDict[str, np.ndarray] = OrderedDict()
        self._lock = Lock()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """As the embedder does; texts are not remembered."""
        return self._embedder.embed(texts)

    def embed_query(self, text: str) -> np.ndarray:
        """As the embedder does; not to be written to, for the next one who asks gets the same array."""
        with self._lock:
            if (known := self._vectors.get(text)) is not None:
                self._vectors.move_to_end(text)
                return known
        vector = self._embedder.embed_query(text)
        vector.setflags(write=False)
        with self._lock:
            self._vectors[text] = vector
            while len(self._vectors) > self._most:
                self._vectors.popitem(last=False)
        return vector

    def token_spans(self, text: str) -> Sequence[tuple[int, int]]:
        """As the embedder does."""
        return self._embedder.token_spans(text)
