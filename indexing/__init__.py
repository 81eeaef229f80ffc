"""[Chunk] <-> the collection: vectors, payload, store, sync, search."""

from indexing import telemetry  # first of all: the others import onnxruntime
from indexing.embedders import make_embedder
from indexing.opening import open_store
from indexing.payload import PageFacts, build_points
from indexing.search import search
from indexing.sparse import make_sparse_encoder
from indexing.store import QdrantStore
from indexing.sync import SyncResult, sync_page
from indexing.vectors import VectorCache, vector_key, vectors_for

__all__ = [
    "PageFacts",
    "QdrantStore",
    "SyncResult",
    "VectorCache",
    "build_points",
    "make_embedder",
    "make_sparse_encoder",
    "open_store",
    "search",
    "sync_page",
    "telemetry",
    "vector_key",
    "vectors_for",
]
