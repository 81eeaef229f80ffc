"""The seams of the house: what may be exchanged, and what every implementation must keep.

One contract suite per protocol runs over all of its implementations (``tests/contracts``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np

    from wrac.records import (
        ChunkPlan,
        CleanedPage,
        Hit,
        MarkdownDocument,
        Point,
        PointDigests,
        SparseVector,
        UnitTree,
    )


@runtime_checkable
class Converter(Protocol):
    """Clean tree to Markdown. Pure: the same page gives the same text and digest."""

    name: str
    """Name and version, e.g. ``html/1``; part of the recipe."""

    def convert(self, page: CleanedPage) -> MarkdownDocument:
        """Markdown of the page. Raises ``ConversionFailed``."""
        ...


@runtime_checkable
class Planner(Protocol):
    """Groups units by their ids. The plan that comes back is lossless and in order, whatever happens inside."""

    name: str

    def plan(self, tree: UnitTree) -> ChunkPlan:
        """A plan that owns every unit of the tree exactly once, in order. Never raises for a page's content."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Texts to unit vectors. Deterministic for one model."""

    name: str
    """Name and version; part of the recipe and of every vector's cache key."""
    dimension: int
    max_tokens: int
    """Tokens of its own tokenizer that one input may have, special tokens not counted."""
    languages: frozenset[str] | None
    """Primary language subtags that the model reads; None where it reads any."""

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """shape (len(texts), dimension), float32, rows of unit length.

        Raises ``EmbeddingFailed``, ``TransientError``.
        """
        ...

    def embed_query(self, text: str) -> np.ndarray:
        """shape (dimension,), float32, unit length."""
        ...

    def token_spans(self, text: str) -> Sequence[tuple[int, int]]:
        """Character spans of the tokens of ``text``, in order, special tokens left out."""
        ...


@runtime_checkable
class SparseEncoder(Protocol):
    """Texts to weighted terms for the lexical side."""

    name: str

    def encode(self, texts: Sequence[str], language: str) -> list[SparseVector]:
        """One vector per text; ``language`` is a BCP 47 tag, empty where unknown."""
        ...

    def encode_query(self, text: str, language: str = "") -> SparseVector:
        """The query's terms, weight 1 each."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """Reads a question and passages together. Optional: without one, hits stand as the search ranked them."""

    name: str

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """One finite number a text, in order; the higher, the better it answers. Bounded in time.

        Raises ``RerankFailed`` for whatever goes wrong.
        """
        ...


@runtime_checkable
class Store(Protocol):
    """One collection that chatbots query. Opened by name, closed by ``close`` or as a context manager."""

    def ensure(self, embedder: Embedder, sparse: SparseEncoder) -> None:
        """The collection exists with our layout, for these encoders; made where there was none.

        Raises ``StoreError`` where a collection of other encoders or of another layout stands.
        """
        ...

    def verify(self, embedder: Embedder, sparse: SparseEncoder) -> None:
        """The collection exists and was written with these encoders, else ``StoreError``; nothing is made."""
        ...

    def upsert(self, points: Sequence[Point]) -> None:
        """All points are stored and visible to the next search. Running twice is a no-op."""
        ...

    def delete(self, point_ids: Iterable[str]) -> None:
        """None of the ids is in the collection; unknown ids are no error."""
        ...

    def set_payload(self, payloads: Mapping[str, Mapping[str, object]]) -> None:
        """Replaces the payload of each point, vectors untouched."""
        ...

    def existing(self, point_ids: Sequence[str]) -> set[str]:
        """Which of the ids are stored."""
        ...

    def page_points(self, site: str, page_id: str) -> set[str]:
        """Ids of all points of one page."""
        ...

    def page_digests(self, site: str, page_id: str) -> Mapping[str, PointDigests]:
        """What is stored for one page, by point id."""
        ...

    def site_digests(self, site: str) -> Mapping[str, Mapping[str, PointDigests]]:
        """What is stored for one site: page id -> point id -> digests, read in one pass."""
        ...

    def site_points(self, site: str) -> set[str]:
        """Ids of all points of one site."""
        ...

    def languages(self, site: str | None = None) -> Sequence[str]:
        """BCP 47 tags of the stored points, the most frequent first, unknown ones left out."""
        ...

    def count(self, site: str | None = None) -> int:
        """Exact number of points, of one site or of all."""
        ...

    def search(
        self,
        dense: np.ndarray,
        sparse: SparseVector,
        *,
        limit: int,
        site: str | None = None,
        filters: Mapping[str, object] | None = None,
        dense_weight: float = 0.5,
        page_weight: float = 0.25,
    ) -> list[Hit]:
        """Hybrid search, best first.

        ``dense_weight`` is the share of the dense side in a score, ``page_weight`` what the best score of a hit's page
        weighs beside its own.
        """
        ...

    def close(self) -> None:
        """Lets go of the collection; further calls are errors."""
        ...
