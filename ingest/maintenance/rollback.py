"""The state of a site after an earlier manifest, out of ledger and archive: nothing is fetched, planned or embedded.

Pages that were withdrawn since come back, pages that came since are withdrawn, the others are as they were. That is a
publish with a manifest of its own, so that it can be rolled back like any other. Where the earlier state belongs to an
earlier collection, that one is brought in line and readers are switched back to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from indexing import sync_page
from ingest.indexer import CollectionIndexer
from ingest.ledger.rows import PageState, RunKind, RunState
from ingest.maintenance.earlier import EarlierState
from ingest.maintenance.placing import PlacedPage, PlacingFigures, PointMaker
from ingest.maintenance.rebuild import Rebuild, SiteState, versions_of
from ingest.maintenance.renewal import record
from ingest.maintenance.session import open_session, sites_in, unknown_site
from wrac.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ingest.indexer import IndexingRecipe
    from ingest.ledger import Ledger
    from ingest.ledger.rows import Manifest, Publication, RunRow
    from ingest.maintenance.session import Session
    from wrac.config import Settings

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
        self._collection = session.collection_of(site)
        self._earlier = EarlierState(session, site, target)
        self._published = {row.page_id: row for row in session.ledger.pages.published(site)}

    @property
    def indexing(self) -> IndexingRecipe | None:
        """How the points of that state were made; None where nothing was published then."""
        return self._earlier.indexing

    def in_place(self) -> Rollback:
        """The collection in use is brought back."""
        changed = [p for p in self._earlier.pages.values() if not self._is_live(p)]
        parts = self._earlier.parts(self._earlier.versions(changed))
        run = self._begin()
        for indexer, versions in parts:
            maker = PointMaker(self._session.ledger, self._session.archive, indexer)
            for portion in maker.place(versions):
                self._session.patiently(partial(self._write, run, indexer, portion))
            _refuse_failures(maker, self._site)
        leaving = self._leaving()
        if leaving:
            indexer = parts[0][0] if parts else self._earlier.indexer_of(leaving[0].row.published_recipe)
            self._session.patiently(partial(self._withdraw, run, indexer, leaving))
        return self._finish(run, len(changed), len(leaving))

    def switched_back(self, recipe: IndexingRecipe) -> Rollback:
        """The collection that was in use then is brought in line for all sites, and readers use it again."""
        indexer = self._earlier.indexer(recipe)
        self._session.patiently(partial(self._earlier.check_generation, indexer))
        own = self._earlier.parts(self._earlier.versions(list(self._earlier.pages.values())))
        leaving = self._leaving()
        recipes = {self._site: self._earlier.recipe}
        for site in self._session.sites:
            if site != self._site:
                versions = versions_of(self._session, site, str(recipe))
                self._earlier.check_vectors(versions, site)
                recipes[site] = replace(self._earlier.recipe, indexing=str(recipe))
        self._begin()
        Rebuild(self._session, {}, indexer).run(RunKind.ROLLBACK, recipes, {self._site: SiteState(own, leaving)})
        done = self._told(len(self._earlier.pages), len(leaving))
        return replace(done, collection=indexer.layout.physical_name(self._collection), embedder=recipe.embedder)

    def _is_live(self, wanted: Publication) -> bool:
        row = self._published.get(wanted.page_id)
        return (
            row is not None
            and row.state is PageState.LIVE
            and (row.published_record, row.published_recipe) == (wanted.record, wanted.recipe)
            and row.point_ids == wanted.point_ids
        )

    # ------------------------------------------------------------ doing it

    def _begin(self) -> RunRow:
        figures = {_TARGET: self._earlier.manifest.manifest_id}
        return self._session.begin(self._site, RunKind.ROLLBACK, self._earlier.recipe, figures)

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
        reason = f"came after manifest {self._earlier.manifest.manifest_id}, which was rolled back to"
        return [
            PlacedPage(replace(row, state=PageState.LEAVING, reason=reason, variant_of=""), [])
            for key, row in self._published.items()
            if key not in self._earlier.pages
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
            manifest=self._earlier.manifest.manifest_id,
            published_at=self._earlier.manifest.completed_at,
            restored=restored,
            withdrawn=withdrawn,
            unchanged=len(self._earlier.pages) - restored,
            skipped=tuple(self._earlier.forgotten),
        )


def _refuse_failures(maker: PointMaker, site: str) -> None:
    if maker.failures:
        shown = "; ".join(f"{row.url}: {reason}" for row, reason in maker.failures[:_SHOWN])
        raise StoreError(
            f"{len(maker.failures)} pages of {site} could not be brought back ({shown}); the others are. "
            f"`wrac crawl {site}` fetches the pages"
        )
