"""Runs over pages that are made up, into a collection that is a dict."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np

from indexing import build_points
from indexing.payload import DIGEST_KEY, VECTORS_KEY
from ingest.ledger import Ledger
from ingest.ledger.rows import PageState
from ingest.run import IngestRun
from wrac.config import Settings, SiteProfile
from wrac.errors import EmbeddingFailed, StoreLocked, TransientError
from wrac.ids import digest
from wrac.records import ChunkVectors, FetchedPage, PointDigests, SparseVector, Usage

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
    recipe = "fake/1"
    languages = frozenset(["en"])
    usage = Usage()

    def prepare(self):
        pass

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

    # the store

    def upsert(self, points):
        if self.fails_after == 0:
            raise TransientError("the collection went away")
        self.fails_after -= 1
        self.stored |= {point.id: point for point in points}

    def delete(self, ids):
        for key in list(ids):
            self.stored.pop(key, None)

    def set_payload(self, payloads):
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

    def crawl(self, *pages, ended=(), completed=True):
        """(reports, summary) of one whole session."""

        async def session():
            run = self.run()
            await run.start()
            reports = [await run.process(page, 1) for page in pages]
            for outcome in ended:
                run.record(outcome, depth=1)
            return reports, await run.finish(completed)

        return asyncio.run(session())

    def rows(self):
        """Every row of the ledger, by path."""
        with Ledger(Settings(**self.settings).ledger_url) as ledger:
            found = [row for state in PageState for row in ledger.pages.in_state("docs", state)]
        return {row.url.removeprefix(SITE): row for row in found}

    def outcomes(self):
        return {path: row.outcome.value for path, row in self.rows().items()}

    def last_run(self):
        with Ledger(Settings(**self.settings).ledger_url) as ledger:
            return ledger.runs.last("docs")
