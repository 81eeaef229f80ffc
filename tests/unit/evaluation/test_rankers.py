"""What orders an index."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evaluation.rankers.bm25 import Bm25Ranker
from evaluation.rankers.dense import DenseRanking


def test_bm25_by_hand():
    scores = Bm25Ranker(["amber lamp", "amber gate gate", "quay"]).scores("Amber gates")
    mean = 2.0
    common, rare = math.log(1 + 1.5 / 2.5), math.log(1 + 2.5 / 1.5)
    first = common * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / mean))
    norm = 1.2 * (0.25 + 0.75 * 3 / mean)
    second = common * 2.2 / (1 + norm) + rare * 2 * 2.2 / (2 + norm)
    assert scores.tolist() == pytest.approx([first, second, 0.0])


def test_bm25_of_texts_without_words():
    assert Bm25Ranker(["---", "..."]).scores("lamp").tolist() == [0.0, 0.0]


class Counting:
    """One dimension per word of a closed list; reads two words at a time."""

    name, dimension, max_tokens, languages = "counting", 3, 2, None
    embedded = 0

    def embed(self, texts):
        self.embedded += len(texts)
        counts = np.array([[text.count(word) for word in ("lamp", "gate", "quay")] for text in texts], np.float32)
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)

    def embed_query(self, text):
        return self.embed([text])[0]

    def token_spans(self, text):
        spans, start = [], 0
        for word in text.split():
            spans.append((start, start + len(word)))
            start += len(word) + 1
        return spans


def test_a_long_text_is_the_mean_of_its_windows_by_length():
    # Windows "lamp lamp" (weight 2) and "quay" (weight 1): (2, 0, 1) / sqrt(5).
    scores = DenseRanking(Counting())(["lamp lamp quay", "gate"]).scores("quay")
    assert scores.tolist() == pytest.approx([1 / math.sqrt(5), 0.0])


def test_what_methods_have_in_common_is_embedded_once():
    embedder = Counting()
    make = DenseRanking(embedder)
    for texts in (["lamp", "gate"], ["gate", "quay"]):
        make(texts).scores("lamp")
    assert embedder.embedded == 4  # three texts and a query
