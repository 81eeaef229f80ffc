"""From versions of pages in the archive to their points, and into a collection.

A version is a ``PageRow`` whose gathered columns (record, recipe, title ...) say what is to be in the collection.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexing import SyncResult
from ingest.archive import Damaged
from ingest.embedding import PageEmbedder
from ingest.ledger.rows import Publication
from ingest.page_facts import page_facts
from ingest.page_records import read_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ingest.archive import Archive
    from ingest.embedding import StoredPage
    from ingest.indexer import Indexer
    from ingest.ledger import Ledger
    from ingest.ledger.rows import PageRow
    from wrac.records import Point

BATCH_CHUNKS = 48
"""Chunks embedded in one go."""
WRITE_PAGES = 128
"""Pages written in one go, at most: their points are in memory, and an embedded collection is held meanwhile."""


@dataclass(frozen=True, slots=True)
class PlacedPage:
    """A version and its points."""

    row: PageRow
    points: list[Point]

    @property
    def publication(self) -> Publication:
        """What a manifest says of it."""
        return Publication.of_gathered(self.row, (point.id for point in self.points))

    @property
    def withdrawal(self) -> Publication:
        """What a manifest says of a page that leaves, row and all that is published of it given."""
        return Publication.of_withdrawn(self.row)


@dataclass(slots=True)
class PlacingFigures:
    """What was done so far."""

    embedded: int = 0
    """Texts that the embedder read."""
    reused: int = 0
    """Texts whose vectors were in the archive."""
    synced: SyncResult = field(default_factory=SyncResult)

    def __add__(self, other: PlacingFigures) -> PlacingFigures:
        return PlacingFigures(self.embedded + other.embedded, self.reused + other.reused, self.synced + other.synced)

    def as_dict(self) -> dict[str, float]:
        """By name, for the record of a run."""
        return {"embedded": self.embedded, "reused": self.reused, "upserted": self.synced.upserted}


class PointMaker:
    """Makes the points of versions. Vectors come from the archive where they were ever made, and go there at once."""

    def __init__(self, ledger: Ledger, archive: Archive, indexer: Indexer) -> None:
        self.figures = PlacingFigures()
        self.failures: list[tuple[PageRow, str]] = []
        """Versions that have no points, each with the reason."""
        self._archive = archive
        self._indexer = indexer
        self._embedder = PageEmbedder(ledger, archive, indexer, refused=self._refuse)

    def place(self, versions: Iterable[PageRow]) -> Iterator[list[PlacedPage]]:
        """The versions with their points, in portions small enough to be held in memory.

        One that the embedder refuses, or whose record is damaged, is among ``failures``. Raises ``StoreError``,
        ``TransientError``.
        """
        ready: list[PlacedPage] = []
        for batch in batches(versions):
            ready += self._points(batch)
            if len(ready) >= WRITE_PAGES:
                yield ready
                ready = []
        if ready:
            yield ready

    def _points(self, batch: Sequence[PageRow]) -> list[PlacedPage]:
        pages: list[StoredPage] = []
        for row in batch:
            try:
                pages.append((row, read_record(self._archive, row.record)))
            except Damaged as error:
                self._refuse(row, f"archive: {error}")
        try:
            return [
                PlacedPage(row, self._indexer.points(page_facts(row, record), record.chunks, vectors))
                for row, record, vectors in self._embedder.embed(pages)
            ]
        finally:
            self.figures.embedded, self.figures.reused = self._embedder.embedded, self._embedder.reused

    def _refuse(self, row: PageRow, reason: str) -> None:
        self.failures.append((row, reason))


def batches(versions: Iterable[PageRow]) -> Iterator[list[PageRow]]:
    """Pages in portions whose chunks are embedded in one go."""
    batch: list[PageRow] = []
    chunks = 0
    for row in versions:
        if batch and chunks + row.chunks > BATCH_CHUNKS:
            yield batch
            batch, chunks = [], 0
        batch.append(row)
        chunks += row.chunks
    if batch:
        yield batch
