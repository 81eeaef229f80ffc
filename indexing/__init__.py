"""[Chunk] <-> the collection: vectors, payload, store, sync, search.

Names are loaded when they are first asked for: the client of Qdrant and the embedder's runtime take seconds of CPU time
to import, and a crawl that finds nothing new needs neither. (``indexing.search.search`` is not among them: a module has
its name.)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from indexing import telemetry  # first of all: the others import onnxruntime

if TYPE_CHECKING:
    from indexing.description import describe_embedder
    from indexing.embedders import make_embedder
    from indexing.names import with_names
    from indexing.opening import open_store
    from indexing.payload import PageFacts, build_points
    from indexing.sparse import make_sparse_encoder
    from indexing.stamp import stamp_of
    from indexing.store import QdrantStore
    from indexing.sync import SyncResult, sync_page
    from indexing.vectors import VectorCache, vector_key, vectors_for

__all__ = [
    "PageFacts",
    "QdrantStore",
    "SyncResult",
    "VectorCache",
    "build_points",
    "describe_embedder",
    "make_embedder",
    "make_sparse_encoder",
    "open_store",
    "stamp_of",
    "sync_page",
    "telemetry",
    "vector_key",
    "vectors_for",
    "with_names",
]

_HOMES = {
    "describe_embedder": "description",
    "make_embedder": "embedders",
    "with_names": "names",
    "open_store": "opening",
    "PageFacts": "payload",
    "build_points": "payload",
    "make_sparse_encoder": "sparse",
    "stamp_of": "stamp",
    "QdrantStore": "store",
    "SyncResult": "sync",
    "sync_page": "sync",
    "VectorCache": "vectors",
    "vector_key": "vectors",
    "vectors_for": "vectors",
}


def __getattr__(name: str) -> Any:
    if (home := _HOMES.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
