"""The directory of a compound file ([MS-CFB] 2.6): which old Office format a file is, and whether it is encrypted.

Only header, allocation table and directory are read; nothing is trusted to end by itself.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

_FREE = 0xFFFFFFFA
"""Sector numbers from here on are markers ([MS-CFB] 2.1)."""
_NO_STREAM = 0xFFFFFFFF
_ENTRY = 128
_MOST_SECTORS = 4096
_MOST_ENTRIES = 4096
_WORD_ENCRYPTED = 0x0100
"""``fEncrypted`` of the FIB ([MS-DOC] 2.5.2)."""
_FILE_PASS = 0x002F
"""Record before the encrypted part of a workbook ([MS-XLS] 2.4.117)."""
_FIRST_RECORDS = 20


@dataclass(frozen=True, slots=True)
class _Stream:
    name: str
    start: int
    size: int


def compound_kind(data: bytes) -> str:
    """``doc``, ``ppt``, ``xls``, ``encrypted``, ``email``; empty where the file is none of these or is damaged."""
    try:
        directory = _Directory(data)
        streams = {stream.name: stream for stream in directory.top_level()}
    except (struct.error, IndexError, ValueError):
        return ""
    if "EncryptedPackage" in streams:
        return "encrypted"
    if "__properties_version1.0" in streams:
        return "email"
    if (word := streams.get("WordDocument")) is not None:
        return "encrypted" if directory.is_encrypted_word(word) else "doc"
    if (book := streams.get("Workbook") or streams.get("Book")) is not None:
        return "encrypted" if directory.is_encrypted_workbook(book) else "xls"
    if "PowerPoint Document" in streams:
        return "encrypted" if "EncryptedSummary" in streams else "ppt"
    return ""


class _Directory:
    def __init__(self, data: bytes) -> None:
        self._data = data
        (shift,) = struct.unpack_from("<H", data, 30)
        if shift not in (9, 12):
            raise ValueError("no sector size of the format")
        self._sector = 1 << shift
        (first,) = struct.unpack_from("<I", data, 48)
        (self._least_size,) = struct.unpack_from("<I", data, 56)
        self._table = [sector for sector in struct.unpack_from("<109I", data, 76) if sector < _FREE]
        self._entries = b"".join(self._at(sector) for sector in self._chain(first))

    def _at(self, sector: int) -> bytes:
        start = (sector + 1) * self._sector
        return self._data[start : start + self._sector]

    def _chain(self, sector: int) -> list[int]:
        chain: list[int] = []
        per_sector = self._sector // 4
        while sector < _FREE and len(chain) < _MOST_SECTORS:
            chain.append(sector)
            table = self._at(self._table[sector // per_sector])
            (sector,) = struct.unpack_from("<I", table, sector % per_sector * 4)
        return chain

    def top_level(self) -> list[_Stream]:
        """The children of the root: names inside embedded documents must not speak for the whole file."""
        (child,) = struct.unpack_from("<I", self._entries, 76)
        waiting, seen, streams = [child], set[int](), list[_Stream]()
        while waiting and len(seen) < _MOST_ENTRIES:
            index = waiting.pop()
            if index == _NO_STREAM or index in seen or (index + 1) * _ENTRY > len(self._entries):
                continue
            seen.add(index)
            entry = self._entries[index * _ENTRY : (index + 1) * _ENTRY]
            (length,) = struct.unpack_from("<H", entry, 64)
            left, right = struct.unpack_from("<2I", entry, 68)
            start, size = struct.unpack_from("<2I", entry, 116)
            name = entry[: max(min(length, 64) - 2, 0)].decode("utf-16-le", "replace")
            streams.append(_Stream(name, start, size))
            waiting += [left, right]
        return streams

    def _head(self, stream: _Stream) -> bytes:
        """The first bytes of a stream; empty for one so small that it lives in the mini stream."""
        return self._at(stream.start) if stream.size >= self._least_size else b""

    def is_encrypted_word(self, stream: _Stream) -> bool:
        head = self._head(stream)
        return len(head) >= 12 and bool(struct.unpack_from("<H", head, 10)[0] & _WORD_ENCRYPTED)

    def is_encrypted_workbook(self, stream: _Stream) -> bool:
        head, offset = self._head(stream), 0
        for _ in range(_FIRST_RECORDS):
            if offset + 4 > len(head):
                return False
            record, length = struct.unpack_from("<2H", head, offset)
            if record == _FILE_PASS:
                return True
            offset += 4 + length
        return False
