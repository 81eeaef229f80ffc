"""Opening a collection: the embedded folder, memory, or a server."""

from __future__ import annotations

import os
import sqlite3
from pickle import UnpicklingError
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from qdrant_client import QdrantClient

from indexing.calls import Calls
from indexing.embedded_store import EmbeddedStore
from indexing.holding import Hold, locked, raise_if_held, sign, unsign
from indexing.store import QdrantStore
from wrac.errors import ConfigError, StoreError
from wrac.urls import without_credentials

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from wrac.config import Settings

MEMORY = ":memory:"
REQUEST_TIMEOUT = 60


def open_store(settings: Settings, collection: str, environment: Mapping[str, str] | None = None) -> QdrantStore:
    """The collection that chatbots know as ``collection``; neither made nor compared yet, see ``QdrantStore.ensure``.

    ``settings.store`` is empty for the folder DATA_DIR/qdrant, ``edge:FOLDER``, ``:memory:``, or the URL of a server.
    Raises ``StoreLocked`` where another process holds the folder, ``ConfigError`` for a store that is none of them.
    """
    if settings.store == MEMORY:
        client = QdrantClient(MEMORY, force_disable_check_same_thread=True)
        return EmbeddedStore(client, collection, Calls("memory", serial=True))
    if (folder := settings.store_folder) is not None:
        return (_open_edge if settings.store else _open_folder)(folder, collection)
    parts = urlsplit(settings.store)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(
            f"store = {without_credentials(settings.store)!r} is neither empty nor an http(s) URL, "
            "e.g. http://localhost:6333, nor edge:FOLDER (wrac.toml, or WRAC_STORE)"
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
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Asks before the client does: refused, it would leave its lock file open.
        raise_if_held(folder)
        client = QdrantClient(path=str(folder), force_disable_check_same_thread=True)
    except RuntimeError as error:
        # The client says so too, where another process was faster than this one.
        raise (locked(folder) if "already accessed" in str(error) else _unusable(folder, error)) from error
    except (OSError, ValueError, TypeError, LookupError, AttributeError, sqlite3.Error, UnpicklingError) as error:
        raise _unusable(folder, error) from error
    try:
        sign(folder)
    except OSError as error:
        client.close()
        raise _unusable(folder, error) from error
    return EmbeddedStore(
        client, collection, Calls(str(folder), serial=True), folder=folder, on_close=lambda: unsign(folder)
    )


def _open_edge(folder: Path, collection: str) -> QdrantStore:
    from indexing.edge.engine import EdgeEngine  # noqa: PLC0415 35 MB that only this store needs
    from indexing.edge.store import EdgeStore  # noqa: PLC0415

    try:
        folder.mkdir(parents=True, exist_ok=True)
        hold = Hold(folder)
        try:
            engine = EdgeEngine(folder)
        except BaseException:
            hold.let_go()
            raise
    except (OSError, ValueError, RuntimeError) as error:
        raise _unusable(folder, error) from error
    return EdgeStore(engine, collection, Calls(str(folder), serial=True), on_close=hold.let_go)


def _unusable(folder: Path, error: Exception) -> StoreError:
    return StoreError(
        f"the embedded collection {folder} cannot be opened ({error}). If it is damaged, move the folder away "
        "and crawl again"
    )
