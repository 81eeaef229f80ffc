"""Writes points into an edge folder and tells of each call that came back, until somebody or it itself kills it."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from edge_points import ENCODERS, FEW_KEYS, point

import indexing.edge.store
from indexing import open_store
from wrac.config import Settings


def main(folder: Path, batches: int, ending: str) -> None:
    """``ending``: ``kill`` is kill -9 behind the last call; a step of closing is kill -9 behind that step."""
    indexing.edge.store.INDEXED_KEYS = FEW_KEYS
    store = open_store(Settings(data_dir=folder, store="edge:"), "docs")
    store.ensure(*ENCODERS)
    for batch in range(batches):
        points = [point(f"{batch}-{number}") for number in range(10)]
        store.upsert(points)
        tell("upserted", *(each.id for each in points))
        changed = points[1]
        store.set_payload({changed.id: {**changed.payload, "title": "changed"}})
        tell("changed", changed.id)
        store.delete([points[0].id])
        tell("deleted", points[0].id)
    if ending == "kill":
        die()
    store._client._shards = {key: Dying(shard, ending) for key, shard in store._client._shards.items()}
    store.close()


class Dying:
    """A shard in a process that ends behind one of its calls."""

    def __init__(self, shard: Any, ending: str) -> None:
        self._shard, self._ending = shard, ending

    def __getattr__(self, name: str) -> Any:
        def call() -> None:
            getattr(self._shard, name)()
            if name == self._ending:
                die()

        return call


def die() -> None:
    """No line of code runs any more."""
    os.kill(os.getpid(), signal.SIGKILL)


def tell(what: str, *ids: str) -> None:
    """One line, out at once."""
    sys.stdout.write(" ".join([what, *ids]) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
