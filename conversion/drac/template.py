"""The process that documents are converted from: ``python -m conversion.drac.template FD``, started by ``sandbox``.

It imports the converters once and never touches a document itself: each is converted in a fork that is confined, has
one chance to answer, and is killed with its whole group. Loading the converters anew for each document would cost more
than most conversions. One thread, one document at a time; it ends when its socket closes.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from conversion.drac.confinement import ProcessLimits, confine, die_with_parent
from wrac.errors import PageError

if TYPE_CHECKING:
    from collections.abc import Callable

_LARGEST_REQUEST = 1 << 16
_CHUNK = 1 << 20


def main(descriptor: int) -> None:
    """Serves requests until the socket closes."""
    with socket.socket(fileno=descriptor) as ours:
        while True:
            message, descriptors, _, _ = socket.recv_fds(ours, _LARGEST_REQUEST, 2)
            if not message:
                return
            reply = _serve(ours, json.loads(message), descriptors)
            for number in descriptors:
                os.close(number)
            if reply is None:
                return
            ours.sendall(json.dumps(reply).encode())


def _serve(ours: socket.socket, request: dict[str, Any], descriptors: list[int]) -> dict[str, Any] | None:
    limits = ProcessLimits(**request["limits"])
    for name in request["modules"]:
        import_module(name)
    module, _, function = str(request["task"]).partition(":")
    task = getattr(import_module(module), function)
    gc.freeze()
    ended, held = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(ended)
        ours.close()
        _convert(task, limits, *descriptors)
    os.close(held)
    with suppress(OSError):
        os.setpgid(process, process)
    reply = _wait(ours, ended, process, limits.wall_seconds)
    os.close(ended)
    return reply


def _wait(ours: socket.socket, ended: int, process: int, seconds: float) -> dict[str, Any] | None:
    """How the fork ended; None where nobody waits for the answer any more. Its group is gone in any case."""
    poll = select.poll()
    poll.register(ended, select.POLLIN | select.POLLHUP)
    poll.register(ours, select.POLLRDHUP)
    events = poll.poll(seconds * 1000)
    if not any(number == ended for number, _ in events):
        _kill(os.kill, process)
    # Its group is ended before its number is given back, so that no other process can have got that number.
    os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
    _kill(os.killpg, process)
    _, status = os.waitpid(process, 0)
    if any(number == ours.fileno() for number, _ in events):
        return None
    return {"timed_out": not events, "code": os.waitstatus_to_exitcode(status)}


def _kill(kill: Callable[[int, int], None], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        kill(number, signal.SIGKILL)


def _convert(task: Callable[[bytes], bytes], limits: ProcessLimits, source: int, target: int) -> NoReturn:
    """The fork: reads, converts, answers, and ends without any clearing up that could hang."""
    with suppress(OSError):
        os.setpgid(0, 0)
    die_with_parent()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nowhere, standard)
    head: dict[str, str] = {}
    result = b""
    try:
        confine(limits)
        result = task(_read(source))
    except PageError as error:
        head = {"error": type(error).__name__, "message": str(error)}
    except MemoryError:
        head = {"error": "memory", "message": ""}
    except BaseException as error:  # noqa: BLE001 (whatever a document breaks ends here)
        head = {"error": "crash", "message": f"{type(error).__name__}: {error}"[:500]}
    with suppress(OSError):
        _write(target, json.dumps(head).encode() + b"\n" + result)
        os._exit(0)
    os._exit(3)


def _read(descriptor: int) -> bytes:
    parts = []
    while part := os.read(descriptor, _CHUNK):
        parts.append(part)
    return b"".join(parts)


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view[:_CHUNK]) :]


if __name__ == "__main__":
    main(int(sys.argv[1]))
