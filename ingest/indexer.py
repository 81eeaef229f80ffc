"""What the foreman needs of the index, so that a run can do without one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from indexing import (
    build_points,
    make_embedder,
    make_sparse_encoder,
    open_store,
    vector_key,
    vectors_for,
)
from indexing.layout import LAYOUT_VERSION
from wrac.records import Usage

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from indexing import PageFacts, VectorCache
    from wrac.config import Settings
    from wrac.protocols import Store
    from wrac.records import Chunk, ChunkVectors, Point


class HeldStore(Protocol):
    """A store for as long as a ``with`` block runs."""

    def __enter__(self) -> Store: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...


class Indexer(Protocol):
    """Chunks to points, and the collection that they go into. Used by one thread at a time."""

    recipe: str
    """Names and versions of all that shapes points; valid after ``prepare``."""
    languages: frozenset[str] | None
    """Primary language subtags that the embedder reads, None for any; valid after ``prepare``."""

    @property
    def usage(self) -> Usage:
        """What a server has billed for embedding since and by ``prepare``; nothing where the embedder is local."""
        ...

    def prepare(self) -> None:
        """Models are loaded. Raises ``ConfigError``, ``TransientError``."""
        ...

    def open(self) -> HeldStore:
        """The collection, made where it is missing. Raises ``StoreLocked``, ``StoreError``."""
        ...

    def keys(self, texts: Sequence[str]) -> list[str]:
        """The cache key of each embed_text."""
        ...

    def vectors(self, texts: Sequence[str], language: str, cache: VectorCache) -> list[ChunkVectors]:
        """Vectors of each embed_text. Raises ``EmbeddingFailed``, ``TransientError``."""
        ...

    def points(self, page: PageFacts, chunks: Sequence[Chunk], vectors: Sequence[ChunkVectors]) -> list[Point]:
        """One point per chunk, in order."""
        ...


class CollectionIndexer:
    """The embedder and the collection that the settings name."""

    def __init__(self, settings: Settings, collection: str) -> None:
        self.collection = collection
        self.recipe = ""
        self.languages: frozenset[str] | None = None
        self._settings = settings

    @property
    def usage(self) -> Usage:
        """See ``Indexer.usage``."""
        usage: Usage = getattr(self._embedder, "usage", Usage())
        return usage

    def prepare(self) -> None:
        """See ``Indexer.prepare``."""
        self._embedder = make_embedder(self._settings)
        self._sparse = make_sparse_encoder(self._settings)
        self.languages = self._embedder.languages
        windows = self._settings.window_tokens
        self.recipe = f"{self._embedder.name} {self._sparse.name} windows={windows} layout/{LAYOUT_VERSION}"

    def open(self) -> HeldStore:
        """See ``Indexer.open``."""
        store = open_store(self._settings, self.collection)
        try:
            store.ensure(self._embedder, self._sparse)
        except BaseException:
            store.close()
            raise
        return store

    def keys(self, texts: Sequence[str]) -> list[str]:
        """See ``Indexer.keys``."""
        return [vector_key(text, self._embedder, self._settings.window_tokens) for text in texts]

    def vectors(self, texts: Sequence[str], language: str, cache: VectorCache) -> list[ChunkVectors]:
        """See ``Indexer.vectors``."""
        window_tokens = self._settings.window_tokens
        return vectors_for(texts, language, self._embedder, self._sparse, window_tokens=window_tokens, cache=cache)

    def points(self, page: PageFacts, chunks: Sequence[Chunk], vectors: Sequence[ChunkVectors]) -> list[Point]:
        """See ``Indexer.points``."""
        return build_points(page, chunks, vectors)
