"""Runs over pages that are made up, into a collection that is a dict."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np

from indexing import build_points
from indexing.layout import DIGEST_KEY, VECTORS_KEY
from ingest.identity import identify
from ingest.ledger import Ledger
from ingest.ledger.rows import PageState
from ingest.run import IngestRun
from wrac.config import Settings, SiteProfile
from wrac.errors import EmbeddingFailed, StoreLocked, TransientError
from wrac.ids import digest
from wrac.records import ChunkVectors, FetchedPage, Outcome, PageOutcome, PointDigests, SparseVector, Usage

SITE = "https://docs.test/"


@dataclass
class FakeCollection:
    """The collection and the embedder of a run; faults can be switched on."""

    stored: dict = field(default_factory=dict)
    embedded: list = field(default_factory=list)
    opened: int = 0
    is_open: bool = False
    locked: bool = False
    refuses: str = ""
    """The embedder refuses texts that hold this."""
    refusal: Exception = field(default_factory=lambda: EmbeddingFailed("too rude", stage="embed"))
    down: bool = False
    fails_after: int = -1
    """Upserts until the store breaks; never where negative."""
    keeps_stale: bool = False
    """The store breaks at the first point that is to be deleted."""
    written: int = 0
    """Points that were upserted, deleted, or given another payload."""
    recipe = "fake/1"
    languages = frozenset(["en"])
    usage = Usage()

    def prepare(self):
        pass

    def stamp(self):
        return ""

    @contextmanager
    def open(self):
        if self.locked:
            raise StoreLocked("the collection is held by process 4711; run: docker run ...")
        self.opened += 1
        self.is_open = True
        try:
            yield self
        finally:
            self.is_open = False

    def keys(self, texts):
        return [digest("fake" + text) for text in texts]

    def vectors(self, texts, language, cache):
        assert not self.is_open, "the collection is not held while texts are embedded"
        for key, text in zip(self.keys(texts), texts, strict=True):
            if cache.get(key) is not None:
                continue
            if self.down:
                raise TransientError("the embedder is down")
            if self.refuses and self.refuses in text:
                raise self.refusal
            self.embedded.append(text)
            cache[key] = text.encode()
        vector = np.ones((1, 2), np.float32)
        empty = SparseVector(np.zeros(0, np.uint32), np.zeros(0, np.float32))
        return [ChunkVectors(dense=vector[0], windows=vector, sparse=empty) for _ in texts]

    def points(self, page, chunks, vectors):
        return build_points(page, chunks, vectors)

    def urls(self):
        return {point.payload["url"] for point in self.stored.values()}

    def paths(self):
        """Pages that a search can find, by path."""
        return {url.removeprefix(SITE) for url in self.urls()}

    def text(self):
        """All that a search can find."""
        return "\n".join(sorted(point.payload["page_content"] for point in self.stored.values()))

    def forget(self):
        """What was embedded and written is not counted any more."""
        self.embedded.clear()
        self.written = 0

    # the store

    def upsert(self, points):
        if self.fails_after == 0:
            raise TransientError("the collection went away")
        self.fails_after -= 1
        self.written += len(points)
        self.stored |= {point.id: point for point in points}

    def delete(self, ids):
        if self.keeps_stale:
            raise TransientError("the collection went away")
        for key in list(ids):
            self.written += 1
            self.stored.pop(key, None)

    def set_payload(self, payloads):
        self.written += len(payloads)
        for key, payload in payloads.items():
            self.stored[key].payload.update(payload)

    def existing(self, ids):
        return self.stored.keys() & set(ids)

    def page_digests(self, site, page_id):
        return {
            key: PointDigests(point.payload[VECTORS_KEY], point.payload[DIGEST_KEY])
            for key, point in self.stored.items()
            if point.payload["site"] == site and point.payload["page_id"] == page_id
        }

    def site_points(self, site):
        return set(self.stored)

    def count(self, site=None):
        return len(self.stored)


class InlinePool:
    """The worker pool's shape without its processes."""

    def __init__(self, task, **_):
        self._task = task

    async def start(self):
        pass

    async def run(self, job):
        return await asyncio.to_thread(self._task, job)

    async def close(self):
        pass


class Clock:
    def __init__(self):
        self.now = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)

    def __call__(self):
        self.now += timedelta(seconds=1)
        return self.now


