"""CPU time and memory of a command and everything that it starts."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command took."""

    cpu: float
    """User and system seconds, of the process and of every descendant that was waited for."""
    wall: float
    peak: int
    """Largest sum of resident memory of the process and its descendants, in bytes; sampled."""
    code: int


def run(command: Sequence[str], folder: Path, environment: Mapping[str, str], *, log: Path, limit: float) -> Cost:
    """Runs ``command`` in ``folder`` until it ends; one that takes longer than ``limit`` seconds is killed."""
    began, peak = time.monotonic(), 0
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, env=dict(environment), stdout=output, stderr=output)
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            peak = max(peak, resident(process.pid))
            if time.monotonic() - began > limit:
                process.kill()
            time.sleep(0.2)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Cost(usage.ru_utime + usage.ru_stime, time.monotonic() - began, peak, process.returncode)


def resident(pid: int) -> int:
    """Resident bytes of a process and its descendants; 0 for one that is gone."""
    parents: dict[int, int] = {}
    pages: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            pages[int(entry.name)] = int((entry / "statm").read_text().split()[1])
        except (OSError, ValueError, IndexError):
            continue
    return sum(count for one, count in pages.items() if _descends(one, pid, parents)) * PAGE_SIZE


def _descends(pid: int, ancestor: int, parents: Mapping[int, int]) -> bool:
    while pid and pid != ancestor:
        pid = parents.get(pid, 0)
    return pid == ancestor
