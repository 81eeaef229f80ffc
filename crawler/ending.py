"""When a crawl has its exit code: the ledger keeps it, and somebody is told where it is no success."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawler.printable import printable
from crawler.report import gave_nothing
from ingest.changes import timestamp
from ingest.ledger import Ledger
from ingest.ledger.rows import RunKind
from ingest.notify import Notification, event_of, notify
from ingest.report.files import DATA, PAGE, report_folder
from wrac.config import load_settings
from wrac.errors import WracError
from wrac.exit_codes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.extensions.ingest import Ingest
    from crawler.spiders.docs_site import DocsSite
    from ingest.ledger.rows import RunRow
    from wrac.config import Settings

SHUTDOWN = "shutdown"
"""Scrapy's close reason after SIGINT or SIGTERM."""


def settle(ingest: Ingest, spider: DocsSite, code: ExitCode) -> None:
    """The run's row has the exit code, and the hooks of ``[notify]`` got their notification.

    A crawl that somebody stopped is no failure, and of a mistake in the configuration the person is told who made it
    (``wrac schedule`` and ``wrac due`` tell the hooks where no person is). What goes wrong here is said on standard
    error and changes nothing else.
    """
    settings, site = load_settings(), spider.profile.name
    try:
        run = _record(settings, ingest, site, code)
    except WracError as error:
        run = None
        _complain(f"the exit code could not be kept with the run: {error}")
    event = event_of(code)
    if event is None or code == ExitCode.USAGE or _was_stopped(ingest):
        return
    said = Notification(
        event,
        site,
        timestamp(datetime.now(UTC)),
        "; ".join(_reasons(ingest, spider, code)),
        run=run.run_id if run else None,
        exit_code=int(code),
        figures=run.figures if run else {},
        pages=run.counts if run else {},
        reports=_reports(settings, run),
    )
    for problem in notify(settings.notify, said, os.environ):
        _complain(problem)


def _record(settings: Settings, ingest: Ingest, site: str, code: ExitCode) -> RunRow | None:
    """The row of this crawl's run, if it came so far as to have one."""
    if not ingest.has_started or not (settings.ledger or (settings.data_dir / "ledger.sqlite").exists()):
        return None
    with Ledger(settings.ledger_url) as ledger:
        summary = ingest.end.summary
        run = ledger.runs.get(summary.run_id) if summary is not None else ledger.runs.last(site, RunKind.CRAWL)
        if run is not None:
            ledger.runs.record_exit(run.run_id, code)
        return run


def _was_stopped(ingest: Ingest) -> bool:
    end = ingest.end
    return end.reason == SHUTDOWN and end.error is None and not end.gave_up


def _reasons(ingest: Ingest, spider: DocsSite, code: ExitCode) -> Iterator[str]:
    end = ingest.end
    if end.error is not None:
        yield str(end.error)
    elif gave_nothing(end, spider):
        for failed in spider.start_failures:
            yield f"the start page {failed.url} gave nothing: {failed.reason} ({failed.outcome})"
    elif end.gave_up:
        yield end.gave_up
    elif code == ExitCode.INCOMPLETE:
        yield "content is missing that the site probably has"
    else:
        yield f"the crawl ended early ({end.reason})"


def _reports(settings: Settings, run: RunRow | None) -> tuple[str, ...]:
    """Paths of the reports that the run has left."""
    if run is None:
        return ()
    folder = report_folder(settings.data_dir.absolute(), run)
    return tuple(str(file) for file in (folder / DATA, folder / PAGE) if file.exists())


def _complain(line: str) -> None:
    print(printable(line), file=sys.stderr)  # noqa: T201
