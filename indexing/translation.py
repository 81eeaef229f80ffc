"""Our records in the words of Qdrant, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from qdrant_client import models

from indexing.dates import period, words_between
from indexing.layout import DENSE, DIGEST_KEY, FILTER_KEYS, SPAN_KEYS, SPARSE, VECTORS_KEY
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
    """All of the values must match; a list of values matches any of them, a path or date everything below it.

    Raises ``ConfigError`` for a filter that is not known, and for what is no date.
    """
    must: list[Any] = []
    if site is not None:
        must.append(models.FieldCondition(key="site", match=models.MatchValue(value=site)))
    given = filters or {}
    for key, value in given.items():
        if key in SPAN_KEYS:
            continue
        name = FILTER_KEYS.get(key)
        if name is None:
            known = ", ".join(sorted([*FILTER_KEYS, *SPAN_KEYS]))
            raise ConfigError(f"no filter {key!r}: use one of {known}")
        values = [str(item) for item in value] if isinstance(value, (list, tuple, set, frozenset)) else [str(value)]
        must.append(_any_of(name, [form for each in values for form in _stored_forms(key, each)]))
    if any(given.get(key) for key in SPAN_KEYS):
        since, until = (str(given.get(key) or "") for key in SPAN_KEYS)
        must.append(_any_of(FILTER_KEYS["date"], words_between(since, until)))
    return models.Filter(must=must) if must else None


def _any_of(name: str, values: list[str]) -> models.FieldCondition:
    return models.FieldCondition(key=name, match=models.MatchAny(any=values))


def _stored_forms(key: str, value: str) -> list[str]:
    """How a value stands in a payload: a folder with a slash at its end, a page without."""
    if key == "path":
        path = urlsplit(value).path or "/"
        path = path if path.startswith("/") else f"/{path}"
        return [path] if path.endswith("/") else [path, f"{path}/"]
    if key == "date":
        period(value)
        return [value.strip()]
    return [value]


def digests_of(record: models.Record) -> PointDigests:
    """The digests that a stored payload tells of; empty ones, which never match, where it tells none."""
    payload = record.payload or {}
    return PointDigests(vectors=payload.get(VECTORS_KEY, ""), payload=payload.get(DIGEST_KEY, ""))
