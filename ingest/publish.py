"""From the archive into the collection: embed, upsert, verify, delete stale points, then say so in the ledger.

Everything here is for one thread, which is not the crawler's: the embedder releases the interpreter while it works.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from indexing import SyncResult, sync_page
from ingest.archive import Damaged
from ingest.ledger.rows import PageState, Publication
from ingest.page_facts import page_facts
from ingest.page_records import read_record
from ingest.vectors import VectorShelf
from wrac.errors import EmbeddingFailed
from wrac.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ingest.archive import Archive
    from ingest.bill import Account
    from ingest.indexer import Indexer
    from ingest.ledger import Ledger
    from ingest.ledger.rows import PageRow, RunRow
    from ingest.page import PageRecord
    from wrac.records import ChunkVectors, Point

_STUMBLES = (ValueError, TypeError, LookupError, ArithmeticError, RecursionError)
"""What tokenizers and encoders raise over a text that they were not made for: it costs its page, not the run."""


@dataclass(frozen=True, slots=True)
class ReadyPage:
    """A page that only has to be written to the collection."""

    publication: Publication
    points: list[Point]


@dataclass(slots=True)
class PublishFigures:
    """What was done so far."""

    pages: int = 0
    points: int = 0
    withdrawn: int = 0
    """Pages taken out of the collection."""
    embedded: int = 0
    """Texts that the embedder read."""
    reused: int = 0
    """Texts whose vectors were kept from before."""
    embed_seconds: float = 0.0
    publish_seconds: float = 0.0
    synced: SyncResult = field(default_factory=SyncResult)


class Publisher:
    """Takes gathered pages of one run into the collection."""

    def __init__(
        self,
        ledger: Ledger,
        archive: Archive,
        indexer: Indexer,
        run: RunRow,
        *,
        account: Account,
        now: Callable[[], str],
        timer: Callable[[], float],
    ) -> None:
        self.figures = PublishFigures()
        self.ready: list[ReadyPage] = []
        self._ledger = ledger
        self._archive = archive
        self._indexer = indexer
        self._run = run
        self._account = account
        self._now = now
        self._timer = timer
        self._shelf = VectorShelf(archive, ledger)
        self._counted: set[str] = set()

    def embed(self, page_ids: Sequence[str], *, get_ready: bool) -> None:
        """The vectors of these pages are in the archive; with ``get_ready`` the pages wait for ``publish``.

        A page that the embedder refuses, or whose record is damaged, ends as FAILED. Raises ``StoreError``,
        ``TransientError``; the same pages can then be given again.
        """
        since = self._timer()
        try:
            pages = [page for page_id in page_ids if (page := self._load(page_id)) is not None]
            for row, record, vectors in self._embedded(pages):
                if get_ready:
                    self.ready.append(self._point(row, record, vectors))
        finally:
            self._shelf.drop()
            self.figures.embed_seconds += self._timer() - since
            self._account.embedded(self._indexer.usage)

    def publish(self) -> None:
        """All pages that waited are in the collection and in the ledger; the collection is held meanwhile.

        Raises ``StoreError``, ``TransientError``; what was not written waits on.
        """
        if not self.ready:
            return
        since = self._timer()
        done: list[ReadyPage] = []
        try:
            with self._indexer.open() as store:
                for page in self.ready:
                    result = sync_page(store, self._run.site, page.publication.page_id, page.points)
                    self.figures.synced += result
                    done.append(page)
        finally:
            self._record(done)
            self.figures.publish_seconds += self._timer() - since

    def withdraw(self) -> None:
        """Pages that are to leave are out of the collection, and the ledger says since when.

        To be called after ``publish``, so that a page that moved is never absent. Raises ``StoreError``,
        ``TransientError``; pages that were not withdrawn stay to be.
        """
        rows = list(self._ledger.pages.in_state(self._run.site, PageState.LEAVING))
        if not rows:
            return
        since = self._timer()
        done: list[Publication] = []
        try:
            with self._indexer.open() as store:
                for row in rows:
                    self.figures.synced += sync_page(store, self._run.site, row.page_id, [])
                    done.append(Publication.of_withdrawn(row))
        finally:
            self._record_publications(done)
            self.figures.withdrawn += len(done)
            self.figures.publish_seconds += self._timer() - since

    def missing_pages(self) -> list[PageRow]:
        """Pages that are live by the ledger and lack points in the collection, e.g. because it was lost."""
        rows = list(self._ledger.pages.published(self._run.site))
        with self._indexer.open() as store:
            expected = sum(len(row.point_ids) for row in rows)
            if store.count(self._run.site) == expected:
                return []
            stored = store.site_points(self._run.site)
        return [row for row in rows if row.state is PageState.LIVE and not stored.issuperset(row.point_ids)]

    def _record(self, done: list[ReadyPage]) -> None:
        self._record_publications([page.publication for page in done])
        self.figures.pages += len(done)
        self.figures.points += sum(len(page.points) for page in done)
        del self.ready[: len(done)]

    def _record_publications(self, done: list[Publication]) -> None:
        if not done:
            return
        manifest = self._ledger.publishes.open_manifest(self._run, self._now())
        self._ledger.pages.flush()
        self._ledger.publishes.record(self._run.site, manifest, done, self._now())

    def _load(self, page_id: str) -> tuple[PageRow, PageRecord] | None:
        row = self._ledger.pages.get(self._run.site, page_id)
        if row is None or row.state is not PageState.GATHERED:
            return None
        try:
            return row, read_record(self._archive, row.record)
        except Damaged as error:
            self._fail(row, f"archive: {error}; the next run fetches the page again")
            return None

    def _fail(self, row: PageRow, reason: str) -> None:
        state = PageState.LIVE if row.point_ids else PageState.MET
        self._ledger.pages.save(replace(row, state=state, outcome=Outcome.FAILED, reason=reason, body_digest=""))

    def _embedded(
        self, pages: list[tuple[PageRow, PageRecord]]
    ) -> list[tuple[PageRow, PageRecord, list[ChunkVectors]]]:
        """Each page with its vectors, all pages of one language in one go."""
        by_language: dict[str, list[tuple[PageRow, PageRecord]]] = defaultdict(list)
        for row, record in pages:
            by_language[record.metadata.language].append((row, record))
        done = []
        for language, group in sorted(by_language.items()):
            try:
                done += self._embed_group(group, language)
            except (EmbeddingFailed, *_STUMBLES):
                done += self._embed_singly(group, language)
        return done

    def _embed_group(
        self, group: list[tuple[PageRow, PageRecord]], language: str
    ) -> list[tuple[PageRow, PageRecord, list[ChunkVectors]]]:
        texts = [chunk.embed_text for _, record in group for chunk in record.chunks]
        keys = self._indexer.keys(texts)
        self._shelf.fetch(keys)
        vectors = self._indexer.vectors(texts, language, self._shelf)
        fresh = self._shelf.fresh
        done, start = [], 0
        for row, record in group:
            end = start + len(record.chunks)
            self._shelf.keep(keys[start:end])
            done.append((row, record, vectors[start:end]))
            start = end
        self.figures.embedded += fresh
        if not self._counted.issuperset(row.page_id for row, _ in group):  # a later crawl comes twice
            self.figures.reused += len(set(keys)) - fresh
            self._counted.update(row.page_id for row, _ in group)
        return done

    def _embed_singly(
        self, group: list[tuple[PageRow, PageRecord]], language: str
    ) -> list[tuple[PageRow, PageRecord, list[ChunkVectors]]]:
        """One page must not take the others of its batch with it."""
        done = []
        for row, record in group:
            try:
                done += self._embed_group([(row, record)], language)
            except EmbeddingFailed as error:
                self._fail(row, f"{error.stage}: {error.reason}: {error}")
            except _STUMBLES as error:
                self._fail(row, f"embed: {error!r}")
        return done

    def _point(self, row: PageRow, record: PageRecord, vectors: list[ChunkVectors]) -> ReadyPage:
        points = self._indexer.points(page_facts(row, record), record.chunks, vectors)
        return ReadyPage(Publication.of_gathered(row, (point.id for point in points)), points)
