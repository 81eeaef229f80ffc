"""The lexical side: BM25 as sparse vectors, by fastembed's ``Qdrant/bm25``.

A reader that encodes its queries with fastembed's ``Qdrant/bm25`` gets the terms that stand in the collection. Term
weights are the document part of BM25 (k 1.2, b 0.75, average length 256 terms); the inverse document frequency is the
store's part (the IDF modifier of the sparse vector).

Scripts written without spaces between words (Han, kana, Hangul, Thai, Lao, Khmer, Myanmar) are cut into overlapping
pairs of characters first, in texts of any language. Combining marks that have no composed form are dropped, since
fastembed would cut the word there; so Arabic and Hebrew match with or without vowel signs, and Indic scripts by their
consonants.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from fastembed import SparseTextEmbedding

from indexing.description import BM25_NAME
from indexing.language import DICTIONARIES, STOPWORDS_FOLDER, guess_language
from wrac.language_tags import primary_subtag
from wrac.records import SparseVector

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from fastembed import SparseEmbedding

    from wrac.config import Settings

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
        self._models: dict[str, SparseTextEmbedding] = {}
        self._lock = Lock()

    def encode(self, texts: Sequence[str], language: str) -> list[SparseVector]:
        """One vector per text; ``language`` is a BCP 47 tag, empty (taken as English) where unknown."""
        prepared = [prepare(text) for text in texts]
        return [_vector(embedding) for embedding in self._model(_dictionary(language)).embed(prepared)]

    def encode_query(self, text: str, language: str = "") -> SparseVector:
        """The query's terms, weight 1 each; without a language it is guessed, else taken as English."""
        dictionary = _dictionary(language or guess_language(text))
        return _vector(next(iter(self._model(dictionary).query_embed(prepare(text)))))

    def _model(self, dictionary: str) -> SparseTextEmbedding:
        with self._lock:
            if dictionary not in self._models:
                self._models[dictionary] = SparseTextEmbedding(
                    "Qdrant/bm25",
                    cache_dir=str(self._cache_folder),
                    specific_model_path=str(STOPWORDS_FOLDER),
                    language=dictionary or _DEFAULT,
                    disable_stemmer=dictionary == _UNSTEMMED,
                )
            return self._models[dictionary]


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


def _vector(embedding: SparseEmbedding) -> SparseVector:
    order = np.argsort(embedding.indices, kind="stable")
    return SparseVector(
        indices=np.asarray(embedding.indices, dtype=np.uint32)[order],
        values=np.asarray(embedding.values, dtype=np.float32)[order],
    )
