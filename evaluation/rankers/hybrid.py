"""Our own search, for the chunks of any method: vectors, points, an in-memory collection, fused scores."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

import numpy as np

from indexing import PageFacts, build_points, open_store, vectors_for, with_names
from indexing.remembered import RememberedQueries
from indexing.search import search
from wrac.config import Settings
from wrac.ids import digest, page_id
from wrac.records import Chunk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexing import QdrantStore, VectorCache
    from wrac.protocols import Embedder, SparseEncoder
    from wrac.records import Point

MOST_HITS = 40
"""Hits that are asked for: more than any budget that is judged holds."""
_LANGUAGE = "en"
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


class HybridRanking:
    """Makes rankers that ask a collection; a text that several methods share is embedded once.

    Every method's chunks get the same treatment: the first line of a chunk of several lines is taken for its
    breadcrumb, and the URL of its page is made of its file's name.
    """

    def __init__(self, embedder: Embedder, sparse: SparseEncoder, cache: VectorCache | None = None) -> None:
        self._embedder = RememberedQueries(embedder)
        self._sparse = sparse
        self._cache: VectorCache = {} if cache is None else cache

    def of_files(self, texts: Sequence[str], filenames: Sequence[str]) -> HybridRanker:
        """A ranker of ``texts``, each from the file at its place."""
        store = open_store(Settings.model_validate({"store": ":memory:"}), "evaluation", {})
        store.ensure(self._embedder, self._sparse)
        vectors = vectors_for(texts, _LANGUAGE, self._embedder, self._sparse, cache=self._cache)
        numbers: dict[str, int] = {}
        points: list[Point] = []
        for number, (text, filename) in enumerate(zip(texts, filenames, strict=True)):
            page, chunk = _page(filename), _chunk(text, number)
            named = with_names(page, [chunk], [vectors[number]], self._sparse)
            (point,) = build_points(page, [chunk], named)
            numbers[point.id] = number
            points.append(point)
        store.upsert(points)
        return HybridRanker(store, self._embedder, self._sparse, numbers)


class HybridRanker:
    """Ranks the chunks of one collection."""

    def __init__(self, store: QdrantStore, embedder: Embedder, sparse: SparseEncoder, numbers: dict[str, int]) -> None:
        self._store = store
        self._embedder = embedder
        self._sparse = sparse
        self._numbers = numbers

    def scores(self, query: str) -> np.ndarray:
        """shape (texts,): scores of the hits, -1 for all other texts."""
        scores = np.full(len(self._numbers), -1.0)
        for hit in search(query, store=self._store, embedder=self._embedder, sparse=self._sparse, limit=MOST_HITS):
            scores[self._numbers[hit.point_id]] = hit.score
        return scores


def _page(filename: str) -> PageFacts:
    url = f"https://corpus.example/{quote(filename)}"
    return PageFacts(site="corpus", page_id=page_id(url), url=url, title="", fetched_at=_LONG_AGO, language=_LANGUAGE)


def _chunk(text: str, number: int) -> Chunk:
    first, newline, _ = text.partition("\n")
    breadcrumb = first if newline else ""
    return Chunk(
        text=text,
        embed_text=text,
        heading_path=(breadcrumb,) if breadcrumb else (),
        breadcrumb=breadcrumb,
        unit_ids=(),
        kind="section",
        fragment="",
        ordinal=number,
        tokens=0,
        digest=digest(f"{number} {text}"),
    )
