"""How a crawl ended: the summary for a person, the exit code for a script."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from crawler.printable import printable
from wrac.config import without_credentials
from wrac.exit_codes import INCOMPLETE_OUTCOMES, ExitCode, exit_code_for
from wrac.records import Outcome
from wrac.urls import request_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crawler.extensions.ingest import CrawlEnd
    from crawler.spiders.docs_site import DocsSite
    from ingest.progress import RunSummary

READ = (Outcome.INDEXED, Outcome.UNCHANGED)
MEANINGS = {
    Outcome.DUPLICATE: "variants of indexed pages",
    Outcome.LANGUAGE: "not in the languages of the profile",
    Outcome.LIMIT: "kept out by max_pages, max_depth or max_per_pattern",
    Outcome.GONE: "the site has no such pages: 404 or 410",
    Outcome.UNSUPPORTED: "neither HTML nor Markdown",
    Outcome.UNSUPPORTED_YET: "PDF and Office documents",
    Outcome.TOO_LARGE: "larger than max_body_mib",
    Outcome.SHRUNK: "hardly any content is left; what is published is kept",
}
"""What a person may not guess from the outcome's name."""


def exit_code(end: CrawlEnd, spider: DocsSite) -> ExitCode:
    """The first of: what stopped the run, start pages that gave nothing, an early end, missing pages, success."""
    if end.error is not None:
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
    elif gave_nothing(end, spider):
        for failure in spider.start_failures:
            yield f"Error: the start page {failure.url} gave nothing: {failure.reason} ({failure.outcome})"
    elif end.gave_up or end.reason != "finished":
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


def program() -> str:
    """``wrac`` as a shell finds it from here: by its name, or by the path of the one beside this interpreter."""
    own = Path(sys.executable).with_name("wrac")
    found = shutil.which("wrac")
    if not own.exists() or (found is not None and own.samefile(found)):
        return "wrac"
    folder = Path.cwd()
    return shlex.quote(str(own.relative_to(folder) if own.is_relative_to(folder) else own))


def _summary(summary: RunSummary, spider: DocsSite, *, nothing: bool) -> Iterator[str]:
    """``nothing``: no start page could be read, so that there are no figures to show."""
    urls = sum(summary.outcomes.values())
    yield f"{spider.profile.name}: {urls} {'URL' if urls == 1 else 'URLs'}"
    for outcome, count in sorted(summary.outcomes.items(), key=lambda item: -item[1]):
        meaning = f" ({MEANINGS[outcome]})" if outcome in MEANINGS else ""
        yield f"  {count:>7} {outcome}{meaning}"
    if passed := spider.frontier.passed_by:
        yield f"  {passed:>7} links out of scope, not followed"
    if not nothing:
        yield from _figures(summary)


def _changes(summary: RunSummary) -> Iterator[str]:
    """What a re-crawl did to the collection and what it left alone."""
    if summary.withdrawn:
        yield f"{summary.withdrawn} {_pages(summary.withdrawn)} withdrawn: gone, moved or no longer to be indexed"
    if summary.missing:
        yield f"{summary.missing} {_pages(summary.missing)} not found; withdrawn when the next runs miss them, too"
    if summary.kept:
        kinds = ", ".join(f"{count} {outcome}" for outcome, count in summary.kept.items())
        total = sum(summary.kept.values())
        yield f"{total} {_pages(total)} gave no content and keep what is published ({kinds})"


def _pages(count: int) -> str:
    return "page" if count == 1 else "pages"


def _figures(summary: RunSummary) -> Iterator[str]:
    if unread := [outcome for outcome in summary.outcomes if outcome not in READ]:
        yield f"Which they are: {program()} status --site {shlex.quote(summary.site)} --outcome {unread[0]}"
    yield f"{summary.chunks} chunks, {summary.tokens} tokens"
    if summary.embedded or summary.reused:
        yield f"{summary.embedded} texts embedded, {summary.reused} vectors kept from before"
    else:
        yield "0 texts embedded: no text is new"
    if summary.seconds:
        spent = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in summary.seconds.items())
        yield f"Seconds by stage, all workers together: {spent}"
    if summary.planning is not None:
        yield f"Planning: {summary.planning.in_words()}"
    for line in summary.bill.lines():
        yield f"Bill: {line}"
    yield from _changes(summary)
    for note in summary.notes:
        yield f"Note: {note}"
    if summary.report:
        yield f"Report: {summary.report}"
    yield f"Collection {summary.collection!r} in {summary.place}"
    if summary.chunks and summary.error is None:
        elsewhere = "" if summary.collection == "docs" else f" --collection {shlex.quote(summary.collection)}"
        yield f'Next: {program()} search{elsewhere} "how do I ..."'
