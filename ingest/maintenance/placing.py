"""From versions of pages in the archive to their points, and into a collection.

A version is a ``PageRow`` whose gathered columns (record, recipe, title ...) say what is to be in the collection.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexing import SyncResult
from ingest.archive import Damaged
from ingest.ledger.rows import Publication
from ingest.page_facts import page_facts
from ingest.page_records import read_record
from ingest.vectors import VectorShelf
from wrac.errors import EmbeddingFailed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ingest.archive import Archive
    from ingest.indexer import Indexer
    from ingest.ledger import Ledger
    from ingest.ledger.rows import PageRow
    from ingest.page import PageRecord
    from wrac.records import Point

BATCH_CHUNKS = 48
"""Chunks embedded in one go."""
WRITE_PAGES = 128
"""Pages written in one go, at most: their points are in memory, and an embedded collection is held meanwhile."""

_STUMBLES = (ValueError, TypeError, LookupError, ArithmeticError, RecursionError)
"""What tokenizers and encoders raise over a text that they were not made for."""


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
        self._shelf = VectorShelf(archive, ledger)

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
        by_language: defaultdict[str, list[tuple[PageRow, PageRecord]]] = defaultdict(list)
        for row in batch:
            try:
                record = read_record(self._archive, row.record)
            except Damaged as error:
                self.failures.append((row, f"archive: {error}"))
            else:
                by_language[record.metadata.language].append((row, record))
        try:
            return [page for language, pages in sorted(by_language.items()) for page in self._together(pages, language)]
        finally:
            self._shelf.drop()

    def _together(self, pages: list[tuple[PageRow, PageRecord]], language: str) -> list[PlacedPage]:
        try:
            return self._embedded(pages, language)
        except (EmbeddingFailed, *_STUMBLES) as error:
            if len(pages) == 1:
                self.failures.append((pages[0][0], f"embed: {error}"))
                return []
        # One page must not take the others of its batch with it.
        return [placed for page in pages for placed in self._together([page], language)]

    def _embedded(self, pages: list[tuple[PageRow, PageRecord]], language: str) -> list[PlacedPage]:
        texts = [chunk.embed_text for _, record in pages for chunk in record.chunks]
        keys = self._indexer.keys(texts)
        self._shelf.fetch(keys)
        vectors = self._indexer.vectors(texts, language, self._shelf)
        fresh = self._shelf.fresh
        self.figures.embedded += fresh
        self.figures.reused += len(set(keys)) - fresh
        placed = []
        start = 0
        for row, record in pages:
            end = start + len(record.chunks)
            self._shelf.keep(keys[start:end])
            points = self._indexer.points(page_facts(row, record), record.chunks, vectors[start:end])
            placed.append(PlacedPage(row, points))
            start = end
        return placed


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
