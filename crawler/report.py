"""How a crawl ended: the summary for a person, the exit code for a script."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from crawler.outcomes import HARMFUL
from crawler.printable import printable
from wrac.exit_codes import ExitCode, exit_code_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crawler.extensions.ingest import CrawlEnd
    from crawler.spiders.docs_site import DocsSite


def exit_code(end: CrawlEnd, spider: DocsSite) -> ExitCode:
    """The first of: what stopped the run, an early end, a start page that gave nothing, missing pages, success."""
    if end.error is not None:
        return exit_code_for(end.error)
    if not spider.start_pages and spider.start_failures:
        return ExitCode.UNREACHABLE
    if end.gave_up or end.reason != "finished" or end.summary is None:
        return ExitCode.RESUMABLE
    if any(end.summary.outcomes.get(outcome) for outcome in HARMFUL):
        return ExitCode.INCOMPLETE
    return ExitCode.OK


def print_end(end: CrawlEnd, spider: DocsSite) -> None:
    """The summary on standard output, what went wrong on standard error."""
    for line in _problems(end, spider):
        print(line, file=sys.stderr)  # noqa: T201
    if end.summary is not None:
        for line in _summary(end, spider):
            print(line)  # noqa: T201


def _problems(end: CrawlEnd, spider: DocsSite) -> Iterator[str]:
    if end.error is not None:
        yield f"Error: {end.error}"
    elif not spider.start_pages and spider.start_failures:
        for failure in spider.start_failures:
            yield printable(f"Error: the start page {failure.url} gave nothing: {failure.reason} ({failure.outcome})")
    elif end.gave_up:
        yield printable(f"Stopped early: {end.gave_up}")
        yield "The same command takes up where this crawl stopped."
    elif end.reason != "finished":
        yield "Interrupted. The same command takes up where this crawl stopped."


def _summary(end: CrawlEnd, spider: DocsSite) -> Iterator[str]:
    summary = end.summary
    yield f"Site {spider.profile.name}, collection {spider.profile.collection}"
    for outcome, count in summary.outcomes.items():
        yield f"  {outcome:<16} {count}"
