"""Points of two numbers and one term, for tests of where points are kept."""

from __future__ import annotations

import datetime as dt

import numpy as np

from indexing import PageFacts, build_points
from wrac.ids import digest
from wrac.records import Chunk, ChunkVectors, Point, SparseVector

VECTORS = ChunkVectors(
    dense=np.asarray([0.6, 0.8], dtype=np.float32),
    windows=np.asarray([[0.6, 0.8]], dtype=np.float32),
    sparse=SparseVector(indices=np.asarray([3], dtype=np.uint32), values=np.ones(1, dtype=np.float32)),
    spans=((0, 1),),
)


class Named:
    """The part of an encoder that a layout is made of."""

    def __init__(self, name: str, dimension: int) -> None:
        self.name, self.dimension = name, dimension


FEW_KEYS = ("site", "page_id", "language")
"""Payload keys enough for these tests: on a busy disk each index takes a quarter of a second to make."""
ENCODERS = (Named("two/1", 2), Named("bm25/1", 0))


def point(text: str, vectors: ChunkVectors = VECTORS, *, page: str = "page", language: str = "en") -> Point:
    """The point of a page's only chunk."""
    facts = PageFacts(
        "docs", page, f"https://d.example/{page}", "T", dt.datetime(2026, 3, 1, tzinfo=dt.UTC), language=language
    )
    return build_points(facts, [Chunk(text, text, (), "", (), "section", "", 0, 1, digest(text))], [vectors])[0]
