"""Foreign programs that read documents: in a process group of their own, within limits, and gone afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversion.drac import confinement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from conversion.drac.confinement import ProcessLimits

_LONGEST_REPORT = 2_000


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended."""

    code: int
    report: str
    """The end of what it wrote to its outputs."""
    timed_out: bool


def run_program(
    command: Sequence[str], *, folder: Path, environment: Mapping[str, str], limits: ProcessLimits
) -> Finished:
    """Runs the command in the folder. Nothing of its process group runs afterwards, whatever happened.

    It sees the given environment only. Raises ``OSError`` where the supervisor cannot start.
    """
    with tempfile.TemporaryFile(dir=folder) as output:
        process = subprocess.Popen(  # noqa: S603 (programs are named by the operator's settings)
            [sys.executable, "-I", "-S", confinement.__file__, limits.as_json(), *command],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        timed_out = False
        try:
            process.wait(limits.wall_seconds)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            end_group(process)
        size = output.seek(0, os.SEEK_END)
        output.seek(max(size - _LONGEST_REPORT, 0))
        report = " ".join(output.read().decode("utf-8", "replace").split())
    return Finished(process.returncode, report, timed_out)


def end_group(process: subprocess.Popen[bytes]) -> None:
    """The process and all that it started in its group are gone."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
