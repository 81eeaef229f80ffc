"""The words of qdrant-client in those of qdrant-edge, and back: as much as a store says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import qdrant_edge as edge
from qdrant_client import models
from qdrant_client.http.models import QueryResponse  # in ``models`` another one has its name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_DISTANCES = {
    models.Distance.COSINE: edge.Distance.Cosine,
    models.Distance.DOT: edge.Distance.Dot,
    models.Distance.EUCLID: edge.Distance.Euclid,
    models.Distance.MANHATTAN: edge.Distance.Manhattan,
}
_SCHEMAS = {
    models.PayloadSchemaType.KEYWORD: edge.PayloadSchemaType.Keyword,
    models.PayloadSchemaType.DATETIME: edge.PayloadSchemaType.Datetime,
}
GRAPH_FROM_KILOBYTES = 100_000
"""Below this size of dense vectors (65,000 of MiniLM's) a search compares all of them, exactly and in a few
milliseconds; above it the engine may build a graph, which is approximate."""


def config(vectors: models.VectorParams, sparse: Mapping[str, models.SparseVectorParams]) -> edge.EdgeConfig:
    """What a new shard is made with."""
    return edge.EdgeConfig(
        vectors=edge.EdgeVectorParams(size=vectors.size, distance=_DISTANCES[vectors.distance]),
        sparse_vectors={
            name: edge.EdgeSparseVectorParams(
                modifier=edge.Modifier.Idf if params.modifier is models.Modifier.IDF else None
            )
            for name, params in sparse.items()
        },
        optimizers=edge.EdgeOptimizersConfig(indexing_threshold=GRAPH_FROM_KILOBYTES),
    )


def schema(told: models.PayloadSchemaType | models.KeywordIndexParams) -> Any:
    """How a payload key is indexed."""
    if isinstance(told, models.KeywordIndexParams):
        return edge.KeywordIndexParams(is_tenant=told.is_tenant)
    return _SCHEMAS[told]


def point(struct: models.PointStruct) -> edge.Point:
    """A point as the engine takes it."""
    vectors: Any = struct.vector
    return edge.Point(str(struct.id), {name: _vector(given) for name, given in vectors.items()}, struct.payload or {})


def _vector(given: Any) -> Any:
    return edge.SparseVector(given.indices, given.values) if isinstance(given, models.SparseVector) else given


def condition(told: models.Filter | None) -> edge.Filter | None:
    """The filter: any of ours. Raises ``ValueError`` for kinds that no store asks by."""
    if told is None:
        return None
    if told.should or told.must_not or told.min_should or not isinstance(told.must, list):
        raise ValueError(f"the edge engine is only asked by conditions that must all hold, not by {told!r}")
    return edge.Filter(must=[_part(each) for each in told.must])


def _part(told: Any) -> Any:
    if isinstance(told, models.HasIdCondition):
        return edge.HasIdCondition({str(each) for each in told.has_id})
    match = getattr(told, "match", None)
    if isinstance(match, models.MatchValue):
        return edge.FieldCondition(told.key, match=edge.MatchValue(match.value))
    if isinstance(match, models.MatchAny):
        return edge.FieldCondition(told.key, match=edge.MatchAny(match.any))
    raise ValueError(f"the edge engine is not asked by {told!r}")


def shown(told: Any) -> Any:
    """Which part of the payload is answered: all, nothing, these keys, or all but these."""
    return edge.PayloadSelector.Exclude(told.exclude) if isinstance(told, models.PayloadSelectorExclude) else told


def query(asked: models.QueryRequest) -> edge.QueryRequest:
    """The points nearest to a vector, dense or sparse."""
    return edge.QueryRequest(
        limit=asked.limit or 10,
        query=edge.Query.Nearest(_vector(asked.query), using=asked.using),
        filter=condition(asked.filter),
        with_payload=shown(asked.with_payload),
    )


def records(found: Sequence[edge.Record]) -> list[models.Record]:
    """The points as qdrant-client tells of them."""
    return [models.Record(id=str(each.id), payload=each.payload) for each in found]


def answer(found: Sequence[edge.ScoredPoint]) -> QueryResponse:
    """The points with their scores as qdrant-client tells of them."""
    return QueryResponse(
        points=[
            models.ScoredPoint(id=str(each.id), version=each.version, score=each.score, payload=each.payload)
            for each in found
        ]
    )
