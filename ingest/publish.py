"""From the archive into the collection: embed, upsert, verify, delete stale points, then say so in the ledger.

Everything here is for one thread, which is not the crawler's: the embedder releases the interpreter while it works.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from indexing import SyncResult, sync_page
from ingest.archive import Damaged
from ingest.embedding import PageEmbedder
from ingest.ledger.rows import PageState, Publication
from ingest.page_facts import page_facts
from ingest.page_records import read_record
from wrac.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ingest.archive import Archive
    from ingest.bill import Account
    from ingest.indexer import Indexer
    from ingest.ledger import Ledger
    from ingest.ledger.rows import PageRow, RunRow
    from ingest.page_records import PageRecord
    from wrac.records import ChunkVectors, Point

PUBLISHED_STATES = (PageState.LIVE, PageState.HELD)
"""States of published pages that wait for no publish: where the collection lacks one, nothing else brings it back."""


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
        self._embedder = PageEmbedder(ledger, archive, indexer, refused=self._fail)

    def embed(self, page_ids: Sequence[str], *, get_ready: bool) -> None:
        """The vectors of these pages are in the archive; with ``get_ready`` the pages wait for ``publish``.

        A page that the embedder refuses, or whose record is damaged, ends as FAILED. Raises ``StoreError``,
        ``TransientError``; the same pages can then be given again.
        """
        since = self._timer()
        try:
            pages = [page for page_id in page_ids if (page := self._load(page_id)) is not None]
            for row, record, vectors in self._embedder.embed(pages):
                if get_ready:
                    self.ready.append(self._point(row, record, vectors))
        finally:
            self.figures.embedded, self.figures.reused = self._embedder.embedded, self._embedder.reused
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
        """Pages that the ledger knows as published, and that lack points, e.g. because the collection was lost."""
        rows = list(self._ledger.pages.published(self._run.site))
        with self._indexer.open() as store:
            expected = sum(len(row.point_ids) for row in rows)
            if store.count(self._run.site) == expected:
                return []
            stored = store.site_points(self._run.site)
        return [row for row in rows if row.state in PUBLISHED_STATES and not stored.issuperset(row.point_ids)]

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

    def _point(self, row: PageRow, record: PageRecord, vectors: list[ChunkVectors]) -> ReadyPage:
        points = self._indexer.points(page_facts(row, record), record.chunks, vectors)
        return ReadyPage(Publication.of_gathered(row, (point.id for point in points)), points)
