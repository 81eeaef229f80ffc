"""Vectors for the chunks of whole pages: out of the archive where they were ever made; new ones go there at once."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

from ingest.vectors import VectorShelf
from wrac.errors import EmbeddingFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ingest.archive import Archive
    from ingest.indexer import Indexer
    from ingest.ledger import Ledger
    from ingest.ledger.rows import PageRow
    from ingest.page_records import PageRecord
    from wrac.records import ChunkVectors

StoredPage: TypeAlias = "tuple[PageRow, PageRecord]"
EmbeddedPage: TypeAlias = "tuple[PageRow, PageRecord, list[ChunkVectors]]"

_STUMBLES = (ValueError, TypeError, LookupError, ArithmeticError, RecursionError)
"""What tokenizers and encoders raise over a text that they were not made for: it costs its page, not the run."""


class PageEmbedder:
    """Embeds pages, all of one language in one go."""

    def __init__(
        self, ledger: Ledger, archive: Archive, indexer: Indexer, *, refused: Callable[[PageRow, str], None]
    ) -> None:
        """``refused`` is called with each page that the embedder does not take, and the reason."""
        self.embedded = 0
        """Texts that the embedder read."""
        self.reused = 0
        """Texts whose vectors were in the archive; those of a page that comes again are counted once."""
        self._indexer = indexer
        self._refused = refused
        self._shelf = VectorShelf(archive, ledger)
        self._counted: set[str] = set()

    def embed(self, pages: Sequence[StoredPage]) -> list[EmbeddedPage]:
        """The pages with their vectors, which are in the archive. Raises ``StoreError``, ``TransientError``."""
        by_language: defaultdict[str, list[StoredPage]] = defaultdict(list)
        for row, record in pages:
            by_language[record.metadata.language].append((row, record))
        try:
            return [page for language, group in sorted(by_language.items()) for page in self._together(group, language)]
        finally:
            self._shelf.drop()

    def _together(self, group: list[StoredPage], language: str) -> list[EmbeddedPage]:
        try:
            return self._embedded(group, language)
        except (EmbeddingFailed, *_STUMBLES) as error:
            if len(group) == 1:
                self._refused(group[0][0], _reason(error))
                return []
        # One page must not take the others of its batch with it.
        return [embedded for page in group for embedded in self._together([page], language)]

    def _embedded(self, group: list[StoredPage], language: str) -> list[EmbeddedPage]:
        texts = [chunk.embed_text for _, record in group for chunk in record.chunks]
        keys = self._indexer.keys(texts)
        self._shelf.fetch(keys)
        vectors = self._indexer.vectors(texts, language, self._shelf)
        fresh = self._shelf.fresh
        done: list[EmbeddedPage] = []
        start = 0
        for row, record in group:
            end = start + len(record.chunks)
            self._shelf.keep(keys[start:end])
            done.append((row, record, vectors[start:end]))
            start = end
        self.embedded += fresh
        if not self._counted.issuperset(row.page_id for row, _ in group):
            self.reused += len(set(keys)) - fresh
            self._counted.update(row.page_id for row, _ in group)
        return done


def _reason(error: Exception) -> str:
    if isinstance(error, EmbeddingFailed):
        return f"{error.stage}: {error.reason}: {error}"
    return f"embed: {error!r}"
