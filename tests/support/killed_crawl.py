"""A crawl of made-up pages into an embedded collection, in a process that kills itself when told to."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from pathlib import Path

import numpy as np
from made_up_crawls import SITE, Clock, InlinePool, fetched, html

import ingest.run
from indexing.store import QdrantStore
from ingest.indexer import CollectionIndexer
from ingest.ledger.pages import PageLedger
from ingest.ledger.publishes import PublishLedger
from ingest.publish import Publisher
from ingest.vectors import VectorShelf
from wrac.config import Settings, SiteProfile
from wrac.ids import digest
from wrac.records import SparseVector

PAGES = 6
POINTS = {
    "flush": (PageLedger, "flush"),
    "keep": (VectorShelf, "keep"),
    "embed": (Publisher, "embed"),
    "upsert": (QdrantStore, "upsert"),
    "delete": (QdrantStore, "delete"),
    "record": (PublishLedger, "record"),
    "complete": (PublishLedger, "complete_manifest"),
}


class CheapEmbedder:
    """Four numbers from the digest of a text."""

    name = "cheap/1"
    dimension = 4
    max_tokens = 1000
    languages = None

    def __init__(self, log):
        self._log = log

    def embed(self, texts):
        for text in texts:
            self._log.write(text.replace("\n", " ") + "\n")
            self._log.flush()
        rows = np.array([[int(digest(text)[i], 16) + 1 for i in range(4)] for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def embed_query(self, text):
        return self.embed([text])[0]

    def token_spans(self, text):
        return [match.span() for match in re.finditer(r"\S+", text)]


class NoSparse:
    name = "none/1"

    def encode(self, texts, language):
        return [SparseVector(np.array([1], np.uint32), np.array([1.0], np.float32)) for _ in texts]

    def encode_query(self, text, language=""):
        return self.encode([text], language)[0]


class CheapIndexer(CollectionIndexer):
    def __init__(self, settings, log):
        super().__init__(settings, "docs")
        self._log = log

    def prepare(self):
        self._embedder, self._sparse = CheapEmbedder(self._log), NoSparse()
        self.recipe = "cheap/1"


def kill_at(point, number):
    when, name = point.split(":")
    owner, method = POINTS[name]
    real, calls = getattr(owner, method), []

    def counted(*args, **options):
        calls.append(1)
        if when == "before" and len(calls) == number:
            os.kill(os.getpid(), signal.SIGKILL)
        result = real(*args, **options)
        if when == "after" and len(calls) == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, method, counted)


def page(number, version):
    text = f"Berth {number} takes ships of {number * 20} metres, by the rules of year {version}."
    return fetched(f"{number}.html", html(f"Berth {number}", text))


async def crawl(data_dir, version, log):
    settings = Settings(data_dir=Path(data_dir), workers=1)
    profile = SiteProfile(name="docs", start_urls=(SITE,))
    run = ingest.run.IngestRun(settings, profile, clock=Clock(), indexer=CheapIndexer(settings, log))
    await run.start()
    done = set(run.resumed())
    for number in range(PAGES):
        if f"{SITE}{number}.html" not in done:
            await run.process(page(number, version), 1)
            await asyncio.sleep(0.05)
    return await run.finish(True)


def main(data_dir, version, point="", number=0):
    """Crawls version VERSION of the site into DATA_DIR; the texts that were embedded go to DATA_DIR/embedded.log.

    SIGKILL at the NUMBER-th call of POINT (``before:`` or ``after:`` a method of ``POINTS``), as by a power cut.
    """
    ingest.run.WorkerPool = InlinePool
    ingest.run.FLUSH_SECONDS = 0.1
    if point:
        kill_at(point, number)
    with Path(data_dir, "embedded.log").open("a", encoding="utf-8") as log:
        summary = asyncio.run(crawl(data_dir, version, log))
    assert summary.state.value == "finished", summary
