"""What a search asks of Qdrant, and how the answers become hits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from qdrant_client import models

from indexing.fusion import fuse
from indexing.layout import DENSE, SPARSE, WINDOWS
from wrac.records import Hit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from qdrant_client import QdrantClient

    from indexing.calls import Calls
    from wrac.records import SparseVector

DENSE_WEIGHT = 0.5
CANDIDATES = 50
"""Candidates that each side brings in at least."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query, encoded."""

    dense: np.ndarray
    sparse: SparseVector
    condition: models.Filter | None
    limit: int
    dense_weight: float

    @property
    def candidates(self) -> int:
        """Candidates that each side brings in: enough to fill the limit when copies are collapsed."""
        return max(CANDIDATES, 3 * self.limit)


def answer(
    asked: Question,
    client: QdrantClient,
    calls: Calls,
    collection: str,
    score_windows: Callable[[Sequence[str], np.ndarray], dict[str, float]],
) -> list[Hit]:
    """The best hits, best first, each text once.

    Dense and sparse search bring in candidates; all of them are scored by their best window (max-sim), which is then
    fused with the sparse score.
    """
    answers = calls.run(partial(client.query_batch_points, collection, requests=_requests(asked)))
    points = [point for answer in answers for point in answer.points]
    if not points:
        return []
    texts = {str(point.id): str((point.payload or {}).get("digest", point.id)) for point in points}
    lexical = {str(point.id): point.score for point in answers[1].points} if len(answers) > 1 else {}
    scores = fuse(score_windows(list(texts), asked.dense), lexical, asked.dense_weight)
    best = _each_text_once(scores, texts)[: asked.limit]
    records = calls.run(partial(client.retrieve, collection, ids=best, with_payload=True))
    payloads = {str(record.id): record.payload or {} for record in records}
    parts = _nearest_parts(asked.dense, payloads, client, calls, collection)
    return [_hit(key, scores[key], payloads[key], parts.get(key, "")) for key in best if key in payloads]


def _requests(asked: Question) -> list[models.QueryRequest]:
    shared: dict[str, Any] = {"filter": asked.condition, "limit": asked.candidates, "with_payload": ["digest"]}
    dense = models.QueryRequest(query=asked.dense.tolist(), using=DENSE or None, **shared)
    if not len(asked.sparse.indices):
        return [dense]
    terms = models.SparseVector(indices=asked.sparse.indices.tolist(), values=asked.sparse.values.tolist())
    return [dense, models.QueryRequest(query=terms, using=SPARSE, **shared)]


def _each_text_once(scores: Mapping[str, float], texts: Mapping[str, str]) -> list[str]:
    best: dict[str, str] = {}
    for key in scores:
        best.setdefault(texts.get(key, key), key)
    return list(best.values())


def _nearest_parts(
    dense: np.ndarray, payloads: Mapping[str, Mapping[str, Any]], client: QdrantClient, calls: Calls, collection: str
) -> dict[str, str]:
    """The part nearest to the query of each chunk that has several."""
    several = [key for key, payload in payloads.items() if payload.get("parts")]
    if not several:
        return {}
    records = calls.run(lambda: client.retrieve(collection, ids=several, with_payload=False, with_vectors=[WINDOWS]))
    nearest = {}
    for record in records:
        vectors: Any = record.vector
        place = int(np.argmax(np.asarray(vectors[WINDOWS], dtype=np.float32) @ dense))
        parts = payloads[str(record.id)]["parts"]
        nearest[str(record.id)] = str(parts[place]) if place < len(parts) else ""
    return nearest


def _hit(key: str, score: float, payload: dict[str, Any], part: str) -> Hit:
    return Hit(
        point_id=key,
        score=score,
        text=payload.get("page_content", ""),
        breadcrumb=payload.get("breadcrumb", ""),
        url=payload.get("source", ""),
        title=payload.get("title", ""),
        site=payload.get("site", ""),
        payload=payload,
        part=part,
    )
