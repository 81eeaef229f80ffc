"""What a chunk is called counts for its words once more: title, breadcrumb and the words of the URL.

A page is often named by words that its text hardly says (``install`` on a page of commands). Each word of the names
adds a fixed weight to the sparse vector of the chunk, whether its text has the word or not.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import numpy as np

from wrac.records import SparseVector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexing.payload import PageFacts
    from wrac.protocols import SparseEncoder
    from wrac.records import Chunk, ChunkVectors

NAME_WEIGHT = 1.2
"""What a word of the names adds; a word that a text of usual length says once weighs 1.5."""

_ENDING = re.compile(r"\.[a-z]{2,5}$", re.IGNORECASE)
_WORDS = re.compile(r"[^\W_]+")


def with_names(
    page: PageFacts, chunks: Sequence[Chunk], vectors: Sequence[ChunkVectors], sparse: SparseEncoder
) -> list[ChunkVectors]:
    """The vectors with the words of each chunk's names in the sparse part, in order."""
    named = []
    for chunk, vector in zip(chunks, vectors, strict=True):
        words = name_words(page.title, chunk.breadcrumb, page.url)
        # One word a line: the names are a set of words, so neighbours in it are no pairs. An unknown language is taken
        # as that of the texts is.
        terms = sparse.encode_query("\n".join(words), page.language or "en")
        named.append(replace(vector, sparse=_added(vector.sparse, terms)))
    return named


def name_words(title: str, breadcrumb: str, url: str) -> list[str]:
    """The distinct words of title, breadcrumb and the URL's path, in order of appearance."""
    path = _ENDING.sub("", unquote(urlsplit(url).path))
    return list(dict.fromkeys(_WORDS.findall(f"{title} {breadcrumb} {path}".lower())))


def _added(vector: SparseVector, terms: SparseVector) -> SparseVector:
    indices, places = np.unique(np.concatenate([vector.indices, terms.indices]), return_inverse=True)
    values = np.zeros(len(indices), dtype=np.float32)
    np.add.at(values, places, np.concatenate([vector.values, NAME_WEIGHT * terms.values]))
    return SparseVector(indices=indices.astype(np.uint32), values=values)
