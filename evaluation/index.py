"""The chunks of one organisation as a search finds them: copies once, each with its size and its judged text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

from evaluation.corpora.ragmc import file_key
from evaluation.judge import Judge, JudgedText
from evaluation.words import words_of
from indexing.embedders import MINILM_FOLDER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.reference import Fact, Reference


@dataclass(frozen=True, slots=True)
class EvaluatedChunk:
    """A chunk of any method: the text that is searched, and the file that it is from."""

    filename: str
    text: str


@cache
def _wordpieces() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(MINILM_FOLDER / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def token_spans(text: str) -> list[tuple[int, int]]:
    """Character spans of the wordpieces (MiniLM's) that budgets and sizes are counted in."""
    spans: list[tuple[int, int]] = _wordpieces().encode(text, add_special_tokens=False).offsets
    return spans


class ChunkIndex:
    """Distinct chunks in the order of their first appearance."""

    def __init__(self, reference: Reference, chunks: Sequence[EvaluatedChunk]) -> None:
        filled = [chunk for chunk in chunks if chunk.text.strip()]
        distinct: dict[tuple[str, str], EvaluatedChunk] = {}
        for chunk in filled:
            distinct.setdefault((file_key(chunk.filename), " ".join(words_of(chunk.text))), chunk)
        self.texts = [chunk.text for chunk in distinct.values()]
        self.filenames = [chunk.filename for chunk in distinct.values()]
        self.copies = len(filled) - len(distinct)
        self.spans = [token_spans(text) for text in self.texts]
        self.judged = [JudgedText.of(reference.document(c.filename), c.text) for c in distinct.values()]
        self.sizes = np.array([len(spans) for spans in self.spans])
        self._judge = Judge(self.judged)

    def carriers(self, facts: Sequence[Fact]) -> np.ndarray:
        """shape (facts, chunks), bool: which chunk carries which fact alone."""
        return np.array([self._judge.carriers(fact) for fact in facts])

    def beginning(self, number: int, tokens: int) -> JudgedText:
        """The first ``tokens`` wordpieces of a chunk."""
        end = self.spans[number][tokens - 1][1]
        return JudgedText.of(self.judged[number].document, self.texts[number][:end])
