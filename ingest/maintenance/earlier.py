"""What an earlier manifest left behind, as versions of pages that can be put back; proven to be whole beforehand."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from ingest.archive import Damaged, Kind
from ingest.indexer import CollectionIndexer, IndexingRecipe
from ingest.ledger.rows import PageState
from ingest.maintenance.renewal import UNKNOWN
from ingest.page_records import read_record
from wrac.errors import StoreError
from wrac.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ingest.ledger.rows import Manifest, PageRow, Publication
    from ingest.maintenance.rebuild import Part
    from ingest.maintenance.session import Session
    from wrac.recipe import Recipe

_SHOWN = 5


class EarlierState:
    """The pages of a site as they were after a manifest. Every method raises ``StoreError`` for what is lost."""

    def __init__(self, session: Session, site: str, manifest: Manifest) -> None:
        self.manifest = manifest
        self.forgotten: list[str] = []
        """URLs that stay away because they were forgotten."""
        self._session = session
        self._site = site
        self._collection = session.collection_of(site)
        self._blocks = session.ledger.blocks.of_site(site)
        state = session.ledger.publishes.state_after(site, manifest.manifest_id)
        self.pages = {key: publication for key, publication in state.items() if self._may_return(key)}
        """Page id -> what was published of it."""
        # All pages of one state lie in one collection, so any of them tells which.
        some = next(iter(state.values()), None)
        self.recipe: Recipe = (some and session.ledger.runs.recipe(some.recipe)) or UNKNOWN
        self.indexing = IndexingRecipe.parse(self.recipe.indexing)
        """How its points were made; None where nothing was published then."""

    def _may_return(self, key: str) -> bool:
        """What was forgotten stays away, whatever a copy of the ledger that was put back says."""
        row = self._session.ledger.pages.get(self._site, key)
        if row is not None and row.url in self._blocks:
            self.forgotten.append(row.url)
        return row is not None and row.url not in self._blocks

    def versions(self, wanted: Sequence[Publication]) -> list[PageRow]:
        """The rows of these pages as they were; all that their points are made of is in the archive."""
        versions, lost = [], []
        for publication in wanted:
            row = self._session.ledger.pages.get(self._site, publication.page_id)
            if row is None:
                continue
            try:
                versions.append(self._version(row, publication))
            except Damaged:
                lost.append(row.url)
        if lost:
            self._refuse(self._site, lost)
        self.check_vectors(versions, self._site)
        return versions

    def _version(self, row: PageRow, wanted: Publication) -> PageRow:
        made = read_record(self._session.archive, wanted.record)
        return replace(
            row,
            state=PageState.LIVE,
            outcome=Outcome.INDEXED,
            reason=f"rolled back to manifest {self.manifest.manifest_id}",
            variant_of="",
            # Validators are those of a later version: the next crawl is to look at the whole page.
            etag="",
            last_modified="",
            fetched_at=wanted.fetched_at or row.fetched_at,
            body_digest=wanted.body_digest,
            record=wanted.record,
            markdown_digest=wanted.markdown_digest,
            facts=wanted.facts,
            recipe=wanted.recipe,
            title=made.metadata.title or made.document.title,
            language=made.metadata.language,
            chunks=len(made.chunks),
            tokens=wanted.tokens,
            due_at="",
            misses=0,
            failures=0,
        )

    def check_vectors(self, versions: Sequence[PageRow], site: str) -> None:
        """The archive has all vectors of these versions."""
        ledger, archive = self._session.ledger, self._session.archive
        lost = []
        for indexer, rows in self.parts(versions):
            for row in rows:
                keys = indexer.keys([chunk.embed_text for chunk in read_record(archive, row.record).chunks])
                found = ledger.publishes.find_vectors(keys)
                if found.keys() < set(keys) or not all(archive.has(Kind.VECTORS, name) for name in set(found.values())):
                    lost.append(row.url)
        if lost:
            self._refuse(site, lost)

    def _refuse(self, site: str, lost: Sequence[str]) -> None:
        shown = ", ".join(lost[:_SHOWN])
        raise StoreError(
            f"{len(lost)} pages of {site} cannot be brought back to manifest {self.manifest.manifest_id}: the archive "
            f"{self._session.archive.url} no longer has their records or vectors ({shown}). Nothing was changed. "
            f"`wrac rollback {self._site} --list` names later manifests; `wrac crawl {site}` fetches the pages"
        )

    def check_generation(self, indexer: CollectionIndexer) -> None:
        """The collection that was in use then still stands."""
        physical = indexer.layout.physical_name(self._collection)
        with indexer.store() as store:
            if physical not in store.generations():
                raise StoreError(
                    f"the collection {physical} of manifest {self.manifest.manifest_id} is no longer in "
                    f"{self._session.settings.store_place} (`wrac prune` drops what is not needed). Set `embedder` to "
                    f"that of {indexer.layout.embedder} and run `wrac reembed {self._site}`: it builds it again"
                )

    def parts(self, versions: Sequence[PageRow]) -> list[Part]:
        """The versions by the way that they were indexed."""
        groups: defaultdict[IndexingRecipe, list[PageRow]] = defaultdict(list)
        for row in versions:
            groups[self._indexing_of(row.recipe)].append(row)
        return [(self.indexer(recipe), rows) for recipe, rows in groups.items()]

    def indexer_of(self, recipe: str) -> CollectionIndexer:
        """Makes points as those of a version with this recipe were made."""
        return self.indexer(self._indexing_of(recipe))

    def _indexing_of(self, recipe: str) -> IndexingRecipe:
        known = IndexingRecipe.parse((self._session.ledger.runs.recipe(recipe) or UNKNOWN).indexing)
        if known is None:
            raise StoreError(
                f"the ledger does not know how recipe {recipe} of {self._site} makes points: "
                f"`wrac crawl {self._site}` makes them anew"
            )
        return known

    def indexer(self, recipe: IndexingRecipe) -> CollectionIndexer:
        """Makes points as they were made then, out of vectors in the archive alone."""
        indexer = CollectionIndexer.from_archive(self._session.settings, self._collection, recipe)
        if indexer.layout != recipe.collection_layout:
            raise StoreError(
                f"manifest {self.manifest.manifest_id} of {self._site} was made with {recipe.collection_layout}, and "
                f"this version makes {indexer.layout}: use the version of wrac that made it"
            )
        return indexer
