"""Makes a process of the product fail at a named point: put this folder on PYTHONPATH and set FAULT.

    FAULT="kill before store.upsert 2"     SIGKILL to the whole command at the second call, as by the power
    FAULT="full at archive.write 3"        no space left from the third call on
    FAULT="locked at ledger.write 1"       another process holds the ledger from the first call on
    FAULT="away at store.upsert 1"         the server of the collection does not answer from the first call on

The product knows nothing of this: the interpreter imports a module of this name before it runs anything.
"""

from __future__ import annotations

import errno
import functools
import importlib
import os
import signal
import sqlite3
import sys

# Point -> module and function. Steps of a publish in their order; the lower half is where a disk or server fails.
POINTS = {
    "archive.put": "ingest.archive:FileArchive.put",
    "ledger.flush": "ingest.ledger.pages:PageLedger.flush",
    "vectors.keep": "ingest.vectors:VectorShelf.keep",
    "publisher.embed": "ingest.publish:Publisher.embed",
    "publisher.publish": "ingest.publish:Publisher.publish",
    "store.upsert": "indexing.store:QdrantStore.upsert",
    "store.verify": "indexing.store:QdrantStore.existing",
    "store.refresh": "indexing.store:QdrantStore.set_payload",
    "store.delete": "indexing.store:QdrantStore.delete",
    "ledger.record": "ingest.ledger.publishes:PublishLedger.record",
    "publisher.withdraw": "ingest.publish:Publisher.withdraw",
    "manifest.complete": "ingest.ledger.publishes:PublishLedger.complete_manifest",
    "run.update": "ingest.ledger.runs:RunLedger.update",
    "archive.write": "ingest.archive:FileArchive._write",
    "ledger.write": "ingest.ledger.database:Database.upsert",
    "client.upsert": "qdrant_client:QdrantClient.upsert",
    "client.delete": "qdrant_client:QdrantClient.delete",
}


_IS_WORKER = "ingest.worker" in sys.orig_argv


def plant(action: str, when: str, point: str, number: int) -> None:
    """The function of ``point`` fails at its ``number``-th call in this process; all but a kill go on failing."""
    module, _, place = POINTS[point].partition(":")
    owner_name, _, name = place.partition(".")
    owner = getattr(importlib.import_module(module), owner_name)
    real = getattr(owner, name)
    calls = 0

    @functools.wraps(real)
    def failing(*args: object, **options: object) -> object:
        nonlocal calls
        calls += 1
        if action == "kill":
            if when == "before" and calls == number:
                _kill()
            result = real(*args, **options)
            if when == "after" and calls == number:
                _kill()
            return result
        if calls >= number:
            raise _error(action, point)
        return real(*args, **options)

    setattr(owner, name, failing)


def _kill() -> None:
    """The command's own process first; its workers see to themselves."""
    if _IS_WORKER:
        os.kill(os.getppid(), signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


def _error(action: str, point: str) -> Exception:
    if action == "away":
        from qdrant_client.http.exceptions import ResponseHandlingException

        return ResponseHandlingException(ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"))
    if point == "archive.write":
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    cause = sqlite3.OperationalError({"full": "database or disk is full", "locked": "database is locked"}[action])
    if point.startswith("client."):
        return cause
    from sqlalchemy.exc import OperationalError

    return OperationalError("upsert", {}, cause)


def _is_wanted(point: str) -> bool:
    """Workers write the archive and do nothing else of this."""
    return point.startswith("archive.") or not _IS_WORKER


if (_fault := os.environ.get("FAULT", "")) and "pip" not in sys.orig_argv:
    _action, _when, _point, _number = _fault.split()
    if _is_wanted(_point):
        plant(_action, _when, _point, int(_number))
        if _action == "away":
            import indexing.calls

            indexing.calls.ATTEMPTS = 1
