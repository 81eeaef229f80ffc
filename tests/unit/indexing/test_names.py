"""What a chunk is called is found, though its text does not say it."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

from indexing import PageFacts, with_names
from indexing.names import NAME_WEIGHT, name_words
from wrac.records import Chunk, ChunkVectors, SparseVector


class Letters:
    """The first letter of each word is its term."""

    name = "letters"

    def encode_query(self, text: str, language: str = "") -> SparseVector:
        found = sorted({ord(word[0]) for word in text.split()})
        return SparseVector(np.asarray(found, dtype=np.uint32), np.ones(len(found), dtype=np.float32))


def vectors(terms: dict[str, float]) -> ChunkVectors:
    one = np.ones((1, 1), dtype=np.float32)
    indices = np.asarray(sorted(map(ord, terms)), dtype=np.uint32)
    values = np.asarray([terms[letter] for letter in sorted(terms)], dtype=np.float32)
    return ChunkVectors(dense=one[0], windows=one, sparse=SparseVector(indices, values))


def test_the_words_of_title_breadcrumb_and_path_count_once() -> None:
    url = "https://docs.example.org/en/User%20guide/install_linux.html"
    assert name_words("Install", "Guide > On Linux", url) == ["install", "guide", "on", "linux", "en", "user"]


def test_a_name_adds_to_a_word_of_the_text_and_stands_for_itself() -> None:
    page = PageFacts(
        site="docs",
        page_id="p",
        url="https://docs.example.org/zoo",
        title="Bees",
        fetched_at=dt.datetime(2026, 3, 1, tzinfo=dt.UTC),
    )
    chunk = Chunk("t", "t", (), "", (), "section", "", 0, 1, "d")
    (named,) = with_names(page, [chunk], [vectors({"a": 1.0, "b": 1.5})], Letters())  # type: ignore[arg-type]
    assert [chr(index) for index in named.sparse.indices] == ["a", "b", "z"]
    assert named.sparse.values.tolist() == pytest.approx([1.0, 1.5 + NAME_WEIGHT, NAME_WEIGHT])
    assert (named.sparse.indices.dtype, named.sparse.values.dtype) == (np.uint32, np.float32)
