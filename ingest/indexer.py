"""What the foreman needs of the index, so that a run can do without one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn, Protocol

import indexing
from indexing.description import BM25_NAME, EmbedderDescription
from indexing.layout import LAYOUT_VERSION, CollectionLayout
from wrac.errors import EmbeddingFailed
from wrac.ids import digest_of
from wrac.records import Usage

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    import numpy as np

    from indexing import PageFacts, QdrantStore, VectorCache
    from wrac.config import Settings
    from wrac.protocols import Embedder, SparseEncoder, Store
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
        """It is known what points will be made of, and models that may be missing are loaded.

        Raises ``ConfigError``, ``TransientError``.
        """
        ...

    def stamp(self) -> str:
        """Equal stamps mean that the collection is as it was; empty where only the collection itself can tell."""
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


@dataclass(frozen=True, slots=True)
class IndexingRecipe:
    """The indexing part of a recipe, which can be read back: vectors are found by it without their model."""

    embedder: str
    dimension: int
    sparse: str
    window_tokens: int
    layout: int = LAYOUT_VERSION

    def __str__(self) -> str:
        return f"{self.embedder} dim={self.dimension} {self.sparse} windows={self.window_tokens} layout/{self.layout}"

    @classmethod
    def parse(cls, text: str) -> IndexingRecipe | None:
        """What ``str`` of a recipe wrote; None where the text is none."""
        found = _RECIPE.fullmatch(text)
        return found and cls(found[1], int(found[2]), found[3], int(found[4]), int(found[5]))

    @property
    def collection_layout(self) -> CollectionLayout:
        """The layout of the collection that such points go into."""
        return CollectionLayout(self.embedder, self.dimension, self.sparse, self.layout)


_RECIPE = re.compile(r"(.+) dim=(\d+) (.+) windows=(\d+) layout/(\d+)")


class ArchivedVectors:
    """Stands for an embedder whose vectors are all in the archive: it is named, and never asked."""

    max_tokens = 0
    languages: frozenset[str] | None = None

    def __init__(self, name: str, dimension: int) -> None:
        self.name = name
        self.dimension = dimension

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """No text may be missing."""
        if texts:
            self._refuse(f"vectors of {len(texts)} texts")
        import numpy as np  # noqa: PLC0415 - a crawl that finds nothing new needs none

        return np.zeros((0, self.dimension), dtype=np.float32)

    def embed_query(self, text: str) -> np.ndarray:  # noqa: ARG002
        """Queries are not archived."""
        self._refuse("vectors of queries")

    def token_spans(self, text: str) -> Sequence[tuple[int, int]]:  # noqa: ARG002
        """Only a text that is missing is cut."""
        self._refuse("vectors of a text")

    def _refuse(self, what: str) -> NoReturn:
        raise EmbeddingFailed(f"{what} by {self.name} are not in the archive", stage="embed")


class CollectionIndexer:
    """The embedder and the collection that the settings name."""

    def __init__(self, settings: Settings, collection: str) -> None:
        self.collection = collection
        self.recipe = ""
        self.languages: frozenset[str] | None = None
        self._settings = settings
        self._window_tokens = settings.window_tokens
        self._described: EmbedderDescription | None = None

    @classmethod
    def from_archive(cls, settings: Settings, collection: str, recipe: IndexingRecipe) -> CollectionIndexer:
        """Indexes as ``recipe`` says with vectors of the archive alone; no model is loaded but the sparse encoder."""
        indexer = cls(settings, collection)
        indexer._window_tokens = recipe.window_tokens
        indexer._embedder = ArchivedVectors(recipe.embedder, recipe.dimension)
        indexer.recipe = str(recipe)
        return indexer

    @property
    def usage(self) -> Usage:
        """See ``Indexer.usage``."""
        if "_embedder" not in self.__dict__:
            return Usage()
        usage: Usage = getattr(self._embedder, "usage", Usage())
        return usage

    @property
    def encoders(self) -> tuple[Embedder, SparseEncoder]:
        """What texts and queries are encoded with; valid after ``prepare``."""
        return self._embedder, self._sparse

    @property
    def layout(self) -> CollectionLayout:
        """The layout of the collection that its points go into; valid after ``prepare``."""
        embedder = self._described or self._embedder
        return CollectionLayout(embedder.name, embedder.dimension, BM25_NAME)

    @cached_property
    def _embedder(self) -> Embedder:
        return indexing.make_embedder(self._settings)

    @cached_property
    def _sparse(self) -> SparseEncoder:
        return indexing.make_sparse_encoder(self._settings)

    def prepare(self) -> None:
        """See ``Indexer.prepare``. The embedded default comes with the package and is loaded with the first text."""
        self._described = indexing.describe_embedder(self._settings)
        self.languages = (self._described or self._embedder).languages
        layout = self.layout
        self.recipe = str(IndexingRecipe(layout.embedder, layout.dimension, layout.sparse, self._window_tokens))

    def stamp(self) -> str:
        """See ``Indexer.stamp``. With another recipe it is another one: the collection has to be looked at."""
        files = indexing.stamp_of(self._settings)
        return digest_of(files, self.recipe) if files else ""

    def open(self) -> HeldStore:
        """See ``Indexer.open``."""
        store = self.store()
        try:
            store.ensure(self._embedder, self._sparse)
        except BaseException:
            store.close()
            raise
        return store

    def store(self) -> QdrantStore:
        """The collection as it stands, for whatever encoders. Raises ``StoreLocked``, ``StoreError``."""
        return indexing.open_store(self._settings, self.collection)

    def keys(self, texts: Sequence[str]) -> list[str]:
        """See ``Indexer.keys``."""
        return [indexing.vector_key(text, self._embedder, self._window_tokens) for text in texts]

    def vectors(self, texts: Sequence[str], language: str, cache: VectorCache) -> list[ChunkVectors]:
        """See ``Indexer.vectors``."""
        return indexing.vectors_for(
            texts, language, self._embedder, self._sparse, window_tokens=self._window_tokens, cache=cache
        )

    def points(self, page: PageFacts, chunks: Sequence[Chunk], vectors: Sequence[ChunkVectors]) -> list[Point]:
        """See ``Indexer.points``."""
        return indexing.build_points(page, chunks, indexing.with_names(page, chunks, vectors, self._sparse))
