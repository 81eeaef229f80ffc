"""The documents that facts are judged against, and how much of a fact they say at all.

Most supporting facts are paraphrases, so no chunk could hold all of their words. A fact is therefore measured by what
its own document says of it in one place (``attainable``), with rare words weighing more than common ones (idf over
the paragraphs of the organisation).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluation.corpora.ragmc import file_key
from evaluation.words import FUNCTION_WORDS, content_stems, in_a_row, stem, words_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from evaluation.corpora.ragmc import StatedFact

_BLANK_LINES = re.compile(r"\n\s*\n")
LEAST_WINDOW = 200
"""Words of a document that count as one place at least; three times the fact's own length where that is more."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A supporting fact, prepared for judging."""

    document: str
    """Key of its document."""
    row: str
    """Its words in a row, to be found verbatim."""
    weights: Mapping[str, float]
    """Weight of each of its stems."""
    total: float
    """Sum of the weights, 1 where there are none."""
    attainable: float
    """Largest share of its weight in one place of its document; 1 where it stands there verbatim."""
    verbatim: bool

    def share(self, stems: Collection[str]) -> float:
        """Share of its weight that ``stems`` hold, 0 to 1."""
        return sum(weight for word, weight in self.weights.items() if word in stems) / self.total


class Reference:
    """The documents of one organisation. Documents of the same words are one."""

    def __init__(self, documents: Mapping[str, str]) -> None:
        """``documents`` maps file names to Markdown."""
        self.words = {file_key(name): words_of(text) for name, text in documents.items()}
        self._rows = {key: in_a_row(words) for key, words in self.words.items()}
        first: dict[str, str] = {}
        self._same = {key: first.setdefault(row, key) for key, row in sorted(self._rows.items())}
        paragraphs = [part for text in documents.values() for part in _BLANK_LINES.split(text) if part.strip()]
        self._paragraphs = len(paragraphs)
        self._frequency: Counter[str] = Counter()
        for paragraph in paragraphs:
            self._frequency.update(set(content_stems(words_of(paragraph))))

    def document(self, filename: str) -> str:
        """Key of the document that a file name means; its own key where no document has it."""
        key = file_key(filename)
        if key in self._same:
            return self._same[key]
        squashed = key.replace(" ", "")
        return next((same for other, same in self._same.items() if other.replace(" ", "") == squashed), key)

    @property
    def documents(self) -> frozenset[str]:
        """Keys of all distinct documents."""
        return frozenset(self._same.values())

    def fact(self, stated: StatedFact) -> Fact:
        """The fact with the weights of its words and what of it can be attained."""
        document, words = self.document(stated.filename), words_of(stated.text)
        weights = {word: self._idf(word) for word in sorted(set(content_stems(words)))}
        total = sum(weights.values()) or 1.0
        row = in_a_row(words)
        verbatim = document in self._rows and row in self._rows[document]
        attainable = 1.0 if verbatim else self._best_place(document, weights, len(words)) / total
        return Fact(document, row, weights, total, attainable, verbatim)

    def _idf(self, word: str) -> float:
        return math.log(1 + self._paragraphs / (1 + self._frequency.get(word, 0)))

    def _best_place(self, document: str, weights: Mapping[str, float], length: int) -> float:
        """Largest weight of distinct words inside one window that slides over the document."""
        if document not in self.words:
            return 0.0
        stems = ["" if word in FUNCTION_WORDS else stem(word) for word in self.words[document]]
        width = max(LEAST_WINDOW, 3 * length)
        inside: Counter[str] = Counter()
        weight = best = 0.0
        for place, word in enumerate(stems):
            if word in weights:
                inside[word] += 1
                weight += weights[word] if inside[word] == 1 else 0.0
            gone = stems[place - width] if place >= width else ""
            if gone in weights:
                inside[gone] -= 1
                weight -= 0.0 if inside[gone] else weights[gone]
            best = max(best, weight)
        return best
