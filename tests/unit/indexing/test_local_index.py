"""From the second search on, arrays answer for local mode: what it would, and never what was written over meanwhile."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from edge_points import ENCODERS, Named, point
from qdrant_client import models

from indexing import open_store
from indexing.embedded_store import EmbeddedStore
from indexing.local_index import MOST_MASKS, LocalIndex
from wrac.config import Settings
from wrac.records import ChunkVectors, SparseVector

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from indexing import QdrantStore
    from wrac.records import Hit, Point


@pytest.fixture
def store(tmp_path: Path) -> Generator[EmbeddedStore]:
    with open_store(Settings(data_dir=tmp_path, store=":memory:"), "docs") as opened:
        assert isinstance(opened, EmbeddedStore)
        opened.ensure(Named("sixteen/1", 16), ENCODERS[1])
        yield opened


def drawn(draw: np.random.Generator, terms: int) -> ChunkVectors:
    dense = draw.normal(size=16).astype(np.float32)
    dense /= np.linalg.norm(dense)
    indices = np.sort(draw.choice(40, size=terms, replace=False)).astype(np.uint32)
    sparse = SparseVector(indices, draw.uniform(0.5, 2, terms).astype(np.float32))
    return ChunkVectors(dense, dense[None, :], sparse, ((0, 1),))


def many(draw: np.random.Generator, count: int) -> list[Point]:
    return [
        point(str(n), drawn(draw, 8), page=f"page-{n % 10}", language=("en", "de", "")[n % 3]) for n in range(count)
    ]


def ask(store: QdrantStore, asked: ChunkVectors, **filters: object) -> list[Hit]:
    return store.search(asked.dense, asked.sparse, limit=10, site="docs", filters=filters)


def test_it_answers_as_local_mode_does(store: EmbeddedStore) -> None:
    draw = np.random.default_rng(7)
    points = many(draw, 300)
    store.upsert(points)
    store.delete([each.id for each in points[::7]])
    for _ in range(20):
        asked = drawn(draw, 3)
        for filters in ({}, {"language": "de"}, {"page_id": ["page-1", "page-2"]}, {"version": "none"}):
            store._asked_at, store._indexed = -1, None
            wanted = ask(store, asked, **filters)
            assert store._indexed is None, "the first search was local mode's"
            found = ask(store, asked, **filters)
            assert store._indexed is not None
            assert [hit.point_id for hit in found] == [hit.point_id for hit in wanted]
            assert [hit.score for hit in found] == pytest.approx([hit.score for hit in wanted], abs=1e-6)
            assert [hit.payload for hit in found] == [hit.payload for hit in wanted]


def test_terms_weigh_as_they_do_in_local_mode_to_the_last_digit(store: EmbeddedStore) -> None:
    draw = np.random.default_rng(8)
    store.upsert(many(draw, 100))
    index = LocalIndex(store._local, "docs")
    for _ in range(20):
        terms = drawn(draw, 4).sparse
        vector = models.SparseVector(indices=terms.indices.tolist(), values=terms.values.tolist())
        request = models.QueryRequest(query=vector, using="langchain-sparse", limit=100)
        by_index, by_client = (each.query_batch_points("docs", requests=[request])[0] for each in (index, store._local))
        assert {p.id: p.score for p in by_index.points} == {p.id: p.score for p in by_client.points}


def test_a_write_is_seen_by_the_next_search(store: EmbeddedStore) -> None:
    draw = np.random.default_rng(9)
    points = many(draw, 30)
    asked = points[0].vectors
    store.upsert(points[1:])
    for _ in range(3):
        assert points[0].id not in {hit.point_id for hit in ask(store, asked)}
    store.upsert(points[:1])
    assert [ask(store, asked)[0].point_id for _ in range(3)] == [points[0].id] * 3
    store.set_payload({points[0].id: {**points[0].payload, "title": "new"}})
    assert [ask(store, asked)[0].title for _ in range(3)] == ["new"] * 3
    store.generation(str(store.physical())).delete([points[0].id])
    for _ in range(3):
        assert points[0].id not in {hit.point_id for hit in ask(store, asked)}


def test_an_index_made_during_a_write_is_not_used_after_it(store: EmbeddedStore) -> None:
    draw = np.random.default_rng(10)
    points = many(draw, 5)
    store.upsert(points[1:])
    ask(store, points[0].vectors)
    with store._writes:  # another thread is about to store the first point
        ask(store, points[0].vectors)
        ask(store, points[0].vectors)
        store._local.upsert("docs", [models.PointStruct(**stored(points[0]))])
    assert [ask(store, points[0].vectors)[0].point_id for _ in range(3)] == [points[0].id] * 3


def stored(one: Point) -> dict[str, object]:
    sparse = one.vectors.sparse
    terms = models.SparseVector(indices=sparse.indices.tolist(), values=sparse.values.tolist())
    return {
        "id": one.id,
        "vector": {"": one.vectors.dense.tolist(), "langchain-sparse": terms},
        "payload": one.payload,
    }


def test_points_that_somebody_else_stored_do_no_harm(store: EmbeddedStore) -> None:
    """A chatbot with the client may add points of its own, with one vector alone or none at all."""
    draw = np.random.default_rng(11)
    points = many(draw, 10)
    store.upsert(points)
    asked = points[0].vectors
    terms = models.SparseVector(indices=asked.sparse.indices.tolist(), values=[1.0] * len(asked.sparse.indices))
    foreign = [
        models.PointStruct(id=1, vector={"": asked.dense.tolist()}, payload={"site": "docs"}),
        models.PointStruct(id=2, vector={"langchain-sparse": terms}, payload={"site": "docs"}),
        models.PointStruct(id=3, vector={}, payload={}),
    ]
    store._local.upsert("docs", foreign)
    index = LocalIndex(store._local, "docs")
    dense = models.QueryRequest(query=asked.dense.tolist(), limit=100)
    sparse = models.QueryRequest(query=terms, using="langchain-sparse", limit=100)
    for request in (dense, sparse):
        by_index, by_client = (each.query_batch_points("docs", requests=[request])[0] for each in (index, store._local))
        assert {str(p.id): p.score for p in by_index.points} == {
            str(p.id): pytest.approx(p.score, abs=1e-6) for p in by_client.points
        }


def test_remembered_conditions_are_bounded(store: EmbeddedStore) -> None:
    draw = np.random.default_rng(12)
    points = many(draw, 12)
    store.upsert(points)
    for number in range(MOST_MASKS + 20):
        found = ask(store, points[3].vectors, page_id=f"page-{number}")
        assert len(found) == (0 if number > 9 else 2 if number < 2 else 1)
    assert store._indexed is not None
    assert len(store._indexed[1]._masks) <= MOST_MASKS


def test_an_empty_collection_has_no_hits(store: EmbeddedStore) -> None:
    asked = drawn(np.random.default_rng(13), 3)
    assert [ask(store, asked) for _ in range(3)] == [[], [], []]


@pytest.mark.parametrize("shown", [["digest", "site", "page_id", "window_vectors"], ["title"], True])
def test_payloads_are_those_that_local_mode_tells(store: EmbeddedStore, shown: list[str] | bool) -> None:
    draw = np.random.default_rng(10)
    points = many(draw, 30)
    points[3] = point("3", _windowed(drawn(draw, 8)), page="page-3", language="en")
    store.upsert(points)
    index = LocalIndex(store._local, "docs")
    query = drawn(draw, 4).dense.tolist()
    by_index, by_client = (
        each.query_points("docs", query=query, limit=30, with_payload=shown).points for each in (index, store._local)
    )
    assert {p.id: p.payload for p in by_index} == {p.id: p.payload for p in by_client}
    assert shown == ["title"] or any("window_vectors" in (p.payload or {}) for p in by_index)


def _windowed(vectors: ChunkVectors) -> ChunkVectors:
    return replace(vectors, windows=np.repeat(vectors.windows, 2, axis=0), spans=((0, 1), (1, 2)))
