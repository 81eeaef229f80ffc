"""Opening a collection: the embedded folder, memory, or a server."""

from __future__ import annotations

import fcntl
import json
import os
import re
import sqlite3
import sys
from pathlib import Path
from pickle import UnpicklingError
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from qdrant_client import QdrantClient

from indexing.calls import Calls
from indexing.embedded_store import EmbeddedStore
from indexing.lock_holder import lock_holder
from indexing.stamp import FOLDER, LOCK_FILE, OWNER_FILE
from indexing.store import QdrantStore
from wrac.errors import ConfigError, StoreError, StoreLocked
from wrac.urls import without_credentials

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wrac.config import Settings

MEMORY = ":memory:"
SERVER_COMMAND = "docker run -p 127.0.0.1:6333:6333 -v wrac-qdrant:/qdrant/storage qdrant/qdrant"
SERVER_SETTING = 'store = "http://localhost:6333"'
REQUEST_TIMEOUT = 60


def open_store(settings: Settings, collection: str, environment: Mapping[str, str] | None = None) -> QdrantStore:
    """The collection that chatbots know as ``collection``; neither made nor compared yet, see ``QdrantStore.ensure``.

    ``settings.store`` is empty for the folder DATA_DIR/qdrant, ``:memory:``, or the URL of a server. Raises
    ``StoreLocked`` where another process holds the folder, ``ConfigError`` for a store that is neither.
    """
    if settings.store == MEMORY:
        client = QdrantClient(MEMORY, force_disable_check_same_thread=True)
        return EmbeddedStore(client, collection, Calls("memory", serial=True))
    if not settings.store:
        return _open_folder(settings.data_dir / FOLDER, collection)
    parts = urlsplit(settings.store)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(
            f"store = {without_credentials(settings.store)!r} is neither empty nor an http(s) URL, "
            "e.g. http://localhost:6333 (wrac.toml, or WRAC_STORE)"
        )
    return _open_server(settings, collection, os.environ if environment is None else environment)


def _open_server(settings: Settings, collection: str, environment: Mapping[str, str]) -> QdrantStore:
    parts = urlsplit(settings.store)
    place = f"the Qdrant server {parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    client = QdrantClient(
        url=settings.store,
        port=parts.port or (443 if parts.scheme == "https" else 6333),
        api_key=environment.get(settings.store_api_key_env) or None,
        timeout=REQUEST_TIMEOUT,
        check_compatibility=False,
    )
    calls = Calls(place, serial=False, key_variable=settings.store_api_key_env)
    return QdrantStore(client, collection, calls)


def _open_folder(folder: Path, collection: str) -> QdrantStore:
    owner = folder / OWNER_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _raise_if_held(folder, owner)
        client = QdrantClient(path=str(folder), force_disable_check_same_thread=True)
    except RuntimeError as error:
        # The client says so too, where another process was faster than this one.
        raise (_locked(folder, owner) if "already accessed" in str(error) else _unusable(folder, error)) from error
    except (OSError, ValueError, TypeError, LookupError, AttributeError, sqlite3.Error, UnpicklingError) as error:
        raise _unusable(folder, error) from error
    try:
        owner.write_text(json.dumps({"pid": os.getpid(), "command": _command(sys.argv)}), encoding="utf-8")
    except OSError as error:
        client.close()
        raise _unusable(folder, error) from error
    return EmbeddedStore(
        client,
        collection,
        Calls(str(folder), serial=True),
        folder=folder,
        on_close=lambda: owner.unlink(missing_ok=True),
    )


def _raise_if_held(folder: Path, owner: Path) -> None:
    """Asks before the client does: refused, it would leave its lock file open."""
    file = folder / LOCK_FILE
    if not file.exists():
        return
    with file.open("r+", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _locked(folder, owner) from None


def _locked(folder: Path, owner: Path) -> StoreLocked:
    return StoreLocked(
        f"the embedded collection {folder} is held by {_holder(owner)}. Wait until it is done, or let several "
        f"processes share a server: run\n    {SERVER_COMMAND}\nand put {SERVER_SETTING} into wrac.toml"
    )


def _unusable(folder: Path, error: Exception) -> StoreError:
    return StoreError(
        f"the embedded collection {folder} cannot be opened ({error}). If it is damaged, move the folder away "
        "and crawl again"
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
