"""Vectors that outlive a run."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.kept_vectors import KeptEmbedder, VectorFile
from wrac.errors import ConfigError


class CountingEmbedder:
    """Two dimensions: how many letters a there are, and one."""

    name, dimension, max_tokens, languages = "letters/1", 2, 100, None

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed(self, texts):
        self.embedded += texts
        return np.array([[text.count("a"), 1] for text in texts], dtype=np.float32)

    def embed_query(self, text):
        return self.embed([text])[0]

    def token_spans(self, text):
        return [(place, place + 1) for place in range(len(text))]


def test_what_one_run_kept_the_next_one_finds(tmp_path):
    file = tmp_path / "deep" / "vectors.sqlite"
    found = []
    for expected in (["banana", "tram", "a"], []):
        embedder = CountingEmbedder()
        with VectorFile(file) as kept:
            keeping = KeptEmbedder(embedder, kept)
            rows = keeping.embed(["banana", "tram", "banana"])
            found.append((rows.tolist(), keeping.embed_query("a").tolist()))
            assert embedder.embedded == expected
    assert found[0] == found[1] == ([[3, 1], [1, 1], [3, 1]], [1, 1])


def test_a_text_and_a_question_of_the_same_words_are_two(tmp_path):
    embedder = CountingEmbedder()
    keeping = KeptEmbedder(embedder, {})
    keeping.embed(["tram"])
    keeping.embed_query("tram")
    assert embedder.embedded == ["tram", "tram"]
    assert keeping.embed([]).shape == (0, 2)


def test_two_runs_may_use_one_file_at_a_time(tmp_path):
    file = tmp_path / "vectors.sqlite"
    with VectorFile(file) as one, VectorFile(file) as other:
        one["a"] = b"1"
        other["b"] = b"2"
        other["a"] = b"1"
        assert (one.get("a"), one.get("b")) == (b"1", None)
    with VectorFile(file) as kept:
        assert (kept.get("a"), kept.get("b"), kept.get("c")) == (b"1", b"2", None)


def test_more_than_one_batch_is_kept(tmp_path):
    with VectorFile(tmp_path / "v") as kept:
        for number in range(1201):
            kept[str(number)] = str(number).encode()
    with VectorFile(tmp_path / "v") as kept:
        assert all(kept.get(str(number)) == str(number).encode() for number in range(1201))


def test_a_file_that_is_no_store_of_vectors_is_named_with_the_way_out(tmp_path):
    file = tmp_path / "vectors.sqlite"
    file.write_bytes(b"this is no database, and long enough to be looked at" * 100)
    with pytest.raises(ConfigError, match=r"vectors\.sqlite.*delete the file"):
        VectorFile(file)
