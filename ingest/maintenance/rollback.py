"""The state of a site after an earlier manifest, out of ledger and archive: nothing is fetched, planned or embedded.

Pages that were withdrawn since come back, pages that came since are withdrawn, the others are as they were. That is a
publish with a manifest of its own, so that it can be rolled back like any other. Where the earlier state belongs to an
earlier collection, that one is brought in line and readers are switched back to it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from indexing import sync_page
from ingest.archive import Damaged, Kind
from ingest.indexer import CollectionIndexer, IndexingRecipe
from ingest.ledger.rows import PageState, Publication, RunKind, RunState
from ingest.maintenance.placing import PlacedPage, PlacingFigures, PointMaker, read_record
from ingest.maintenance.rebuild import Rebuild, Replacement, versions_of
from ingest.maintenance.renewal import UNKNOWN, record
from ingest.maintenance.session import open_session, sites_in, unknown_site
from wrac.errors import ConfigError, StoreError
from wrac.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ingest.ledger import Ledger
    from ingest.ledger.rows import Manifest, PageRow, RunRow
    from ingest.maintenance.rebuild import Part
    from ingest.maintenance.session import Session
    from wrac.config import Settings
    from wrac.recipe import Recipe

_TARGET = "to_manifest"
"""Figure of a run: what it rolls back to."""
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Rollback:
    """What was done."""

    site: str
    manifest: int
    """The state after this one is back."""
    published_at: str
    restored: int
    """Pages that are as they were then."""
    withdrawn: int
    """Pages that came since."""
    unchanged: int
    collection: str = ""
    """The collection that readers were switched back to; empty where it is the same."""
    embedder: str = ""
    """That of the collection."""
    skipped: tuple[str, ...] = ()
    """URLs that stay away because they were forgotten."""


def rollback(settings: Settings, site: str, to: int = 0) -> Rollback:
    """The site is as it was after the manifest ``to``; 0 for the one before the last that changed anything.

    Raises ``ConfigError`` where there is no such manifest, ``StoreError`` where the archive no longer has what it
    takes, before anything is changed.
    """
    with open_session(settings, [site]) as session:
        target = _target(session.ledger, site, to)
        work = _Work(session, site, target)
        recipe = work.indexing
        if recipe is None or not session.patiently(partial(_is_elsewhere, session, site, recipe)):
            return work.in_place()
        neighbours = sites_in(session.ledger, session.collection_of(site))
    with open_session(settings, [site, *(name for name in neighbours if name != site)]) as session:
        return _Work(session, site, target).switched_back(recipe)


def _target(ledger: Ledger, site: str, to: int) -> Manifest:
    history = ledger.publishes.history(site)
    if not history and site not in ledger.runs.sites():
        raise unknown_site(ledger, site)
    last = ledger.runs.last(site)
    if not to and last is not None and last.kind is RunKind.ROLLBACK and last.state is not RunState.FINISHED:
        to = int(last.figures.get(_TARGET, 0))  # the same command again after it broke off
    whole = [manifest for manifest in history if manifest.completed_at]
    if to:
        chosen = [manifest for manifest in whole if manifest.manifest_id == to]
    else:
        chosen = [manifest for manifest in whole if manifest.manifest_id < history[0].manifest_id]
    if not chosen:
        numbers = ", ".join(str(manifest.manifest_id) for manifest in whole) or "none"
        what = f"no manifest {to} of {site}" if to else f"nothing to roll {site} back to: it was published once"
        raise ConfigError(f"{what} (manifests: {numbers}; `wrac rollback {site} --list` tells of them)")
    return chosen[0]


def _is_elsewhere(session: Session, site: str, recipe: IndexingRecipe) -> bool:
    with CollectionIndexer(session.settings, session.collection_of(site)).store() as store:
        return store.layout() not in (None, recipe.collection_layout)


class _Work:
    """One rollback. Nothing is changed before all that it takes is known to be there."""

    def __init__(self, session: Session, site: str, target: Manifest) -> None:
        self._session = session
        self._site = site
        self._target = target
        self._collection = session.collection_of(site)
        state = session.ledger.publishes.state_after(site, target.manifest_id)
        self._published = {row.page_id: row for row in session.ledger.pages.published(site)}
        self._skipped: list[str] = []
        self._blocks = session.ledger.blocks.of_site(site)
        self._wanted = {key: publication for key, publication in state.items() if self._may_return(key)}
        # All pages of one state lie in one collection, so any of them tells which.
        some = next(iter(state.values()), None)
        self._recipe: Recipe = (some and session.ledger.runs.recipe(some.recipe)) or UNKNOWN
        self.indexing = IndexingRecipe.parse(self._recipe.indexing)
        """How the points of that state were made; None where nothing was published then."""

    def _may_return(self, key: str) -> bool:
        """What was forgotten stays away, whatever a copy of the ledger that was put back says."""
        row = self._session.ledger.pages.get(self._site, key)
        if row is not None and row.url in self._blocks:
            self._skipped.append(row.url)
        return row is not None and row.url not in self._blocks

    def in_place(self) -> Rollback:
        """The collection in use is brought back."""
        changed = [p for p in self._wanted.values() if not self._is_live(p)]
        parts = self._parts(self._versions(changed))
        run = self._begin()
        for indexer, versions in parts:
            maker = PointMaker(self._session.ledger, self._session.archive, indexer)
            for portion in maker.place(versions):
                self._session.patiently(partial(self._write, run, indexer, portion))
            _refuse_failures(maker, self._site)
        leaving = self._leaving()
        if leaving:
            indexer = parts[0][0] if parts else self._indexer(self._indexing_of(leaving[0].row.published_recipe))
            self._session.patiently(partial(self._withdraw, run, indexer, leaving))
        return self._finish(run, len(changed), len(leaving))

    def switched_back(self, recipe: IndexingRecipe) -> Rollback:
        """The collection that was in use then is brought in line for all sites, and readers use it again."""
        indexer = self._indexer(recipe)
        self._session.patiently(partial(self._check_generation, indexer))
        own = self._parts(self._versions(list(self._wanted.values())))
        leaving = self._leaving()
        recipes = {self._site: self._recipe}
        for site in self._session.sites:
            if site != self._site:
                versions = versions_of(self._session, site, str(recipe))
                self._check_vectors(versions, site)
                recipes[site] = replace(self._recipe, indexing=str(recipe))
        self._begin()
        Rebuild(self._session, {}, indexer).run(RunKind.ROLLBACK, recipes, {self._site: Replacement(own, leaving)})
        done = self._told(len(self._wanted), len(leaving))
        return replace(done, collection=indexer.layout.physical_name(self._collection), embedder=recipe.embedder)

    # ------------------------------------------------------------ what it takes

    def _is_live(self, wanted: Publication) -> bool:
        row = self._published.get(wanted.page_id)
        return (
            row is not None
            and row.state is PageState.LIVE
            and (row.published_record, row.published_recipe) == (wanted.record, wanted.recipe)
            and row.point_ids == wanted.point_ids
        )

    def _versions(self, wanted: Sequence[Publication]) -> list[PageRow]:
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
        self._check_vectors(versions, self._site)
        return versions

    def _version(self, row: PageRow, wanted: Publication) -> PageRow:
        made = read_record(self._session.archive, wanted.record)
        return replace(
            row,
            state=PageState.LIVE,
            outcome=Outcome.INDEXED,
            reason=f"rolled back to manifest {self._target.manifest_id}",
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

    def _check_vectors(self, versions: Sequence[PageRow], site: str) -> None:
        ledger, archive = self._session.ledger, self._session.archive
        lost = []
        for indexer, rows in self._parts(versions):
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
            f"{len(lost)} pages of {site} cannot be brought back to manifest {self._target.manifest_id}: the archive "
            f"{self._session.archive.url} no longer has their records or vectors ({shown}). Nothing was changed. "
            f"`wrac rollback {self._site} --list` names later manifests; `wrac crawl {site}` fetches the pages"
        )

    def _check_generation(self, indexer: CollectionIndexer) -> None:
        physical = indexer.layout.physical_name(self._collection)
        with indexer.store() as store:
            if physical not in store.generations():
                raise StoreError(
                    f"the collection {physical} of manifest {self._target.manifest_id} is no longer in "
                    f"{self._session.settings.store_place} (`wrac prune` drops what is not needed). Set `embedder` to "
                    f"that of {indexer.layout.embedder} and run `wrac reembed {self._site}`: it builds it again"
                )

    # ------------------------------------------------------------ how points are made

    def _parts(self, versions: Sequence[PageRow]) -> list[Part]:
        """The versions by the way that they were indexed."""
        groups: defaultdict[IndexingRecipe, list[PageRow]] = defaultdict(list)
        for row in versions:
            groups[self._indexing_of(row.recipe)].append(row)
        return [(self._indexer(recipe), rows) for recipe, rows in groups.items()]

    def _indexing_of(self, recipe: str) -> IndexingRecipe:
        known = IndexingRecipe.parse((self._session.ledger.runs.recipe(recipe) or UNKNOWN).indexing)
        if known is None:
            raise StoreError(f"the ledger does not know how recipe {recipe} of {self._site} makes points: crawl anew")
        return known

    def _indexer(self, recipe: IndexingRecipe) -> CollectionIndexer:
        indexer = CollectionIndexer.from_archive(self._session.settings, self._collection, recipe)
        if indexer.layout != recipe.collection_layout:
            raise StoreError(
                f"manifest {self._target.manifest_id} of {self._site} was made with {recipe.collection_layout}, and "
                f"this version makes {indexer.layout}: use the version of wrac that made it"
            )
        return indexer

    # ------------------------------------------------------------ doing it

    def _begin(self) -> RunRow:
        figures = {_TARGET: self._target.manifest_id}
        return self._session.begin(self._site, RunKind.ROLLBACK, self._recipe, figures)

    def _write(self, run: RunRow, indexer: CollectionIndexer, portion: list[PlacedPage]) -> None:
        done: list[PlacedPage] = []
        try:
            with indexer.open() as store:
                for page in portion:
                    sync_page(store, self._site, page.row.page_id, page.points)
                    done.append(page)
        finally:
            record(self._session, run, done)

    def _leaving(self) -> list[PlacedPage]:
        """Pages that were not there then."""
        reason = f"came after manifest {self._target.manifest_id}, which was rolled back to"
        return [
            PlacedPage(replace(row, state=PageState.LEAVING, reason=reason, variant_of=""), [])
            for key, row in self._published.items()
            if key not in self._wanted
        ]

    def _withdraw(self, run: RunRow, indexer: CollectionIndexer, leaving: Sequence[PlacedPage]) -> None:
        with indexer.open() as store:
            for page in leaving:
                sync_page(store, self._site, page.row.page_id, [])
        publishes, now = self._session.ledger.publishes, self._session.now()
        items = [page.withdrawal for page in leaving]
        publishes.record(self._site, publishes.open_manifest(run, now), items, now, rows=[page.row for page in leaving])

    def _finish(self, run: RunRow, restored: int, withdrawn: int) -> Rollback:
        if restored or withdrawn:
            publishes = self._session.ledger.publishes
            publishes.complete_manifest(publishes.open_manifest(run, self._session.now()), self._session.now())
        counts = {"restored": restored, "withdrawn": withdrawn}
        self._session.finish(self._site, counts, PlacingFigures().as_dict() | run.figures)
        return self._told(restored, withdrawn)

    def _told(self, restored: int, withdrawn: int) -> Rollback:
        return Rollback(
            site=self._site,
            manifest=self._target.manifest_id,
            published_at=self._target.completed_at,
            restored=restored,
            withdrawn=withdrawn,
            unchanged=len(self._wanted) - restored,
            skipped=tuple(self._skipped),
        )


def _refuse_failures(maker: PointMaker, site: str) -> None:
    if maker.failures:
        shown = "; ".join(f"{row.url}: {reason}" for row, reason in maker.failures[:_SHOWN])
        raise StoreError(f"{len(maker.failures)} pages of {site} could not be brought back ({shown}); the others are")
