"""Vectors of earlier runs in one file: embedding is most of the time of a comparison, and its texts hardly change.

What is kept are the pieces that an embedder is asked for: rows, searchers and runs share what they have in common.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Self

import numpy as np

from wrac.errors import ConfigError
from wrac.ids import digest_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import TracebackType

    from indexing import VectorCache
    from wrac.protocols import Embedder

_WRITTEN_AT_ONCE = 500
_PATIENCE = 60.0
"""Seconds to wait for another run that writes; it writes for an instant only."""


class KeptEmbedder:
    """An embedder that embeds no text twice, as long as ``cache`` keeps its vectors, to the last bit."""

    def __init__(self, embedder: Embedder, cache: VectorCache) -> None:
        self.name = embedder.name
        self.dimension = embedder.dimension
        self.max_tokens = embedder.max_tokens
        self.languages = embedder.languages
        self._embedder = embedder
        self._cache = cache

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """As the embedder does."""
        keys = [self._key("text", text) for text in texts]
        kept = {key: raw for key in dict.fromkeys(keys) if (raw := self._cache.get(key)) is not None}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in kept}
        for key, row in zip(missing, self._embedder.embed(list(missing.values())), strict=True):
            self._cache[key] = kept[key] = row.astype("<f4").tobytes()
        rows = [np.frombuffer(kept[key], dtype="<f4") for key in keys]
        return np.stack(rows) if rows else np.zeros((0, self.dimension), dtype=np.float32)

    def embed_query(self, text: str) -> np.ndarray:
        """As the embedder does."""
        key = self._key("query", text)
        raw = self._cache.get(key)
        if raw is None:
            self._cache[key] = raw = self._embedder.embed_query(text).astype("<f4").tobytes()
        return np.frombuffer(raw, dtype="<f4")

    def token_spans(self, text: str) -> Sequence[tuple[int, int]]:
        """As the embedder does."""
        return self._embedder.token_spans(text)

    def _key(self, role: str, text: str) -> str:
        return digest_of(role, self.name, str(self.dimension), text)


class VectorFile:
    """A ``VectorCache`` that several runs may use at a time. What is new is written in batches, and when it is closed.

    Raises ``ConfigError`` where the file is none of ours or damaged.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._new: dict[str, bytes] = {}
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(file, timeout=_PATIENCE)
            with self._database:
                self._database.execute("CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, value BLOB NOT NULL)")
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def get(self, key: str, /) -> bytes | None:
        """The bytes kept under the key, None where there are none."""
        if key in self._new:
            return self._new[key]
        try:
            row = self._database.execute("SELECT value FROM vectors WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        return bytes(row[0]) if row else None

    def __setitem__(self, key: str, value: bytes, /) -> None:
        """Keeps the bytes."""
        self._new[key] = value
        if len(self._new) >= _WRITTEN_AT_ONCE:
            self._write()

    def close(self) -> None:
        """Everything is in the file afterwards."""
        try:
            self._write()
        finally:
            self._database.close()

    def _write(self) -> None:
        try:
            with self._database:
                self._database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", self._new.items())
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        self._new.clear()

    def _unusable(self, error: Exception) -> ConfigError:
        return ConfigError(
            f"the kept vectors {self._file} cannot be used ({error}): "
            "delete the file, it is made anew, or pass --no-cache"
        )
