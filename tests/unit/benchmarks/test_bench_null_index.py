"""The null index can stand wherever the real one does, or the figures of a crawl would be those of a failure."""

from __future__ import annotations

import pytest

from benchmarks.null_index import NullIndexer, NullStore
from ingest.indexer import Indexer
from wrac.protocols import Store


def members(protocol: type) -> set[str]:
    """Public names that the protocol declares."""
    return {name for name in {**vars(protocol), **protocol.__annotations__} if not name.startswith("_")}


@pytest.mark.parametrize(
    ("protocol", "stand_in", "unused"),
    [(Indexer, NullIndexer, set()), (Store, NullStore, {"search", "languages", "ensure", "verify"})],
)
def test_the_stand_in_has_every_member(protocol: type, stand_in: type, unused: set[str]) -> None:
    assert {name for name in members(protocol) if not hasattr(stand_in, name)} <= unused
