"""Each document in a process of its own: bounded in memory, time and answer, without network, killed as a group."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wrac.errors import ConversionFailed, NothingExtracted, PageError, UnsupportedContent, WracError
from wrac.ids import page_id

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import IO

    from conversion.drac.confinement import ProcessLimits

_LARGEST_REPLY = 1 << 16
_START_SECONDS = 60.0
_SLACK_SECONDS = 30.0
_LARGEST_HEAD = 4096
_ERRORS: dict[str, type[PageError]] = {kind.__name__: kind for kind in (UnsupportedContent, NothingExtracted)}
"""What a task may raise beside ``ConversionFailed``, by name."""
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "TESSDATA_PREFIX")


class Sandbox:
    """Runs one task on one document at a time. Threads may share it; they wait for one another."""

    def __init__(self, task: str) -> None:
        """``task`` names a function as ``module:function`` that makes bytes of bytes."""
        self._task = task
        self._lock = threading.Lock()
        self._template: _Template | None = None

    def run(self, data: bytes, url: str, *, limits: ProcessLimits, modules: Sequence[str] = ()) -> bytes:
        """What the task answers for the data.

        ``modules`` are imported before the document is touched, once for all documents. Raises what the task raised
        where that is a ``PageError``; ``ConversionFailed`` where its process crashed or passed a limit; ``WracError``
        where no process could be started.
        """
        with self._lock, tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as answer:
            source.write(data)
            source.flush()
            source.seek(0)
            request = json.dumps({"task": self._task, "modules": list(modules), "limits": json.loads(limits.as_json())})
            ending = self._ask(request.encode(), source, answer, limits.wall_seconds)
            answer.seek(0)
            return _answer(ending, answer.read(), url, limits)

    def close(self) -> None:
        """No process is left."""
        with self._lock:
            if self._template is not None:
                self._template.close()
                self._template = None

    def _ask(self, request: bytes, source: IO[bytes], answer: IO[bytes], seconds: float) -> dict[str, Any]:
        if self._template is None or not self._template.is_alive:
            if self._template is not None:
                self._template.close()
            self._template = _Template()
        try:
            return self._template.ask(request, [source.fileno(), answer.fileno()], seconds)
        except OSError as error:
            cause = self._template.close()
            self._template = None
            raise WracError(
                f"the process that converts documents {cause or error}; its message stands above"
            ) from error


class _Template:
    """The parent of the forks, and our socket to it."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 (our own module, no input from outside)
                [sys.executable, "-P", "-m", "conversion.drac.template", str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=_environment(),
                start_new_session=True,
            )

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: bytes, descriptors: list[int], seconds: float) -> dict[str, Any]:
        """How the fork ended. Raises ``OSError`` where no answer came."""
        self._socket.settimeout(_START_SECONDS + seconds + _SLACK_SECONDS)
        socket.send_fds(self._socket, [request], descriptors)
        reply = self._socket.recv(_LARGEST_REPLY)
        if not reply:
            raise ConnectionResetError("ended without an answer")
        ending: dict[str, Any] = json.loads(reply)
        return ending

    def close(self) -> str:
        """The process is gone; the answer is what ended it, empty where it was running."""
        self._socket.close()
        code = self._process.poll()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        return "" if code is None else f"ended with code {code}"


def _environment() -> dict[str, str]:
    """Ours without what is no business of a document: keys and tokens above all."""
    kept = {name: value for name in _KEPT if (value := os.environ.get(name))}
    kept["PYTHONPATH"] = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    return kept


def _answer(ending: dict[str, Any], answer: bytes, url: str, limits: ProcessLimits) -> bytes:
    """The result in an answer. Nothing in it is trusted: a document may have taken over the process that wrote it."""
    if ending["timed_out"]:
        raise _failed(url, f"took more than {limits.wall_seconds:g} s to convert, and was given up; divide it")
    code = int(ending["code"])
    if code == -signal.SIGXCPU:
        raise _failed(url, f"took more than {limits.cpu_seconds} s of CPU time to convert, and was given up; divide it")
    if code == 3:
        raise _failed(url, f"gives more than {limits.file_bytes >> 20} MiB of text; divide it")
    if code:
        cause = signal.Signals(-code).name if -code in set(signal.Signals) else f"code {code}"
        raise _failed(url, f"ended the process that converted it ({cause}; most likely for want of memory)")
    line, _, result = answer.partition(b"\n")
    try:
        head = json.loads(line[:_LARGEST_HEAD])
        error, message = str(head.get("error", "")), str(head.get("message", ""))
    except (ValueError, AttributeError) as broken:
        raise _failed(url, "was converted to an answer that cannot be read") from broken
    if not error:
        return result
    if error == "memory":
        raise _failed(url, f"takes more than {limits.memory >> 20} MiB of memory to convert; divide it")
    if error == "crash":
        raise _failed(url, f"broke its converter ({message}); please report it")
    raise _ERRORS.get(error, ConversionFailed)(message, stage="convert", page_id=page_id(url))


def _failed(url: str, fault: str) -> ConversionFailed:
    return ConversionFailed(f"{url}: the document {fault}", stage="convert", page_id=page_id(url))
