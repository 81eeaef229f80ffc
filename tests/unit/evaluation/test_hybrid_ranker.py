"""Our own search as a ranker of anybody's chunks."""

from __future__ import annotations

import numpy as np
import pytest
from mock_embeddings import DIMENSION, vector_of

from evaluation.rankers import make_ranker_of
from evaluation.rankers.hybrid import HybridRanking
from indexing.sparse import Bm25Encoder


class WordEmbedder:
    """Bags of words."""

    name, dimension, max_tokens, languages = "words/1", DIMENSION, 1000, None

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed(self, texts):
        self.embedded += texts
        return np.stack([vector_of(text) for text in texts])

    def embed_query(self, text):
        return vector_of(text)

    def token_spans(self, text):
        return [(place, place + 1) for place in range(len(text))]


@pytest.fixture
def ranking(tmp_path):
    return HybridRanking(WordEmbedder(), Bm25Encoder(tmp_path))


def test_words_and_meaning_rank_and_every_text_has_a_place(ranking):
    texts = ["the amber lamp", "the gate", "the quay", "the gate"]
    scores = ranking.of_files(texts, ["a.md", "b.md", "c.md", "d.md"]).scores("amber lamp")
    assert scores.shape == (4,)
    assert scores.argmax() == 0


def test_the_name_of_the_file_decides_between_equal_texts(ranking):
    files = ["other.md", "lamp_manual.md"]
    scores = make_ranker_of(ranking, ["turn the knob", "turn the knob"], files).scores("lamp knob")
    assert scores.argmax() == 1


def test_texts_of_several_methods_are_embedded_once(ranking):
    embedder = ranking._embedder._embedder
    for _ in range(2):
        ranking.of_files(["amber", "gate"], ["a.md", "a.md"])
    assert embedder.embedded == ["amber", "gate"]


def test_what_is_made_of_texts_alone_is_called_with_them():
    assert make_ranker_of(tuple, ["a"], ["f"]) == ("a",)
