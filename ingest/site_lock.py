"""One crawl of a site at a time; the kernel lets go of the lock when the process ends, however it ends."""

from __future__ import annotations

import fcntl
import os
import re
import time
from typing import TYPE_CHECKING

from wrac.errors import StoreError, StoreLocked

if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO

_PAUSES = (0.0, 0.02, 0.05, 0.1)
"""Seconds before each try to get the lock."""


class SiteLock:
    """Held from construction until ``release``."""

    def __init__(self, data_dir: Path, site: str) -> None:
        """Raises ``StoreLocked`` where another process crawls the site, ``StoreError`` where no file can be written."""
        self._path = _lock_file(data_dir, site)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file: IO[str] = self._path.open("a+", encoding="ascii")
        except OSError as error:
            raise StoreError(f"{self._path} cannot be written: {error}") from error
        if not _locked(self._file):
            self._file.seek(0)
            holder = self._file.read().strip() or "unknown"
            self._file.close()
            raise StoreLocked(
                f"site {site} is being crawled by process {holder}: wait until it is done, "
                f"or stop it politely with\n    kill -INT {holder}"
            )
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()

    def release(self) -> None:
        """Another process may crawl the site."""
        self._file.close()


def is_held(data_dir: Path, site: str) -> bool:
    """Whether a process of this machine crawls the site now."""
    try:
        with _lock_file(data_dir, site).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def is_let_go(data_dir: Path, site: str) -> bool:
    """Whether a process of this machine crawled the site and none does so now.

    Asking takes a shared lock for a moment.
    """
    try:
        with _lock_file(data_dir, site).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _locked(file: IO[str]) -> bool:
    """Tries a few times: whoever asks ``is_held`` holds a shared lock for a moment."""
    for pause in _PAUSES:
        time.sleep(pause)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
        return True
    return False


def _lock_file(data_dir: Path, site: str) -> Path:
    return data_dir / "locks" / f"{re.sub(r'[^A-Za-z0-9._-]', '_', site)}.lock"
