"""Crawls as child processes: started, interrupted, killed, and what their end means."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Protocol

from service.cli.crawl import scrapy_command
from wrac.exit_codes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

KEPT_LOGS = 20
"""Files of output that are kept for each site."""


class Crawl(Protocol):
    """A crawl that runs."""

    def interrupt(self) -> None:
        """The crawl stops in order: it finishes what is in flight and can be gone on with."""

    def kill(self) -> None:
        """The crawl and all that it started are gone."""


class StartCrawl(Protocol):
    """How a supervisor starts a crawl."""

    def __call__(self, name: str, ended: Callable[[int], None]) -> Crawl:
        """The crawl of ``sites/NAME.toml`` runs; ``ended`` is called once, from any thread, with its return code.

        Raises ``OSError`` where it cannot be started.
        """


@dataclass(frozen=True, slots=True)
class ChildCrawl:
    """``scrapy crawl docs_site -a site=NAME`` in a process group of its own.

    In the group of the terminal it would get a Ctrl-C twice, which Scrapy takes for an order to stop at once.
    """

    process: subprocess.Popen[bytes]

    @classmethod
    def start(cls, name: str, environment: Mapping[str, str], output: IO[bytes] | int) -> ChildCrawl:
        """Writes to ``output``, a file or its descriptor."""
        arguments, variables = scrapy_command(name, (), environment)
        return cls(
            subprocess.Popen(  # noqa: S603 - our own interpreter
                arguments,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        )

    def interrupt(self) -> None:
        """SIGINT to the crawl itself, which sees to its workers."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """SIGKILL to the whole group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def wait(self, seconds: float | None = None) -> int:
        """The return code. Raises ``subprocess.TimeoutExpired``."""
        return self.process.wait(seconds)


@dataclass(frozen=True, slots=True)
class LoggedCrawls:
    """Starts crawls whose output goes to files of their own."""

    folder: Path
    environment: Mapping[str, str]
    stamp: Callable[[], str]
    """Part of the next file's name, which sorts by time."""

    def __call__(self, name: str, ended: Callable[[int], None]) -> ChildCrawl:
        """See ``StartCrawl``."""
        file = self.log_file(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        for old in sorted(file.parent.glob("*.log"))[: -KEPT_LOGS + 1]:
            old.unlink(missing_ok=True)
        with file.open("ab") as output:
            crawl = ChildCrawl.start(name, self.environment, output)
        threading.Thread(target=lambda: ended(crawl.wait()), name=f"crawl {name}", daemon=True).start()
        return crawl

    def log_file(self, name: str) -> Path:
        """Where a crawl that starts now writes to."""
        return self.folder / name / f"{self.stamp()}.log"


_SEVERITY = (
    ExitCode.OK,
    ExitCode.INCOMPLETE,
    ExitCode.RESUMABLE,
    ExitCode.UNREACHABLE,
    ExitCode.LOSS_GUARD,
    ExitCode.NOT_SWITCHED,
    ExitCode.STORE,
    ExitCode.USAGE,
    ExitCode.UNEXPECTED,
)
"""Exit codes from good to bad; any other is worse."""


def worse(one: int, other: int) -> int:
    """Of two exit codes the one that a person has to see first."""
    return max(one, other, key=lambda code: _SEVERITY.index(ExitCode(code)) if code in _SEVERITY else len(_SEVERITY))


def shell_code(return_code: int) -> int:
    """A child's return code as a shell reports it: 128 + the number of the signal that killed it."""
    return return_code if return_code >= 0 else 128 - return_code


def ending(return_code: int) -> str:
    """How a crawl ended, in words."""
    if return_code < 0:
        try:
            name = signal.Signals(-return_code).name
        except ValueError:
            name = f"signal {-return_code}"
        return f"was killed by {name}"
    name = ExitCode(return_code).name if return_code in set(ExitCode) else "unknown"
    return f"ended with exit code {return_code} ({name})"
