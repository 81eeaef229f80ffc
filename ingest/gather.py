"""What a worker process does with a page: all stages, and everything worth keeping into the archive.

The worker writes the archive itself, so that bodies, trees and chunks never travel back to the crawler.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from ingest.archive import Damaged, FileArchive, Kind
from ingest.codec import decode, encode
from ingest.documents import DOCUMENT_SECONDS, wait_for_program
from ingest.packed_links import pack_links
from ingest.page import process_page
from ingest.page_records import PageRecord
from ingest.sniff import may_be_document
from ingest.workers import JOB_SECONDS
from wrac.records import Directives, FetchedPage, Link, Outcome, PageOutcome

if TYPE_CHECKING:
    from ingest.archive import Archive
    from ingest.page import ProcessedPage
    from ingest.page_settings import PageSettings

_ARCHIVED = frozenset([Outcome.INDEXED, Outcome.FAILED, Outcome.EMPTY])
"""Outcomes whose body is kept: a later version, or a mended fault, reads it without fetching."""


@dataclass(frozen=True, slots=True)
class GatherJob:
    """A fetched page, and what is known of it."""

    page: FetchedPage
    previous: str = ""
    """Digest of the record that is published for the page: what did not change keeps its chunks."""


@dataclass(frozen=True, slots=True)
class GatheredPage:
    """What became of a page, small enough to travel between processes."""

    outcome: PageOutcome
    canonical: str
    directives: Directives
    language: str
    title: str
    alternates: tuple[tuple[str, str], ...]
    links: bytes
    """``ingest.packed_links``"""
    body_digest: str
    """Empty where the body is not kept."""
    record: str = ""
    """Digest of the page record in the archive."""
    markdown_digest: str = ""
    facts: str = ""
    """Digest of what a point tells beside its chunk: title, language, anchors ..."""
    converter: str = ""
    """What made the Markdown, e.g. ``html/1``."""
    waits: bool = False
    """Pages of a document could be read with a program that is not installed."""
    chunks: int = 0
    tokens: int = 0
    seconds: dict[str, float] = field(default_factory=dict)


def find_record(archive: Archive | None, key: str) -> PageRecord | None:
    """The page record with this digest; None where there is none, or none that can be read any more."""
    if archive is None or not key:
        return None
    try:
        return decode(PageRecord, archive.get(Kind.PAGE, key))
    except (Damaged, ValueError):
        return None


def seconds_for(job: FetchedPage | GatherJob, usual: float = JOB_SECONDS) -> float:
    """Wall time after which a job is given up: what may be a document has its own.

    Asked in the process of the crawler, which opens no archive of a stranger.
    """
    page = job.page if isinstance(job, GatherJob) else job
    return max(usual, DOCUMENT_SECONDS) if may_be_document(page.body) else usual


@dataclass(frozen=True)
class GatherTask:
    """The task of a worker: a fetched page in, a gathered page out. Raises ``StoreError`` where the archive fails.

    A page alone is a job without a previous record.
    """

    settings: PageSettings
    archive_url: str
    """Empty to keep nothing."""

    @cached_property
    def _archive(self) -> FileArchive | None:
        return FileArchive(self.archive_url) if self.archive_url else None

    def __call__(self, job: FetchedPage | GatherJob) -> GatheredPage:
        """See the class."""
        page, previous = (job.page, job.previous) if isinstance(job, GatherJob) else (job, "")
        done = process_page(page, self.settings, previous=find_record(self._archive, previous))
        return gathered_page(page, done, self._archive)


def gathered_page(page: FetchedPage, done: ProcessedPage, archive: Archive | None) -> GatheredPage:
    """What became of the page, which is in the archive. Raises ``StoreError`` where that fails."""
    since = time.perf_counter()
    body, record = "", ""
    if archive is not None and done.outcome.outcome in _ARCHIVED and page.body:
        body = archive.put(Kind.BODY, page.body)
        if done.record is not None:
            record = archive.put(Kind.PAGE, encode(done.record))
    made = done.record
    return GatheredPage(
        outcome=done.outcome,
        canonical=done.canonical,
        directives=done.directives,
        language=done.metadata.language,
        title=done.metadata.title or (made.document.title if made else ""),
        alternates=done.metadata.alternates,
        links=pack_links(tuple(Link(x.url, nofollow=True) for x in done.links))
        if done.directives.nofollow
        else pack_links(done.links),
        body_digest=body,
        record=record,
        markdown_digest=made.document.digest if made else "",
        facts=made.facts if made else "",
        converter=made.document.converter if made else "",
        waits=made is not None and wait_for_program(made.pages),
        chunks=len(made.chunks) if made else 0,
        tokens=sum(chunk.tokens for chunk in made.chunks) if made else 0,
        seconds=done.seconds | {"archive": time.perf_counter() - since},
    )
