"""The cache of vectors: nothing that was embedded once is embedded again, on whatever page it stands.

A page's new vectors are one archive object; the ledger says which object holds which key. The bytes under a key are
those of ``indexing.vectors`` and mean nothing here.
"""

from __future__ import annotations

import struct
from contextlib import suppress
from typing import TYPE_CHECKING

from ingest.archive import Damaged, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ingest.archive import Archive
    from ingest.ledger import Ledger

_COUNT = struct.Struct("<I")
_ENTRY = struct.Struct("<16sI")
"""Key (16 bytes) and length of its value."""


class VectorShelf:
    """The vectors of a batch of pages: those kept before, once ``fetch`` was called, and those set since.

    Implements ``indexing.VectorCache``.
    """

    def __init__(self, archive: Archive, ledger: Ledger) -> None:
        self._archive = archive
        self._ledger = ledger
        self._held: dict[str, bytes] = {}
        self._new: dict[str, bytes] = {}

    def fetch(self, keys: Iterable[str]) -> None:
        """What is kept under these keys is at hand. A damaged object counts as not kept."""
        wanted = [key for key in dict.fromkeys(keys) if key not in self._held]
        for name in sorted(set(self._ledger.publishes.find_vectors(wanted).values())):
            with suppress(Damaged, ValueError):
                self._held.update(unpack_vectors(self._archive.get(Kind.VECTORS, name)))

    def get(self, key: str, /) -> bytes | None:
        """The vectors under a key, None where there are none at hand."""
        return self._held.get(key)

    def __setitem__(self, key: str, value: bytes, /) -> None:
        """The vectors are at hand, and kept by the next ``keep``."""
        self._held[key] = self._new[key] = value

    @property
    def fresh(self) -> int:
        """Texts embedded and not yet kept."""
        return len(self._new)

    def keep(self, keys: Iterable[str]) -> None:
        """What was set under these keys is in the archive as one object, found by every later ``fetch``."""
        vectors = {key: self._new.pop(key) for key in dict.fromkeys(keys) if key in self._new}
        if vectors:
            name = self._archive.put(Kind.VECTORS, pack_vectors(vectors))
            self._ledger.publishes.add_vectors(vectors, name)

    def drop(self) -> None:
        """Nothing is at hand any more; what was kept stays kept."""
        self._held.clear()
        self._new.clear()


def pack_vectors(vectors: Mapping[str, bytes]) -> bytes:
    """Keys and values as one object; equal mappings give equal bytes."""
    items = sorted(vectors.items())
    head = b"".join(_ENTRY.pack(bytes.fromhex(key), len(value)) for key, value in items)
    return _COUNT.pack(len(items)) + head + b"".join(value for _, value in items)


def unpack_vectors(data: bytes) -> dict[str, bytes]:
    """What ``pack_vectors`` packed. Raises ``ValueError`` where the data is no such object."""
    try:
        (count,) = _COUNT.unpack_from(data)
        entries = [_ENTRY.unpack_from(data, _COUNT.size + n * _ENTRY.size) for n in range(count)]
    except struct.error as error:
        raise ValueError(f"no vectors in the stored data: {error}") from error
    vectors, start = {}, _COUNT.size + count * _ENTRY.size
    for key, length in entries:
        vectors[key.hex()] = data[start : start + length]
        start += length
    return vectors
