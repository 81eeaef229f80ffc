"""Page records: what the archive keeps of a page, and all that publishing needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking import keep_groups
from ingest.archive import Damaged, Kind
from ingest.codec import decode, encode
from ingest.documents import DocumentPage  # noqa: TC001 - the codec reads the annotations
from wrac.ids import digest
from wrac.records import Chunk, ChunkPlan, Fusion, Group, MarkdownDocument, PageMetadata, Removal, Unit, UnitTree

if TYPE_CHECKING:
    from chunking import WindowLimits
    from ingest.archive import Archive


RECORD_VERSION = 1


@dataclass(frozen=True, slots=True)
class PageRecord:
    """Everything that the stages made of a body: what the archive keeps, and all that publishing needs."""

    url: str
    metadata: PageMetadata
    removals: tuple[Removal, ...]
    document: MarkdownDocument
    units: tuple[Unit, ...]
    fusions: tuple[Fusion, ...]
    plan: ChunkPlan
    chunks: tuple[Chunk, ...]
    version: int = RECORD_VERSION
    planning: str = ""
    """Planning part of the recipe that the plan was made with; empty where an earlier version did not say."""
    pages: tuple[DocumentPage, ...] = ()
    """What became of each page of a document; empty for web pages."""

    @property
    def tree(self) -> UnitTree:
        """The unit tree."""
        return UnitTree(self.document, self.units, self.fusions)

    @property
    def facts(self) -> str:
        """Digest of all that a point tells beside what the Markdown says: title, language, dates, anchors ..."""
        document = self.document
        told = [self.metadata, document.title, document.source_kind, document.anchors, document.pages]
        if self.pages:
            told.append([self.pages_ok, len(self.pages)])
        return digest(encode(told))

    @property
    def pages_ok(self) -> int:
        """Pages of a document of which everything readable is in the Markdown."""
        return sum(page.ok for page in self.pages)

    def groups_for(self, tree: UnitTree, planning: str, limits: WindowLimits) -> tuple[Group, ...]:
        """Groups of this plan that stand in a later tree of the page; none where another recipe made them."""
        return keep_groups(self.tree, self.plan, tree, limits) if self.planning == planning else ()


def read_record(archive: Archive, key: str) -> PageRecord:
    """The record under a key. Raises ``Damaged`` where there is none that can be read, ``StoreError``."""
    try:
        return decode(PageRecord, archive.get(Kind.PAGE, key))
    except ValueError as error:
        raise Damaged(f"archive object {key} is no page record: {error}") from error
