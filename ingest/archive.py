"""The archive: everything that was fetched or paid for, content-addressed, so that nothing is fetched or paid twice.

An object is named by the digest of its content and compressed with zstd: ``<kind>/<two digits>/<digest>.zst``. It is
never changed once written, so writers need no lock, and writing twice is a no-op. Any folder or object store that
fsspec reaches will do.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import threading
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import fsspec
import zstandard
from fsspec.implementations.local import LocalFileSystem

from wrac.errors import StoreError
from wrac.ids import digest
from wrac.urls import without_credentials

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fsspec import AbstractFileSystem

COMPRESSION_LEVEL = 3
"""Level 6 saves 7 % of space on documentation pages for twice the time."""

_SUFFIX = ".zst"
_STUMP_SECONDS = 86_400.0
"""Age from which nobody can still be writing a ``.part``."""


class Kind(StrEnum):
    """What an object holds; the name of its folder."""

    BODY = "bodies"
    """Body of a response, as it came."""
    PAGE = "pages"
    """All that the stages made of a body (``ingest.page.PageRecord``)."""
    VECTORS = "vectors"
    """Vectors of the chunks of one page (``ingest.vectors``)."""


class Damaged(StoreError):
    """An object is missing or was not what its digest says; it is gone now, and whoever needs it makes it again."""


class Archive(Protocol):
    """Where objects are kept."""

    def put(self, kind: Kind, data: bytes) -> str:
        """The digest under which ``data`` can be read back from now on. Raises ``StoreError``."""
        ...

    def get(self, kind: Kind, key: str) -> bytes:
        """The content with this digest, verified. Raises ``Damaged``, ``StoreError``."""
        ...

    def has(self, kind: Kind, key: str) -> bool:
        """Whether an object of this name exists (its content is verified by ``get``)."""
        ...


class FileArchive:
    """Objects as files of a folder, or of any store that fsspec knows by URL (``s3://bucket/prefix``)."""

    def __init__(self, url: str) -> None:
        """``url`` may be a path; ``self.url`` is it for messages. Nothing is created before the first ``put``."""
        self.url = without_credentials(url)
        try:
            self._fs, self._root = _filesystem(url)
        except (ImportError, ValueError) as error:
            raise StoreError(f"archive {self.url!r} cannot be opened: {error}") from error
        self.is_local = type(self._fs) is LocalFileSystem
        """Whether asking it costs no network."""
        self._known_folders: set[str] = set()
        self._writes = itertools.count()
        # A (de)compressor must not be used by two threads at a time.
        self._thread = threading.local()

    def put(self, kind: Kind, data: bytes) -> str:
        """See ``Archive.put``. A reader sees the whole object or none, even when the writer is killed."""
        key = digest(data)
        path = self._path(kind, key)
        try:
            packed = self._compressor().compress(data)
            if not self._is_whole(path, len(packed)):
                self._write(path, packed)
        except OSError as error:
            raise _write_error(self.url, error) from error
        return key

    def get(self, kind: Kind, key: str) -> bytes:
        """See ``Archive.get``."""
        path = self._path(kind, key)
        try:
            packed: bytes = self._fs.cat_file(path)
            data = self._decompressor().decompress(packed)
        except FileNotFoundError as error:
            raise Damaged(f"archive object {path} is missing") from error
        except zstandard.ZstdError as error:
            self.discard(kind, key)  # ``put`` would take it for a good one
            raise Damaged(f"archive object {path} was damaged: {error}") from error
        except OSError as error:
            raise StoreError(f"archive object {path} cannot be read: {error}") from error
        if digest(data) != key:
            self.discard(kind, key)
            raise Damaged(f"archive object {path} was damaged: its content had another digest")
        return data

    def has(self, kind: Kind, key: str) -> bool:
        """See ``Archive.has``."""
        return bool(key) and bool(self._fs.exists(self._path(kind, key)))

    def size(self, kind: Kind, key: str) -> int | None:
        """Bytes that the object takes; None where there is none."""
        try:
            return int(self._fs.size(self._path(kind, key)))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"archive object {key} cannot be looked at: {error}") from error

    def objects(self, kind: Kind) -> Iterator[tuple[str, int]]:
        """(key, bytes) of every object of a kind; what writers have not finished is left out."""
        try:
            found = self._fs.find(f"{self._root}/{kind.value}", detail=True)
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"the archive {self.url} cannot be listed: {error}") from error
        for path, facts in found.items():
            name = path.rpartition("/")[2]
            if name.endswith(_SUFFIX):
                yield name.removesuffix(_SUFFIX), int(facts["size"])

    def discard(self, kind: Kind, key: str) -> None:
        """The object is gone; one that was not there is no error."""
        try:
            self._fs.rm_file(self._path(kind, key))
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"archive object {key} cannot be removed: {error}") from error

    def _is_whole(self, path: str, size: int) -> bool:
        """Whether the object is there and no stump of itself."""
        try:
            stored = Path(path).stat().st_size if self.is_local else self._fs.size(path)
        except FileNotFoundError:
            return False
        return bool(stored == size)

    def _path(self, kind: Kind, key: str) -> str:
        return f"{self._root}/{kind.value}/{key[:2]}/{key}{_SUFFIX}"

    def _write(self, path: str, packed: bytes) -> None:
        if not self.is_local:
            self._fs.pipe_file(path, packed)  # an object store shows an object when it is whole
            return
        folder = path.rpartition("/")[0]
        if is_new := folder not in self._known_folders:
            self._fs.makedirs(folder, exist_ok=True)
            self._known_folders.add(folder)
        part = Path(f"{path}.{os.getpid()}-{next(self._writes)}.part")
        try:
            part.write_bytes(packed)
            if is_new:
                _remove_stumps(part)
            part.replace(path)
        except OSError:
            part.unlink(missing_ok=True)
            raise

    def _compressor(self) -> zstandard.ZstdCompressor:
        if not hasattr(self._thread, "compressor"):
            self._thread.compressor = zstandard.ZstdCompressor(level=COMPRESSION_LEVEL)
        return self._thread.compressor  # type: ignore[no-any-return]

    def _decompressor(self) -> zstandard.ZstdDecompressor:
        if not hasattr(self._thread, "decompressor"):
            self._thread.decompressor = zstandard.ZstdDecompressor()
        return self._thread.decompressor  # type: ignore[no-any-return]


def _remove_stumps(part: Path) -> None:
    """The folder of ``part``, which was just written, holds no stumps of writers that were killed long before.

    One folder at a time, when it is first written to: a look through the whole archive would delay every start. Age is
    measured by the file system's own clock.
    """
    with contextlib.suppress(OSError):  # another writer was faster, or may more
        now = part.stat().st_mtime
        with os.scandir(part.parent) as entries:
            for entry in entries:
                if entry.name.endswith(".part") and now - entry.stat().st_mtime > _STUMP_SECONDS:
                    Path(entry).unlink(missing_ok=True)


def _filesystem(url: str) -> tuple[AbstractFileSystem, str]:
    if "://" not in url:
        url = str(Path(url).absolute())
    filesystem, root = fsspec.core.url_to_fs(url)
    return filesystem, str(root).rstrip("/")


def _write_error(url: str, error: OSError) -> StoreError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreError(
            f"no space is left for the archive {url}. Free some or point `archive` in wrac.toml elsewhere, "
            f"then run the same command again: it goes on where it stopped."
        )
    return StoreError(f"the archive {url} cannot be written: {error}")