def html(title, *paragraphs, links=(), head=""):
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    anchors = "".join(f'<li><a href="{link}">see {link}</a></li>' for link in links)
    more = f"<ul>{anchors}</ul>" if anchors else ""
    page = f"<html lang=en><head><title>{title}</title>{head}</head><body><main><h1>{title}</h1>{body}{more}</main>"
    return page.encode()


def fetched(path, body, content_type="text/html", asked=None, **more):
    url = SITE + path
    return FetchedPage(
        url=SITE + asked if asked is not None else url,
        final_url=url,
        status=200,
        content_type=content_type,
        body=body,
        fetched_at=datetime(2026, 1, 5, 8, 0, tzinfo=UTC),
        body_digest=digest(body),
        **more,
    )


def ended(path, outcome, reason="", status=0, leads_to=None):
    """A URL that gave no body; ``leads_to`` is the path, or the whole address, that it redirects to."""
    target = "" if leads_to is None else leads_to if "://" in leads_to else SITE + leads_to
    return PageOutcome(SITE + path, outcome, reason, status, target)


def not_found(path):
    return ended(path, Outcome.GONE, "HTTP 404 Not Found", 404)


def broken(path, status=503):
    return ended(path, Outcome.HTTP_ERROR, f"HTTP {status}", status)


def redirected(path, to):
    return ended(path, Outcome.REDIRECTED, f"to {to}", leads_to=to)


@dataclass(frozen=True)
class Same:
    """The answer 304 to a conditional request for a page."""

    path: str


@dataclass(frozen=True)
class NotDue:
    """A page that is passed by."""

    path: str


class Crawls:
    """Runs of one site, one after another, over the same data."""

    def __init__(self, data_dir):
        self.collection = FakeCollection()
        self.clock = Clock()
        self.profile = {"name": "docs", "start_urls": (SITE,)}
        self.settings = {"data_dir": data_dir, "workers": 1}
        self.options = {}

    def run(self):
        options = {"clock": self.clock, "indexer": self.collection} | self.options
        return IngestRun(Settings(**self.settings), SiteProfile(**self.profile), **options)

    def crawl(self, *steps, ended=(), completed=True, note="", depth=1, missing=None):
        """(reports, summary) of one whole session.

        Each step is a fetched page, an outcome without a body, ``Same`` or ``NotDue``. ``missing`` is what the site
        answers for addresses that do not exist: a page, or the address that it redirects them to.
        """

        async def take(run, step):
            match step:
                case PageOutcome():
                    return run.record(step, depth=depth)
                case Same():
                    return await run.not_modified(SITE + step.path, depth)
                case NotDue():
                    return run.skip(SITE + step.path, depth)
            return await run.process(step, depth)

        async def session():
            run = self.run()
            await run.start()
            if isinstance(missing, FetchedPage):
                await run.learn_missing_page(missing)
            elif missing is not None:
                run.learn_missing_redirect(SITE + missing)
            reports = [await take(run, step) for step in (*steps, *ended)]
            return [report for report in reports if report is not None], await run.finish(completed, note)

        return asyncio.run(session())

    def asked(self, question):
        """What ``question`` gets to know of a run that is open, and that then ends before it took anything in."""

        async def session():
            run = self.run()
            await run.start()
            answer = question(run)
            await run.finish(completed=False)
            return answer

        return asyncio.run(session())

    def rows(self):
        """Every row of the ledger, by path."""
        with Ledger(Settings(**self.settings).ledger_url) as ledger:
            found = [row for state in PageState for row in ledger.pages.in_state("docs", state)]
        return {row.url.removeprefix(SITE): row for row in found}

    def outcomes(self):
        return {path: row.outcome.value for path, row in self.rows().items()}

    def decisions(self, path):
        """(decision, reason with its evidence) about a page, oldest first."""
        with Ledger(Settings(**self.settings).ledger_url) as ledger:
            found = ledger.pages.decisions("docs", identify(SITE + path), limit=100)
        return [(made.decision, " | ".join(filter(None, (made.reason, made.evidence)))) for made in reversed(found)]

    def last_run(self):
        with Ledger(Settings(**self.settings).ledger_url) as ledger:
            return ledger.runs.last("docs")
