"""An index that keeps nothing: no model is loaded, no vector made, no point stored; everything else is as in a run."""

# ruff: noqa: ARG002 - the signatures are those of the real ones

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexing import build_points
from wrac.ids import digest
from wrac.records import ChunkVectors, SparseVector, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from indexing import PageFacts, VectorCache
    from wrac.records import Chunk, Point

NOTHING = ChunkVectors(
    dense=np.zeros(4, np.float32),
    windows=np.zeros((1, 4), np.float32),
    sparse=SparseVector(np.zeros(0, np.uint32), np.zeros(0, np.float32)),
)


class NullStore:
    """Remembers ids, so that a verification finds what was written, and no payload or vector."""

    def __init__(self) -> None:
        self._ids: set[str] = set()

    def upsert(self, points: Sequence[Point]) -> None:
        """The ids are known; the points are dropped."""
        self._ids.update(point.id for point in points)

    def delete(self, point_ids: Iterable[str]) -> None:
        """The ids are unknown again."""
        self._ids.difference_update(point_ids)

    def set_payload(self, payloads: Mapping[str, Mapping[str, object]]) -> None:
        """Dropped."""

    def existing(self, point_ids: Sequence[str]) -> set[str]:
        """Which ids were written."""
        return self._ids.intersection(point_ids)

    def page_points(self, site: str, page_id: str) -> set[str]:
        """None: a first crawl."""
        return set()

    def page_digests(self, site: str, page_id: str) -> dict[str, object]:
        """None: a first crawl."""
        return {}

    def site_digests(self, site: str) -> dict[str, dict[str, object]]:
        """None: a first crawl."""
        return {}

    def site_points(self, site: str) -> set[str]:
        """All ids that were written."""
        return set(self._ids)

    def count(self, site: str | None = None) -> int:
        """How many ids were written."""
        return len(self._ids)

    def close(self) -> None:
        """Nothing to let go of."""

    def __enter__(self) -> NullStore:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to let go of."""


class NullIndexer:
    """Takes the place of ``ingest.indexer.CollectionIndexer``."""

    recipe = "null/1"
    languages: frozenset[str] | None = None
    usage = Usage()

    def __init__(self, *_: object, **__: object) -> None:
        self._store = NullStore()

    def prepare(self) -> None:
        """There is nothing to load."""

    def stamp(self) -> str:
        """The store knows by itself."""
        return ""

    def open(self) -> NullStore:
        """The same store every time."""
        return self._store

    def keys(self, texts: Sequence[str]) -> list[str]:
        """Digests of the texts."""
        return [digest(text) for text in texts]

    def vectors(self, texts: Sequence[str], language: str, cache: VectorCache) -> list[ChunkVectors]:
        """The same null vectors for each text."""
        return [NOTHING] * len(texts)

    def points(self, page: PageFacts, chunks: Sequence[Chunk], vectors: Sequence[ChunkVectors]) -> list[Point]:
        """Points with their real ids and payloads."""
        return build_points(page, chunks, vectors)
