"""What a search asks of Qdrant, and how the answers become hits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from qdrant_client import models

from indexing.fusion import fuse
from indexing.layout import DENSE, SPARSE, WINDOWS
from wrac.records import Hit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


def answer(asked: Question, client: QdrantClient, calls: Calls, collection: str) -> list[Hit]:
    """The best hits, best first, each text once.

    Dense and sparse search bring in candidates; all of them are scored by their best window (max-sim), which is then
    fused with the sparse score.
    """
    requests = _requests(asked)
    answers = calls.run(lambda: client.query_batch_points(collection, requests=requests))
    window_points, sparse_points = answers[0].points, answers[-1].points if len(answers) > 1 else []
    texts = {str(point.id): (point.payload or {}).get("digest", str(point.id)) for point in window_points}
    scores = fuse(_scores(window_points), _scores(sparse_points), asked.dense_weight)
    best = _each_text_once(scores, texts)[: asked.limit]
    records = calls.run(lambda: client.retrieve(collection, ids=best, with_payload=True, with_vectors=False))
    payloads = {str(record.id): record.payload or {} for record in records}
    parts = _nearest_parts(asked.dense, payloads, client, calls, collection)
    return [_hit(key, scores[key], payloads[key], parts.get(key, "")) for key in best if key in payloads]


def _requests(asked: Question) -> list[models.QueryRequest]:
    terms = models.SparseVector(indices=asked.sparse.indices.tolist(), values=asked.sparse.values.tolist())
    vector = asked.dense.tolist()
    sides = [models.Prefetch(query=vector, using=DENSE, filter=asked.condition, limit=asked.candidates)]
    if terms.indices:
        sides.append(models.Prefetch(query=terms, using=SPARSE, filter=asked.condition, limit=asked.candidates))
    windows = models.QueryRequest(
        prefetch=sides, query=[vector], using=WINDOWS, limit=len(sides) * asked.candidates, with_payload=["digest"]
    )
    lexical = models.QueryRequest(query=terms, using=SPARSE, filter=asked.condition, limit=asked.candidates)
    return [windows, lexical] if terms.indices else [windows]


def _scores(points: Sequence[models.ScoredPoint]) -> dict[str, float]:
    return {str(point.id): point.score for point in points}


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
