"""The lexical side: BM25 as sparse vectors, in the terms of fastembed's ``Qdrant/bm25``.

A reader that encodes its queries with fastembed's ``Qdrant/bm25`` gets the terms that stand in the collection. Term
weights are the document part of BM25 (k 1.2, b 0.75, average length 256 terms); the inverse document frequency is the
store's part (the IDF modifier of the sparse vector).

Beside its words, a text has its pairs of neighbouring words as terms of their own, so that texts with the words of
``reset password`` next to each other come first. Readers that know words only never ask for a pair.

Scripts written without spaces between words (Han, kana, Hangul, Thai, Lao, Khmer, Myanmar) are cut into overlapping
pairs of characters first, in texts of any language. Combining marks that have no composed form are dropped, since
fastembed would cut the word there; so Arabic and Hebrew match with or without vowel signs, and Indic scripts by their
consonants.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from fastembed.common.utils import remove_non_alphanumeric
from fastembed.sparse.bm25 import Bm25

from indexing.description import BM25_NAME
from indexing.language import DICTIONARIES, STOPWORDS_FOLDER, guess_language
from wrac.language_tags import primary_subtag
from wrac.records import SparseVector

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from wrac.config import Settings

PAIR_WEIGHT = 0.5
"""Of a pair of words, as a share of what a word would weigh."""

_DEFAULT = "english"
_UNSTEMMED = ""

_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uaa60-\uaa7f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff]+"
)


def make_sparse_encoder(settings: Settings) -> Bm25Encoder:
    """The sparse encoder of every collection; works offline, out of installed packages only."""
    return Bm25Encoder(settings.data_dir / "models")


class Bm25Encoder:
    """BM25 terms and weights, stemmed where fastembed has a stemmer, plain terms elsewhere."""

    name = BM25_NAME

    def __init__(self, cache_folder: Path) -> None:
        self._cache_folder = cache_folder
        self._models: dict[str, Bm25] = {}
        self._lock = Lock()

    def encode(self, texts: Sequence[str], language: str) -> list[SparseVector]:
        """One vector per text; ``language`` is a BCP 47 tag, empty (taken as English) where unknown."""
        model = self._model(_dictionary(language))
        return [_vector(_weighed(text, model)) for text in texts]

    def encode_query(self, text: str, language: str = "") -> SparseVector:
        """The query's words and pairs, weight 1 each; without a language it is guessed, else taken as English."""
        lines = _stems(text, self._model(_dictionary(language or guess_language(text))))
        return _vector(dict.fromkeys([*_words(lines), *_pairs_of_words(lines)], 1.0))

    def _model(self, dictionary: str) -> Bm25:
        with self._lock:
            if dictionary not in self._models:
                self._models[dictionary] = Bm25(
                    "Qdrant/bm25",
                    cache_dir=str(self._cache_folder),
                    specific_model_path=str(STOPWORDS_FOLDER),
                    language=dictionary or _DEFAULT,
                    disable_stemmer=dictionary == _UNSTEMMED,
                )
            return self._models[dictionary]


def _stems(text: str, model: Bm25) -> list[list[str]]:
    """The stems of each line, in order."""
    lines = remove_non_alphanumeric(prepare(text)).split("\n")
    # fastembed itself only tells the indices of stems, without their order.
    return [model._stem(model.tokenizer.tokenize(line)) for line in lines]  # noqa: SLF001


def _words(lines: Sequence[Sequence[str]]) -> list[int]:
    return [Bm25.compute_token_id(stem) for line in lines for stem in line]


def _pairs_of_words(lines: Sequence[Sequence[str]]) -> list[int]:
    """Neighbours in one line, function words left out; what stands in two paragraphs or cells is no pair."""
    return [Bm25.compute_token_id(f"{one} {other}") for line in lines for one, other in pairwise(line)]


def _weighed(text: str, model: Bm25) -> dict[int, float]:
    """The document part of BM25 by index; pairs in what they share of it."""
    lines = _stems(text, model)
    words = _words(lines)
    norm = model.k * (1 - model.b + model.b * len(words) / model.avg_len)
    weights = {index: PAIR_WEIGHT * weight for index, weight in _saturated(_pairs_of_words(lines), model.k, norm)}
    return weights | dict(_saturated(words, model.k, norm))


def _saturated(terms: Iterable[int], saturation: float, norm: float) -> Iterable[tuple[int, float]]:
    return ((index, times * (saturation + 1) / (times + norm)) for index, times in Counter(terms).items())


def prepare(text: str) -> str:
    """The text as fastembed's tokenizer needs it: composed, marks dropped, spaceless scripts as pairs."""
    if text.isascii():
        return text
    composed = unicodedata.normalize("NFC", text)
    kept = "".join(char for char in composed if unicodedata.category(char) not in ("Mn", "Mc", "Me"))
    return _SPACELESS.sub(lambda run: f" {' '.join(pairs(run.group()))} ", kept)


def pairs(run: str) -> Iterable[str]:
    """Overlapping pairs of characters; a single character stands for itself."""
    return [a + b for a, b in pairwise(run)] if len(run) > 1 else [run]


def _dictionary(language: str) -> str:
    primary = primary_subtag(language)
    return DICTIONARIES.get(primary, _UNSTEMMED) if primary else _DEFAULT


def _vector(weights: Mapping[int, float]) -> SparseVector:
    indices = sorted(weights)
    return SparseVector(
        indices=np.asarray(indices, dtype=np.uint32),
        values=np.asarray([weights[index] for index in indices], dtype=np.float32),
    )
