"""BM25 (Robertson and Zaragoza, 2009) over stems, with the idf that cannot be negative."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from evaluation.words import content_stems, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

SATURATION = 1.2
LENGTH_SHARE = 0.75


class Bm25Ranker:
    """Deterministic and independent of any model."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(content_stems(words_of(text))) for text in texts]
        lengths = np.array([count.total() for count in counts], dtype=float)
        norms = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * lengths / (lengths.mean() or 1.0))
        self._size = len(texts)
        postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, count in enumerate(counts):
            for word, times in count.items():
                postings[word].append((number, times))
        self._weights: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        for word, found in postings.items():
            numbers, times = np.array(found).T
            idf = math.log(1 + (self._size - len(found) + 0.5) / (len(found) + 0.5))
            self._weights[word] = numbers, idf * times * (SATURATION + 1) / (times + norms[numbers])

    def scores(self, query: str) -> np.ndarray:
        """shape (texts,): sums over the distinct stems of the query, in a fixed order."""
        total = np.zeros(self._size)
        for word in sorted(set(content_stems(words_of(query)))):
            if word in self._weights:
                numbers, weights = self._weights[word]
                total[numbers] += weights
        return total
