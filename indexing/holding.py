"""One process at a time holds an embedded folder, and the others are told which one does."""

from __future__ import annotations

import fcntl
import json
import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

from indexing.lock_holder import lock_holder
from indexing.stamp import LOCK_FILE, OWNER_FILE
from wrac.errors import StoreLocked

SERVER_COMMAND = "docker run -p 127.0.0.1:6333:6333 -v wrac-qdrant:/qdrant/storage qdrant/qdrant"
SERVER_SETTING = 'store = "http://localhost:6333"'


def raise_if_held(folder: Path) -> None:
    """Raises ``StoreLocked`` where another process holds the folder now."""
    file = folder / LOCK_FILE
    if not file.exists():
        return
    with file.open("r+", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise locked(folder) from None


class Hold:
    """The folder belongs to this process until ``let_go``, or until the process ends. Raises ``StoreLocked``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock: IO[str] = (folder / LOCK_FILE).open("a", encoding="utf-8")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            sign(folder)
        except BlockingIOError:
            self._lock.close()
            raise locked(folder) from None
        except OSError:
            self._lock.close()
            raise

    def let_go(self) -> None:
        """Another process may have the folder."""
        with suppress(OSError):
            unsign(self._folder)
        self._lock.close()


def sign(folder: Path) -> None:
    """The folder tells who holds it."""
    told = json.dumps({"pid": os.getpid(), "command": _command(sys.argv)})
    (folder / OWNER_FILE).write_text(told, encoding="utf-8")


def unsign(folder: Path) -> None:
    """The folder names nobody."""
    (folder / OWNER_FILE).unlink(missing_ok=True)


def locked(folder: Path) -> StoreLocked:
    """The error that names the holder and the way out."""
    return StoreLocked(
        f"the embedded collection {folder} is held by {_holder(folder / OWNER_FILE)}. Wait until it is done, or let "
        f"several processes share a server: run\n    {SERVER_COMMAND}\nand put {SERVER_SETTING} into wrac.toml"
    )


def _holder(owner: Path) -> str:
    """Who holds the folder, as far as its owner file tells and its process lives."""
    try:
        told = json.loads(owner.read_text(encoding="utf-8"))
        pid, command = int(told["pid"]), str(told["command"])
        os.kill(pid, 0)
    except PermissionError:
        pass
    except (OSError, ValueError, KeyError, TypeError):
        # A reader that is none of ours, e.g. a chatbot with the client alone, leaves no owner file.
        if (found := lock_holder(owner.with_name(LOCK_FILE))) is None:
            return "another process"
        pid, command = found[0], _command(found[1])
    return f"process {pid} ({command})"


def _command(arguments: list[str]) -> str:
    """Program and subcommand; further arguments may hold URLs with credentials and are left out."""
    program = Path(arguments[0]).name if arguments and arguments[0] else "python"
    words = [word for word in arguments[1:3] if re.fullmatch(r"[a-z][a-z_-]*", word)]
    return " ".join([program, *words])
