"""What the embedded store keeps in memory is what lies in its folder, also after a write that broke off."""

from __future__ import annotations

import datetime as dt
import shutil
import sqlite3
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexing import PageFacts, build_points, open_store
from indexing.embedded_store import EmbeddedStore
from wrac.config import Settings
from wrac.errors import StoreError
from wrac.ids import digest
from wrac.records import Chunk, ChunkVectors, SparseVector

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from indexing import QdrantStore
    from wrac.records import Point

VECTORS = ChunkVectors(
    dense=np.asarray([0.6, 0.8], dtype=np.float32),
    windows=np.asarray([[0.6, 0.8]], dtype=np.float32),
    sparse=SparseVector(indices=np.asarray([3], dtype=np.uint32), values=np.ones(1, dtype=np.float32)),
    spans=((0, 1),),
)


class Named:
    def __init__(self, name: str, dimension: int) -> None:
        self.name, self.dimension = name, dimension


def points(*texts: str) -> list[Point]:
    page = PageFacts("docs", "page", "https://d.example/", "T", dt.datetime(2026, 3, 1, tzinfo=dt.UTC))
    chunks = [Chunk(text, text, (), "", (), "section", "", 0, 1, digest(text)) for text in texts]
    return build_points(page, chunks, [VECTORS] * len(chunks))


@pytest.fixture
def store(tmp_path: Path) -> Generator[QdrantStore]:
    with open_store(Settings(data_dir=tmp_path), "docs") as opened:
        opened.ensure(Named("two/1", 2), Named("bm25/1", 0))
        yield opened


def test_it_is_the_embedded_store(store: QdrantStore) -> None:
    assert isinstance(store, EmbeddedStore)


def test_a_folder_opened_again_knows_its_pages(store: QdrantStore, tmp_path: Path) -> None:
    store.upsert(points("a", "b"))
    before = store.page_digests("docs", "page")
    copied = tmp_path / "copy"
    shutil.copytree(tmp_path / "qdrant", copied / "qdrant")
    with open_store(Settings(data_dir=copied), "docs") as again:
        assert again.page_digests("docs", "page") == before
        assert len(before) == 2


def test_a_write_that_breaks_off_is_seen_as_it_lies(store: QdrantStore, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = points("a", "b")
    store.upsert([first])
    write = store._client.upsert

    def half(name: str, *, points: list[object], wait: bool) -> None:
        write(name, points=points[:1], wait=wait)
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(store._client, "upsert", half)
    with pytest.raises(StoreError, match="disk is full"):
        store.upsert([second, first])
    monkeypatch.undo()
    assert store.page_points("docs", "page") == {first.id, second.id}
    store.delete([second.id])
    assert store.page_points("docs", "page") == {first.id}
