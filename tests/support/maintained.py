"""A crawled site with a real embedded collection and an embedder that counts, for the commands that maintain it."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
from made_up_crawls import SITE, Crawls, fetched, html
from mock_embeddings import DIMENSION, vector_of
from qdrant_client import QdrantClient

from indexing.description import BM25_NAME
from indexing.layout import CollectionLayout
from ingest.indexer import CollectionIndexer
from ingest.ledger import Ledger
from ingest.maintenance.remaking import forecast, remake
from wrac.config import Settings
from wrac.ids import digest
from wrac.records import SparseVector

PAGES = 3
SUBJECTS = ("awnings", "buoys", "charts", "dredging", "engines", "flags", "gangways", "harbours")


class CountingEmbedder:
    """Bags of words by one of several names; every text that it reads is kept in ``texts``."""

    max_tokens = 1000
    languages = None

    def __init__(self, name: str, dimension: int, texts: list[str]) -> None:
        self.name, self.dimension, self._texts = name, dimension, texts

    def embed(self, texts):
        self._texts.extend(texts)
        return np.stack([self._vector(text) for text in texts])

    def embed_query(self, text):
        return self._vector(text)

    def _vector(self, text):
        vector = vector_of(text)[: self.dimension]
        return vector / np.linalg.norm(vector)

    def token_spans(self, text):
        spans, start = [], 0
        for word in text.split():
            start = text.index(word, start)
            spans.append((start, start + len(word)))
            start += len(word)
        return spans


class NoSparse:
    """Words are left to the dense side."""

    name = BM25_NAME

    def encode(self, texts, language):
        return [SparseVector(np.zeros(0, np.uint32), np.zeros(0, np.float32)) for _ in texts]

    def encode_query(self, text, language=""):
        return SparseVector(np.zeros(0, np.uint32), np.zeros(0, np.float32))


class Maintained:
    """One site of a few pages; ``embedder`` says which model the settings name."""

    def __init__(self, tmp_path, monkeypatch) -> None:
        self.crawls = Crawls(tmp_path / "data")
        self.embedder = ("words/1", DIMENSION)
        self.embedded: list[str] = []
        self.more: dict[str, object] = {}
        """Settings beside the folder."""
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("indexing.make_embedder", lambda _: CountingEmbedder(*self.embedder, self.embedded))
        monkeypatch.setattr("indexing.describe_embedder", lambda _: None)
        monkeypatch.setattr("indexing.make_sparse_encoder", lambda _: NoSparse())

    @property
    def settings(self):
        return Settings(**self.crawls.settings, **self.more)

    def crawl(self, *pages, site="docs", ended=(), **options):
        """One whole crawl of the site."""
        self.crawls.profile = {"name": site, "start_urls": (SITE,)}
        self.crawls.options = {"indexer": CollectionIndexer(self.settings, "docs"), **options}
        saved = self.crawls.settings
        self.crawls.settings = saved | self.more
        try:
            return self.crawls.crawl(*pages, ended=ended)[1]
        finally:
            self.crawls.settings = saved

    def remake(self, kind, site="docs", **options):
        """The command; only what it embeds is in ``embedded`` afterwards."""
        self.embedded.clear()
        return remake(self.settings, site, kind, **options)

    def forecast(self, kind, site="docs"):
        self.embedded.clear()
        return forecast(self.settings, site, kind)

    @contextmanager
    def ledger(self):
        with Ledger(self.settings.ledger_url) as opened:
            yield opened

    @contextmanager
    def client(self):
        client = QdrantClient(path=str(self.settings.data_dir / "qdrant"))
        try:
            yield client
        finally:
            client.close()

    def points(self, collection="docs", site="docs"):
        """Point id -> payload, as any reader sees them."""
        with self.client() as client:
            found, _ = client.scroll(collection, limit=10_000, with_payload=True)
            return {str(p.id): p.payload for p in found if p.payload["site"] == site}

    def paths(self, collection="docs", site="docs"):
        return {payload["url"].removeprefix(SITE) for payload in self.points(collection, site).values()}

    def texts(self, **where):
        return sorted(payload["page_content"] for payload in self.points(**where).values())

    def physical(self):
        """What the alias stands for."""
        with self.client() as client:
            return {a.alias_name: a.collection_name for a in client.get_aliases().aliases}["docs"]

    def generations(self):
        with self.client() as client:
            return sorted(each.name for each in client.get_collections().collections)

    def physical_name(self, name=None, dimension=DIMENSION):
        return CollectionLayout(name or self.embedder[0], dimension, NoSparse.name).physical_name("docs")

    def write_profile(self, more, site="docs"):
        """The site's file, with these lines more."""
        file = self.settings.data_dir.parent / "sites" / f"{site}.toml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f'start_urls = ["{SITE}"]\n{more}', encoding="utf-8")

    def archived(self):
        """Digests in the archive by kind."""
        found = {}
        for file in (self.settings.data_dir / "archive").rglob("*.zst"):
            found.setdefault(file.parts[-3], set()).add(file.stem)
        return found


def page(number, year=1900, path=None, extra=""):
    """A page about one subject, in the version of a year."""
    subject = SUBJECTS[number % len(SUBJECTS)]
    title = f"About {subject}"
    text = f"The rules for {subject} in the port are those of the year {year}, paragraph {number}. {extra}"
    return fetched(path or f"{number}.html", html(title, text.strip()))


def pages(count=PAGES, year=1900):
    return [page(number, year) for number in range(count)]


def body_digest(fetched_page):
    return digest(fetched_page.body)
