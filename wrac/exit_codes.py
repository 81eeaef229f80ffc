"""Exit codes of every command, ``scrapy crawl`` included (documented in ``docs/exit-codes.md``)."""

from __future__ import annotations

from enum import IntEnum

from wrac.errors import ConfigError, LossGuard, NotSwitched, PageError, StoreError, TransientError
from wrac.records import Outcome


class ExitCode(IntEnum):
    """What a script or a scheduler may act on; a number never changes its meaning."""

    OK = 0
    """All that was asked for was done."""
    UNEXPECTED = 1
    """A fault of the program: worth a bug report."""
    USAGE = 2
    """Wrong arguments or configuration; no work was done."""
    INCOMPLETE = 3
    """Done, but at least one page or file ended without the content that it should have given."""
    UNREACHABLE = 4
    """The start page gave nothing: no host, no connection, an error status, robots.txt, or a login."""
    STORE = 5
    """The collection, the ledger or the archive cannot be used, or another process holds it."""
    RESUMABLE = 6
    """Stopped before the end; the same command takes up where this one stopped."""
    LOSS_GUARD = 7
    """The publish would lose too much of what the collection has; nothing was published, a person has to look."""
    NOT_SWITCHED = 8
    """A collection that was built anew failed its checks, canaries among them; readers still use the one before."""


INCOMPLETE_OUTCOMES = frozenset({Outcome.FAILED, Outcome.HTTP_ERROR, Outcome.UNREACHABLE, Outcome.TOO_LARGE})
"""Outcomes after which content is missing that the site probably has: a crawl that met one is ``INCOMPLETE``."""


def exit_code_for(error: Exception) -> ExitCode:
    """The code that ``error`` ends a command with; total over all exceptions."""
    match error:
        case ConfigError():
            return ExitCode.USAGE
        case PageError():
            return ExitCode.INCOMPLETE
        case StoreError():
            return ExitCode.STORE
        case LossGuard():
            return ExitCode.LOSS_GUARD
        case NotSwitched():
            return ExitCode.NOT_SWITCHED
        case TransientError():
            return ExitCode.RESUMABLE
        case _:
            return ExitCode.UNEXPECTED
