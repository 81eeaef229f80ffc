"""Which chunk carries which fact, without a model.

A chunk carries a fact if it holds the fact's words in a row, or if it is of the fact's document and holds a set share
of what that document says of the fact. Several chunks of that document may carry a fact together.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evaluation.words import content_stems, in_a_row, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evaluation.reference import Fact

CARRIED = 0.8
"""Share of the attainable weight from which on a chunk carries a fact."""
LEAST_ATTAINABLE = 0.6
"""A fact of which its document says less than this in one place cannot be judged."""
LEAST_PART = 0.2
"""A chunk that holds less of a fact does not help others to carry it."""


@dataclass(frozen=True, slots=True)
class JudgedText:
    """A text prepared for judging."""

    document: str
    """Key of the document that it is from."""
    row: str
    """Its words in a row."""
    stems: frozenset[str]

    @classmethod
    def of(cls, document: str, text: str) -> JudgedText:
        """Prepares ``text``."""
        words = words_of(text)
        return cls(document, in_a_row(words), frozenset(content_stems(words)))


def is_judgeable(fact: Fact) -> bool:
    """Whether its document says enough of the fact to ask for it."""
    return fact.verbatim or fact.attainable >= LEAST_ATTAINABLE


def carries(text: JudgedText, fact: Fact) -> bool:
    """Whether the text alone carries the fact."""
    if _is_verbatim(fact, text):
        return True
    return (
        text.document == fact.document
        and fact.attainable >= LEAST_ATTAINABLE
        and fact.share(text.stems) >= CARRIED * fact.attainable
    )


def carry_together(texts: Iterable[JudgedText], fact: Fact) -> bool:
    """Whether the texts of the fact's document carry it together, each with a part of its own size."""
    if fact.attainable < LEAST_ATTAINABLE:
        return False
    parts = [t.stems for t in texts if t.document == fact.document and fact.share(t.stems) >= LEAST_PART]
    return bool(parts) and fact.share(frozenset().union(*parts)) >= CARRIED * fact.attainable


class Judge:
    """``carries`` for one fact and all chunks of an index at a time."""

    def __init__(self, texts: Sequence[JudgedText]) -> None:
        self.texts = texts
        postings: defaultdict[str, list[int]] = defaultdict(list)
        for number, text in enumerate(texts):
            for word in text.stems:
                postings[word].append(number)
        self._postings = {word: np.array(numbers) for word, numbers in postings.items()}
        self._documents = np.array([text.document for text in texts])

    def carriers(self, fact: Fact) -> np.ndarray:
        """shape (chunks,), bool: which chunks carry the fact alone."""
        share = np.zeros(len(self.texts))
        for word, weight in fact.weights.items():
            if word in self._postings:
                share[self._postings[word]] += weight
        share /= fact.total
        verbatim = np.array([_is_verbatim(fact, text) for text in self.texts], dtype=bool)
        enough = (self._documents == fact.document) & (share >= CARRIED * fact.attainable)
        carried: np.ndarray = verbatim | enough if fact.attainable >= LEAST_ATTAINABLE else verbatim
        return carried


def _is_verbatim(fact: Fact, text: JudgedText) -> bool:
    return len(fact.weights) >= 2 and fact.row in text.row
