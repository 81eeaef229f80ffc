"""The summary of a run for a person, whatever gave it its pages: a crawl, or files on disk."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from wrac.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ingest.progress import Progress, RunSummary

READ = (Outcome.INDEXED, Outcome.UNCHANGED)
MEANINGS = {
    Outcome.DUPLICATE: "variants of indexed pages",
    Outcome.LANGUAGE: "not in the languages of the profile",
    Outcome.LIMIT: "kept out by max_pages, max_depth or max_per_pattern",
    Outcome.GONE: "the site has no such pages: 404 or 410",
    Outcome.UNSUPPORTED: "neither pages nor documents that can be read",
    Outcome.TOO_LARGE: "larger than max_body_mib",
    Outcome.SHRUNK: "hardly any content is left; what is published is kept",
}
"""What a person may not guess from the outcome's name."""


def outcome_lines(summary: RunSummary) -> Iterator[str]:
    """URLs by outcome, most first."""
    for outcome, count in sorted(summary.outcomes.items(), key=lambda item: -item[1]):
        meaning = f" ({MEANINGS[outcome]})" if outcome in MEANINGS else ""
        yield f"  {count:>7} {outcome}{meaning}"


def figure_lines(summary: RunSummary, command: str) -> Iterator[str]:
    """What the run made, what it cost, and where to look next; ``command`` is ``program()``."""
    if unread := [outcome for outcome in summary.outcomes if outcome not in READ]:
        yield f"Which they are: {command} status --site {shlex.quote(summary.site)} --outcome {unread[0]}"
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
    if summary.transcription is not None and summary.transcription.pages:
        yield f"Transcription: {summary.transcription.in_words()}"
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
        yield f'Next: {command} search{elsewhere} "how do I ..."'


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


def program() -> str:
    """``wrac`` as a shell finds it from here: by its name, or by the path of the one beside this interpreter."""
    own = Path(sys.executable).with_name("wrac")
    found = shutil.which("wrac")
    if not own.exists() or (found is not None and own.samefile(found)):
        return "wrac"
    folder = Path.cwd()
    return shlex.quote(str(own.relative_to(folder) if own.is_relative_to(folder) else own))


def progress_line(progress: Progress, seconds: float, queued: int | None) -> str:
    """Where the crawl is, after ``seconds``; ``queued`` URLs are still to be fetched, None once fetching is over."""
    pages = f"{progress.pages} pages"
    if queued is not None:
        pages += f" ({progress.pages / max(seconds, 0.001):.1f}/s)"
    parts = [f"{int(seconds) // 60:3}:{int(seconds) % 60:02}", pages]
    if queued is not None:
        parts.append(f"{queued} queued")
    if progress.planning:
        parts.append(f"{progress.planning} to plan")
    parts.append(f"{progress.chunks} chunks" + (f" ({progress.embedded} embedded)" if progress.embedded else ""))
    if progress.published or queued is None:
        parts.append(f"{progress.published} published")
    return "  ".join(parts)
