"""What a search asks of Qdrant, and how the answers become hits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from qdrant_client import models

from indexing.excerpts import excerpt
from indexing.fusion import PAGE_WEIGHT, agreed_first, fuse, lift_by_page, scale
from indexing.layout import RESCORED_KEYS, SPARSE, WINDOWS_KEY
from indexing.vectors import unpack_windows
from wrac.records import Hit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qdrant_client import QdrantClient

    from indexing.calls import Calls
    from indexing.edge.engine import EdgeEngine
    from indexing.local_index import LocalIndex
    from wrac.records import SparseVector

DENSE_WEIGHT = 0.5
"""Share of the dense side in a score (R@1000t on RAG-Multi-Corpus: .945 at .4, .951 at .45, .952 at .5)."""
CANDIDATES = 100
"""Candidates that each side brings in at least: scores are scaled among them, so few hits rank as many do."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query, encoded."""

    dense: np.ndarray
    sparse: SparseVector
    condition: models.Filter | None
    limit: int
    dense_weight: float
    page_weight: float = PAGE_WEIGHT

    @property
    def candidates(self) -> int:
        """Candidates that each side brings in: enough to fill the limit when copies are collapsed."""
        return max(CANDIDATES, 3 * self.limit)


def answer(asked: Question, client: QdrantClient | EdgeEngine | LocalIndex, calls: Calls, collection: str) -> list[Hit]:
    """The best hits, best first, each text once.

    Dense and sparse search bring in candidates; all of them are scored by their best window (max-sim), which is then
    fused with the sparse score and drawn towards the best one of their page. The first few come in the order in which
    both sides agree on them.
    """
    answers = calls.run(partial(client.query_batch_points, collection, requests=_requests(asked)))
    lexical = {str(point.id): point.score for point in answers[1].points} if len(answers) > 1 else {}
    found = list(dict.fromkeys(str(point.id) for answer in answers for point in answer.points))
    if not found:
        return []
    candidates = calls.run(partial(client.query_points, collection, **_rescoring(asked, found))).points
    windows = {str(point.id): _window_scores(point, asked.dense) for point in candidates}
    sides = scale({key: float(row.max()) for key, row in windows.items()}, lexical)
    lifted = lift_by_page(fuse(sides, asked.dense_weight), _pages_of(candidates), asked.page_weight)
    scores = agreed_first(lifted, sides, asked.dense_weight)
    texts = {str(point.id): str((point.payload or {}).get("digest", point.id)) for point in candidates}
    best = _each_text_once(scores, texts)[: asked.limit]
    shown = models.PayloadSelectorExclude(exclude=[WINDOWS_KEY])
    records = calls.run(partial(client.retrieve, collection, ids=best, with_payload=shown))
    payloads = {str(record.id): record.payload or {} for record in records}
    return [_hit(key, scores[key], payloads[key], int(windows[key].argmax())) for key in best if key in payloads]


def _requests(asked: Question) -> list[models.QueryRequest]:
    shared: dict[str, Any] = {"filter": asked.condition, "limit": asked.candidates, "with_payload": False}
    dense = models.QueryRequest(query=asked.dense.tolist(), **shared)
    if not len(asked.sparse.indices):
        return [dense]
    terms = models.SparseVector(indices=asked.sparse.indices.tolist(), values=asked.sparse.values.tolist())
    return [dense, models.QueryRequest(query=terms, using=SPARSE, **shared)]


def _rescoring(asked: Question, candidates: Sequence[str]) -> dict[str, Any]:
    """The dense query again, for exactly these points: sparse candidates have no dense score yet."""
    return {
        "query": asked.dense.tolist(),
        "query_filter": models.Filter(must=[models.HasIdCondition(has_id=list(candidates))]),
        "limit": len(candidates),
        "with_payload": list(RESCORED_KEYS),
    }


def _pages_of(points: Sequence[models.ScoredPoint]) -> dict[str, str]:
    """What all points of one page of one site have in common, by id, for those that tell their page."""
    payloads = {str(point.id): point.payload or {} for point in points}
    return {
        key: f"{payload.get('site')} {payload['page_id']}" for key, payload in payloads.items() if "page_id" in payload
    }


def _window_scores(point: models.ScoredPoint, dense: np.ndarray) -> np.ndarray:
    """shape (windows,): how near each window of the point is to the query."""
    packed = (point.payload or {}).get(WINDOWS_KEY)
    return unpack_windows(packed, len(dense)) @ dense if packed else np.asarray([point.score])


def _each_text_once(scores: Mapping[str, float], texts: Mapping[str, str]) -> list[str]:
    best: dict[str, str] = {}
    for key in scores:
        best.setdefault(texts.get(key, key), key)
    return list(best.values())


def _hit(key: str, score: float, payload: dict[str, Any], nearest: int) -> Hit:
    parts, text = payload.get("parts") or [], payload.get("page_content", "")
    return Hit(
        point_id=key,
        score=score,
        text=text,
        breadcrumb=payload.get("breadcrumb", ""),
        url=payload.get("source", ""),
        title=payload.get("title", ""),
        site=payload.get("site", ""),
        payload=payload,
        part=excerpt(text, str(parts[nearest])) if nearest < len(parts) else "",
    )
