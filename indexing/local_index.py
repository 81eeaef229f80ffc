"""What a search asks of local mode, answered out of arrays: local mode goes through its points in Python.

Local mode compares a query with the terms of every point one by one (43 ms of CPU time for 1,000 points), tests filters
and normalises all dense vectors for each query. Here its vectors are read once, by its own `scroll`: dense ones as a
matrix, terms as an inverted index. The scores are those of local mode; the points stay with it.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from qdrant_client import models
from qdrant_client.http.models import QueryResponse  # in ``models`` another one has its name

from indexing.layout import DENSE, FILTER_KEYS, RESCORED_KEYS, SPARSE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from qdrant_client import QdrantClient

COLUMNS = tuple(dict.fromkeys(("site", *FILTER_KEYS.values(), *RESCORED_KEYS)))
"""Payload keys that a search may be narrowed by, and those that its candidates are scored again by."""
MOST_MASKS = 256
"""Conditions whose points are remembered: a chatbot asks by the same few."""
_SCROLL_BATCH = 2_000


class LocalIndex:
    """The points of one collection as they were when this was made. Signatures are those of ``QdrantClient``."""

    def __init__(self, client: QdrantClient, collection: str) -> None:
        self._client = client
        records = list(_records(client, collection))
        self._ids = [str(record.id) for record in records]
        self._rows = {identity: row for row, identity in enumerate(self._ids)}
        self._payloads: list[Mapping[str, Any]] = [record.payload or {} for record in records]
        self._masks: dict[tuple[str, tuple[object, ...]], np.ndarray] = {}
        named = [each.vector if isinstance(each.vector, dict) else {DENSE: each.vector} for each in records]
        self._dense = _unit_rows([vectors.get(DENSE) for vectors in named])
        self._terms = _Postings([vectors.get(SPARSE) for vectors in named])

    def query_batch_points(self, collection_name: str, requests: Sequence[models.QueryRequest]) -> list[QueryResponse]:
        """The answer to each request, in order."""
        return [self._answer(collection_name, request) for request in requests]

    def query_points(
        self,
        collection_name: str,
        query: Any,
        *,
        query_filter: models.Filter | None = None,
        limit: int = 10,
        with_payload: Any = True,
    ) -> QueryResponse:
        """The points nearest to a dense vector."""
        request = models.QueryRequest(query=query, filter=query_filter, limit=limit, with_payload=with_payload)
        return self._answer(collection_name, request)

    def retrieve(self, collection_name: str, ids: Sequence[Any], with_payload: Any = True) -> list[models.Record]:
        """Those of the points that are stored."""
        return self._client.retrieve(collection_name, ids=ids, with_payload=with_payload)

    def _answer(self, collection: str, asked: models.QueryRequest) -> QueryResponse:
        rows = np.flatnonzero(self._allowed(asked.filter))
        if isinstance(asked.query, models.SparseVector):
            scores = self._terms.scores(asked.query, len(self._ids))[rows]
        else:
            scores = self._nearness(np.asarray(asked.query, dtype=np.float32), rows)
        best = _highest(scores, asked.limit or 10)
        ids = [self._ids[row] for row in rows[best]]
        payloads = self._shown(collection, ids, asked.with_payload) if asked.with_payload and ids else {}
        return QueryResponse(
            points=[
                models.ScoredPoint(id=identity, version=0, score=score, payload=payloads.get(identity))
                for identity, score in zip(ids, scores[best].tolist(), strict=True)
            ]
        )

    def _shown(self, collection: str, ids: Sequence[str], wanted: Any) -> dict[str, dict[str, Any] | None]:
        """Payloads by id; local mode copies every value that it tells, which costs more than the search itself."""
        if isinstance(wanted, list) and set(wanted) <= set(COLUMNS):
            payloads = {identity: self._payloads[self._rows[identity]] for identity in ids}
            return {
                identity: {key: payload[key] for key in wanted if key in payload}
                for identity, payload in payloads.items()
            }
        found = self._client.retrieve(collection, ids=list(ids), with_payload=wanted)
        return {str(record.id): record.payload for record in found}

    def _nearness(self, query: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """shape (rows,), float32: cosines; NaN for points without a dense vector."""
        if not self._dense.size:
            return np.full(len(rows), np.nan, dtype=np.float32)
        compared = self._dense if len(rows) == len(self._dense) else self._dense[rows]
        # Not as a matrix product: the threads of BLAS wait busily afterwards, and take the processor from the embedder.
        return np.asarray(np.vecdot(compared, query / (np.linalg.norm(query) or 1)))

    # ------------------------------------------------------------ filters

    def _allowed(self, told: models.Filter | None) -> np.ndarray:
        """shape (points,), bool: which points all conditions hold for."""
        conditions = told.must if told is not None and isinstance(told.must, list) else []
        masks = [self._mask(each) for each in conditions]
        return np.logical_and.reduce(masks) if masks else np.ones(len(self._ids), dtype=bool)

    def _mask(self, told: Any) -> np.ndarray:
        if isinstance(told, models.HasIdCondition):
            mask = np.zeros(len(self._ids), dtype=bool)
            mask[[self._rows[str(each)] for each in told.has_id if str(each) in self._rows]] = True
            return mask
        values = (told.match.value,) if isinstance(told.match, models.MatchValue) else tuple(told.match.any)
        if (known := self._masks.get((told.key, values))) is None:
            wanted = set(values)
            if len(self._masks) >= MOST_MASKS:
                self._masks.clear()
            hold = (_has(payload.get(told.key), wanted) for payload in self._payloads)
            known = self._masks[told.key, values] = np.fromiter(hold, dtype=bool, count=len(self._ids))
        return known


def _records(client: QdrantClient, collection: str) -> Iterator[models.Record]:
    offset: Any = None
    while True:
        records, offset = client.scroll(
            collection, limit=_SCROLL_BATCH, offset=offset, with_payload=list(COLUMNS), with_vectors=True
        )
        yield from records
        if offset is None:
            return


def _highest(scores: np.ndarray, limit: int) -> np.ndarray:
    """Places of the highest finite scores, the highest first, of equal ones the first."""
    places = np.flatnonzero(np.isfinite(scores))
    if len(places) > limit:
        lowest = np.partition(scores[places], -limit)[-limit]
        places = places[scores[places] >= lowest]
    return places[np.argsort(-scores[places], kind="stable")][:limit]


def _has(value: object, wanted: set[object]) -> bool:
    return not wanted.isdisjoint(value) if isinstance(value, list) else value in wanted


def _unit_rows(vectors: Sequence[Any]) -> np.ndarray:
    """shape (points, dimension), float32; a point that somebody stored without a vector has none here either (NaN)."""
    missing = [np.nan] * max((len(vector) for vector in vectors if vector is not None), default=0)
    rows = np.asarray([missing if vector is None else vector for vector in vectors], dtype=np.float32)
    if not rows.size:
        return rows
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths == 0, 1, lengths), dtype=np.float32)


class _Postings:
    """Which points have a term, with which weight."""

    def __init__(self, vectors: Sequence[Any]) -> None:
        sizes = [0 if vector is None else len(vector.indices) for vector in vectors]
        given = [vector for vector in vectors if vector is not None]
        self._points = len(given)
        terms = np.fromiter(chain.from_iterable(vector.indices for vector in given), np.uint32, sum(sizes))
        values = np.fromiter(chain.from_iterable(vector.values for vector in given), np.float64, sum(sizes))
        order = np.argsort(terms, kind="stable")
        self._rows = np.repeat(np.arange(len(vectors), dtype=np.int32), sizes)[order]
        self._values = values[order]
        self._terms, self._starts = np.unique(terms[order], return_index=True)
        self._ends = np.append(self._starts[1:], len(terms))

    def scores(self, query: models.SparseVector, points: int) -> np.ndarray:
        """shape (points,), float32: the products of the terms in common; minus infinity where none is.

        Terms weigh by their inverse document frequency, as Qdrant computes it.
        """
        scores = np.zeros(points)
        hit = np.zeros(points, dtype=bool)
        for term, weight in sorted(zip(query.indices, query.values, strict=True)):
            place = int(np.searchsorted(self._terms, term))
            if place == len(self._terms) or self._terms[place] != term:
                continue
            run = slice(self._starts[place], self._ends[place])
            rows = self._rows[run]
            frequency = len(rows)
            rarity = np.log((self._points - frequency + 0.5) / (frequency + 0.5) + 1)
            scores[rows] += weight * rarity * self._values[run]
            hit[rows] = True
        return np.where(hit, scores, -np.inf).astype(np.float32)
