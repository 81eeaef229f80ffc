"""Our records in the words of Qdrant, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qdrant_client import models

from indexing.layout import DENSE, DIGEST_KEY, FILTER_KEYS, SPARSE, VECTORS_KEY
from wrac.errors import ConfigError
from wrac.records import PointDigests

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wrac.records import Point


def point_struct(point: Point) -> models.PointStruct:
    """The point as Qdrant takes it."""
    vectors = point.vectors
    return models.PointStruct(
        id=point.id,
        vector={
            DENSE: vectors.dense.tolist(),
            SPARSE: models.SparseVector(indices=vectors.sparse.indices.tolist(), values=vectors.sparse.values.tolist()),
        },
        payload=point.payload,
    )


def condition_for(site: str | None, filters: Mapping[str, object] | None) -> models.Filter | None:
    """All of the values must match; a list of values matches any of them, a path matches everything below it."""
    must: list[Any] = []
    if site is not None:
        must.append(models.FieldCondition(key="site", match=models.MatchValue(value=site)))
    for key, value in (filters or {}).items():
        name = FILTER_KEYS.get(key)
        if name is None:
            raise ConfigError(f"no filter {key!r}: use one of {', '.join(sorted(FILTER_KEYS))}")
        values = [str(item) for item in value] if isinstance(value, (list, tuple, set, frozenset)) else [str(value)]
        must.append(models.FieldCondition(key=name, match=models.MatchAny(any=values)))
    return models.Filter(must=must) if must else None


def digests_of(record: models.Record) -> PointDigests:
    """The digests that a stored payload tells of; empty ones, which never match, where it tells none."""
    payload = record.payload or {}
    return PointDigests(vectors=payload.get(VECTORS_KEY, ""), payload=payload.get(DIGEST_KEY, ""))
