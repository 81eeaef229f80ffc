"""How a crawl ended: the summary for a person, the exit code for a script."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

from crawler.printable import printable
from ingest.summary_lines import READ, figure_lines, outcome_lines, program
from wrac.errors import LossGuard
from wrac.exit_codes import INCOMPLETE_OUTCOMES, ExitCode, exit_code_for
from wrac.urls import request_url, without_credentials

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crawler.extensions.ingest import CrawlEnd
    from crawler.spiders.docs_site import DocsSite
    from ingest.progress import RunSummary


def exit_code(end: CrawlEnd, spider: DocsSite) -> ExitCode:
    """The first of: what stopped the run, start pages that gave nothing, an early end, missing pages, success."""
    # What an earlier crawl gathered and the guard holds back says nothing of this one.
    if end.error is not None and not (isinstance(end.error, LossGuard) and gave_nothing(end, spider)):
        return exit_code_for(end.error)
    if gave_nothing(end, spider):
        return ExitCode.UNREACHABLE
    if end.gave_up or end.reason != "finished" or end.summary is None:
        return ExitCode.RESUMABLE
    if end.summary.kept or any(end.summary.outcomes.get(outcome) for outcome in INCOMPLETE_OUTCOMES):
        return ExitCode.INCOMPLETE
    return ExitCode.OK


def gave_nothing(end: CrawlEnd, spider: DocsSite) -> bool:
    """Whether every start page failed and nothing else was read."""
    if spider.start_pages or not spider.start_failures:
        return False
    return end.summary is None or not any(end.summary.outcomes.get(outcome) for outcome in READ)


def print_end(end: CrawlEnd, spider: DocsSite, arguments: Mapping[str, object]) -> None:
    """The summary on standard output, what went wrong on standard error."""
    if end.summary is not None:
        for line in _summary(end.summary, spider, nothing=gave_nothing(end, spider)):
            indent = line[: len(line) - len(line.lstrip())]
            print(indent + printable(line))  # noqa: T201
    for line in _problems(end, spider, arguments):
        print(printable(line), file=sys.stderr)  # noqa: T201


def _problems(end: CrawlEnd, spider: DocsSite, arguments: Mapping[str, object]) -> Iterator[str]:
    if end.error is not None:
        yield f"Error: {end.error}"
    if gave_nothing(end, spider):
        for failure in spider.start_failures:
            yield f"Error: the start page {failure.url} gave nothing: {failure.reason} ({failure.outcome})"
    elif end.error is None and (end.gave_up or end.reason != "finished"):
        yield f"Stopped early: {end.gave_up}" if end.gave_up else "Stopped before the end."
        if end.summary is not None and end.summary.waiting:
            yield f"{end.summary.waiting} of the pages above are not in the collection yet; nothing of them is lost."
        yield f"The same command goes on where this one stopped: {same_command(arguments)}"


def same_command(arguments: Mapping[str, object]) -> str:
    """The command line that gave these spider arguments: needs no ``scrapy.cfg`` and shows no password."""
    target = [_shown(str(arguments[name])) for name in ("url", "site") if name in arguments]
    changes = [(name, value) for name, value in arguments.items() if name not in ("url", "site")]
    given = [part for name, value in changes for part in ("--set", f"{name}={value}")]
    return " ".join([program(), shlex.join(["crawl", *target, *given])])


def _shown(target: str) -> str:
    """What is crawled, without the secrets that no request carries either."""
    return request_url(target) or without_credentials(target)


def _summary(summary: RunSummary, spider: DocsSite, *, nothing: bool) -> Iterator[str]:
    """``nothing``: no start page could be read, so that there are no figures to show."""
    urls = sum(summary.outcomes.values())
    yield f"{spider.profile.name}: {urls} {'URL' if urls == 1 else 'URLs'}"
    yield from outcome_lines(summary)
    if passed := spider.frontier.passed_by:
        yield f"  {passed:>7} links out of scope, not followed"
    if not nothing:
        yield from figure_lines(summary, program())
