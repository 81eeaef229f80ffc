"""All vectors of a text, and the cache by which moved text costs nothing."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Protocol

import numpy as np

from indexing.windows import cut_windows, lead_of, mean_direction, window_texts
from wrac.errors import EmbeddingFailed
from wrac.ids import digest_of
from wrac.records import ChunkVectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from indexing.windows import Span
    from wrac.protocols import Embedder, SparseEncoder
    from wrac.records import SparseVector

DEFAULT_WINDOW_TOKENS = 120
_VERSION = "windows/1"
"""Raised whenever the same text would be cut or embedded differently."""


class VectorCache(Protocol):
    """What keeps window vectors: any mapping from digest to bytes, e.g. a dict or the archive."""

    def get(self, key: str, /) -> bytes | None:
        """The bytes kept under the key, None where there are none."""
        ...

    def __setitem__(self, key: str, value: bytes, /) -> None:
        """Keeps the bytes."""
        ...


def vector_key(text: str, embedder: Embedder, window_tokens: int = DEFAULT_WINDOW_TOKENS) -> str:
    """Under what the window vectors of an embed_text are kept: everything that they depend on."""
    return digest_of(_VERSION, embedder.name, str(embedder.dimension), str(window_tokens), text)


def vectors_for(
    texts: Sequence[str],
    language: str,
    embedder: Embedder,
    sparse: SparseEncoder,
    *,
    window_tokens: int = DEFAULT_WINDOW_TOKENS,
    cache: VectorCache | None = None,
) -> list[ChunkVectors]:
    """The vectors of each embed_text, in order; each distinct text that ``cache`` does not know is embedded once.

    Raises ``EmbeddingFailed``, ``TransientError``.
    """
    known: VectorCache = {} if cache is None else cache
    keys = [vector_key(text, embedder, window_tokens) for text in texts]
    found = {key: raw for key in dict.fromkeys(keys) if (raw := known.get(key)) is not None}
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
    for key, raw in _embedded(missing, embedder, window_tokens):
        known[key] = found[key] = raw
    terms = sparse.encode(texts, language)
    return [_assembled(found[key], embedder, term) for key, term in zip(keys, terms, strict=True)]


def _embedded(missing: dict[str, str], embedder: Embedder, window_tokens: int) -> Iterable[tuple[str, bytes]]:
    cuts = {key: cut_windows(text, embedder, window_tokens) for key, text in missing.items()}
    pieces = [
        piece
        for key, text in missing.items()
        for piece in window_texts(text, cuts[key], lead_of(text, embedder, window_tokens))
    ]
    rows = embedder.embed(pieces) if pieces else np.zeros((0, embedder.dimension), dtype=np.float32)
    if not np.isfinite(rows).all():
        raise EmbeddingFailed(f"the embedder {embedder.name} gave a vector that is no number", stage="embed")
    done = 0
    for key, spans in cuts.items():
        yield key, pack(rows[done : done + len(spans)], spans)
        done += len(spans)


def pack(windows: np.ndarray, spans: Sequence[Span]) -> bytes:
    """Window vectors and their spans as bytes: count, spans (pairs of uint32), rows of float32; little-endian."""
    head = np.asarray([len(spans), *(offset for span in spans for offset in span)], dtype="<u4")
    return head.tobytes() + np.ascontiguousarray(windows, dtype="<f4").tobytes()


def unpack(raw: bytes, dimension: int) -> tuple[np.ndarray, tuple[Span, ...]]:
    """The inverse of ``pack``."""
    count = int(np.frombuffer(raw, dtype="<u4", count=1)[0])
    offsets = np.frombuffer(raw, dtype="<u4", count=2 * count, offset=4).reshape(count, 2)
    rows = np.frombuffer(raw, dtype="<f4", offset=4 + 8 * count).reshape(count, dimension)
    return rows.astype(np.float32), tuple((int(start), int(end)) for start, end in offsets)


def pack_windows(windows: np.ndarray) -> str:
    """Window vectors as they lie in a payload: base64 of little-endian float16, row by row."""
    return base64.b64encode(np.ascontiguousarray(windows, dtype="<f2").tobytes()).decode("ascii")


def unpack_windows(packed: str, dimension: int) -> np.ndarray:
    """shape (windows, dimension), float32: the inverse of ``pack_windows``, to float16 precision."""
    return np.frombuffer(base64.b64decode(packed), dtype="<f2").reshape(-1, dimension).astype(np.float32)


def _assembled(raw: bytes, embedder: Embedder, term: SparseVector) -> ChunkVectors:
    windows, spans = unpack(raw, embedder.dimension)
    return ChunkVectors(dense=mean_direction(windows), windows=windows, sparse=term, spans=spans)
