"""What a process that touches a hostile document may not do: take memory and time without end, reach the network.

Also the supervisor of foreign programs: ``python -I -S confinement.py LIMITS PROGRAM ARGUMENT...``, started by
``conversion.drac.programs``. It needs nothing but the standard library, and takes its whole process group with it when
it, or the process that started it, ends.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_OOM_SCORE = "800"


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """What one process may take. Children inherit the limits, each for itself."""

    memory: int = 2 << 30
    """Bytes of address space."""
    cpu_seconds: int = 120
    file_bytes: int = 256 << 20
    """The largest file that it may write."""
    wall_seconds: float = 180.0
    """Kept by whoever started the process: it is killed with its whole group."""

    def as_json(self) -> str:
        """The limits as an argument of a command line."""
        return json.dumps(asdict(self))


def confine(limits: ProcessLimits) -> None:
    """The calling process stays within the limits, and has no network where the system lets it give it up."""
    for kind, most in (
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        _limit(kind, most, most)
    # The soft limit ends the process by a signal that can be told from others.
    _limit(resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 5)
    # When memory runs out the kernel is to take this process, which costs one document.
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_OOM_SCORE, encoding="ascii")
    leave_network()


def _limit(kind: int, soft: int, hard: int) -> None:
    _, highest = resource.getrlimit(kind)
    if highest != resource.RLIM_INFINITY:
        soft, hard = min(soft, highest), min(hard, highest)
    resource.setrlimit(kind, (soft, hard))


def die_with_parent(sent: signal.Signals = signal.SIGKILL) -> None:
    """The kernel sends the signal when the thread that started this process ends (prctl(2))."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(sent), 0, 0, 0)


def leave_network() -> bool:
    """Whether the process now has a network of its own, without interfaces (unshare(2)); containers may forbid it."""
    try:
        unshare = ctypes.CDLL(None, use_errno=True).unshare
    except (OSError, AttributeError):
        return False
    if unshare(_CLONE_NEWNET) == 0:
        return True
    user, group = os.getuid(), os.getgid()
    if unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        return False
    with suppress(OSError):
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
    return True


def supervise(limits: ProcessLimits, command: list[str]) -> int:
    """Runs the command in this process group and gives back its code; ends the group when told to end."""
    own_group = os.getpgrp() == os.getpid()

    def end_all(_number: int, _frame: object) -> None:
        if own_group:
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    signal.signal(signal.SIGTERM, end_all)
    die_with_parent(signal.SIGTERM)
    confine(limits)
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as process:  # noqa: S603 (named by our own caller)
        code = process.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(supervise(ProcessLimits(**json.loads(sys.argv[1])), sys.argv[2:]))
