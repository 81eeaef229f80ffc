"""The order of a sync, and what a store that lies costs: nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexing import SyncResult, sync_page
from wrac.errors import StoreError, TransientError
from wrac.records import ChunkVectors, Point, PointDigests, SparseVector

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

NO_VECTORS = ChunkVectors(
    dense=np.zeros(1), windows=np.zeros((1, 1)), sparse=SparseVector(indices=np.zeros(0), values=np.zeros(0))
)


def point(name: str, vectors: str = "v", payload: str = "p") -> Point:
    return Point(id=name, vectors=NO_VECTORS, payload={"vectors_digest": vectors, "payload_digest": payload})


class Recorder:
    """A store of one page that writes down what it is told."""

    def __init__(self, *stored: Point) -> None:
        self.points = {item.id: item for item in stored}
        self.told: list[str] = []
        self.loses: set[str] = set()
        self.fails_at = ""

    def _tell(self, what: str) -> None:
        if what == self.fails_at:
            raise TransientError(what)
        self.told.append(what)

    def page_digests(self, site: str, page_id: str) -> Mapping[str, PointDigests]:
        assert (site, page_id) == ("docs", "page")
        return {
            key: PointDigests(item.payload["vectors_digest"], item.payload["payload_digest"])
            for key, item in self.points.items()
        }

    def upsert(self, points: Sequence[Point]) -> None:
        self._tell("upsert " + " ".join(item.id for item in points))
        self.points.update({item.id: item for item in points if item.id not in self.loses})

    def existing(self, ids: Sequence[str]) -> set[str]:
        self._tell("verify")
        return set(ids) & self.points.keys()

    def set_payload(self, payloads: Mapping[str, object]) -> None:
        self._tell("refresh " + " ".join(payloads))

    def delete(self, ids: Iterable[str]) -> None:
        self._tell("delete " + " ".join(sorted(ids)))


def test_stale_points_go_last() -> None:
    store = Recorder(point("old"), point("same"), point("vectors"), point("payload"))
    wanted = [point("same"), point("new"), point("vectors", vectors="w"), point("payload", payload="q")]
    result = sync_page(store, "docs", "page", wanted)
    assert store.told == ["upsert new vectors", "verify", "refresh payload", "delete old"]
    assert result == SyncResult(kept=1, refreshed=1, upserted=2, deleted=1)


def test_an_unchanged_page_is_not_written() -> None:
    store = Recorder(point("a"), point("b"))
    assert sync_page(store, "docs", "page", [point("a"), point("b")]) == SyncResult(kept=2)
    assert store.told == []


def test_a_lost_write_deletes_nothing() -> None:
    store = Recorder(point("old"))
    store.loses = {"b"}
    with pytest.raises(StoreError, match=r"1 of 2 points of page page .*nothing was deleted, run again"):
        sync_page(store, "docs", "page", [point("a"), point("b")])
    assert "delete old" not in store.told


@pytest.mark.parametrize("fails_at", ["upsert new", "verify", "refresh moved", "delete old"])
def test_a_run_again_ends_as_a_run_at_once(fails_at: str) -> None:
    store = Recorder(point("old"), point("moved"))
    wanted = [point("new"), point("moved", payload="q")]
    store.fails_at = fails_at
    with pytest.raises(TransientError):
        sync_page(store, "docs", "page", wanted)
    assert {"old", "moved"} <= store.points.keys()
    store.fails_at = ""
    sync_page(store, "docs", "page", wanted)
    assert store.told[-2:] == ["refresh moved", "delete old"]


def test_results_add_up() -> None:
    assert SyncResult(1, 2, 3, 4) + SyncResult(10, 20, 30, 40) == SyncResult(11, 22, 33, 44)
