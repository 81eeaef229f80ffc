"""A collection for another embedder, dimension, sparse encoder or layout, built beside the one that readers use.

All sites that live in it are written from the archive; then it is counted and asked its canaries, and only then one
call brings readers over. What was there before is kept, so that a rollback needs nothing but that call again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from indexing import sync_page
from indexing.reranking import make_ranking
from ingest.changes import published_version
from ingest.maintenance.canaries import run_canaries
from ingest.maintenance.placing import PlacingFigures, PointMaker
from ingest.maintenance.renewal import UNKNOWN, Renewal
from ingest.questions import Targets, read_questions
from wrac.errors import NotSwitched, StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexing import QdrantStore
    from ingest.indexer import CollectionIndexer
    from ingest.ledger.rows import PageRow, Publication, RunKind, RunRow
    from ingest.maintenance.placing import PlacedPage
    from ingest.maintenance.session import Session
    from ingest.questions import Question
    from wrac.config import SiteProfile
    from wrac.recipe import Recipe

_SHOWN = 5

Part: TypeAlias = "tuple[CollectionIndexer, Sequence[PageRow]]"
"""Versions of pages, and how they are indexed."""


@dataclass(frozen=True, slots=True)
class SiteState:
    """What a site is to be in the new collection, in place of what it is in the old one."""

    parts: Sequence[Part]
    leaving: Sequence[PlacedPage]
    """Pages that are in the old one alone, without points."""

    @property
    def rows(self) -> list[PageRow]:
        """All rows that change."""
        return [*(row for _, rows in self.parts for row in rows), *(page.row for page in self.leaving)]


def needs_rebuild(session: Session, indexer: CollectionIndexer) -> bool:
    """Whether the collection that readers use was made for other encoders or another layout."""
    return session.patiently(partial(_is_of_another_layout, indexer))


def _is_of_another_layout(indexer: CollectionIndexer) -> bool:
    with indexer.store() as store:
        return store.layout() not in (None, indexer.layout)


def versions_of(session: Session, site: str, indexing: str) -> list[PageRow]:
    """What is in the collection of a site, as it is to be in one with another ``indexing`` recipe."""
    versions = []
    for row in session.ledger.pages.published(site):
        recipe = replace(session.ledger.runs.recipe(row.published_recipe) or UNKNOWN, indexing=indexing)
        session.ledger.runs.add_recipe(recipe)
        versions.append(replace(published_version(row), recipe=recipe.digest))
    return versions


@dataclass(slots=True)
class _Filled:
    """One site in the new collection."""

    publications: list[Publication] = field(default_factory=list)
    figures: PlacingFigures = field(default_factory=PlacingFigures)

    @property
    def point_ids(self) -> set[str]:
        return {point for page in self.publications for point in page.point_ids}


class Rebuild:
    """One collection on its way to taking another's place. The locks of all of its sites are held."""

    def __init__(self, session: Session, profiles: Mapping[str, SiteProfile], indexer: CollectionIndexer) -> None:
        """``indexer`` says how the new collection is made. Raises ``ConfigError`` for canaries that cannot be read."""
        self._session = session
        self._indexer = indexer
        self._canaries: dict[str, list[Question]] = {
            site: read_questions(profile.canaries) for site, profile in profiles.items() if profile.canaries
        }
        self.physical = indexer.layout.physical_name(indexer.collection)
        self.previous = ""

    def run(self, kind: RunKind, recipes: Mapping[str, Recipe], others: Mapping[str, SiteState] = {}) -> list[Renewal]:
        """Readers use the new collection, which holds all that the old one held of the sites; both stand.

        ``others`` are sites that are to be otherwise.
        Raises ``NotSwitched`` where it failed its checks, ``StoreError``, ``TransientError``; readers then use the old
        one, and the same command goes on with what was built.
        """
        session = self._session
        runs = {site: session.begin(site, kind, recipe) for site, recipe in recipes.items()}
        session.patiently(partial(self._check_owners, list(runs)))
        filled = {site: self._fill(run, others.get(site)) for site, run in runs.items()}
        session.patiently(partial(self._check_and_switch, filled))
        return [self._finish(runs[site], filled[site], others.get(site)) for site in runs]

    def _check_owners(self, sites: Sequence[str]) -> None:
        """Points of sites that the ledger does not know would be missing after the switch."""
        with self._indexer.store() as store:
            self.previous = store.physical() or ""
            foreign = _foreign(store, sites)
            if self.physical in store.generations() and _foreign(store.generation(self.physical), sites):
                store.drop(self.physical)  # left behind by sites that have moved since: they must not come back
        if foreign:
            raise StoreError(
                f"the collection {self._indexer.collection!r} in {self._session.settings.store_place} holds {foreign} "
                f"points of sites that this ledger does not know (it knows {', '.join(sorted(sites))}): they cannot be "
                f"made anew here. Use the ledger that they were crawled with, or set another `collection` for this site"
            )

    def _fill(self, run: RunRow, other: SiteState | None) -> _Filled:
        """The pages of one site are in the new collection, page by page what they are to be."""
        account = self._session.account(run)
        parts = other.parts if other else [(self._indexer, versions_of(self._session, run.site, self._indexer.recipe))]
        filled = _Filled()
        failures: list[tuple[PageRow, str]] = []
        for indexer, versions in parts:
            maker = PointMaker(self._session.ledger, self._session.archive, indexer)
            for portion in maker.place(versions):
                account.embedded(indexer.usage)
                self._session.patiently(partial(self._write, run.site, portion, maker))
                filled.publications += [page.publication for page in portion]
            filled.figures += maker.figures
            failures += maker.failures
        if failures:
            shown = "; ".join(f"{row.url}: {reason}" for row, reason in failures[:_SHOWN])
            raise NotSwitched(
                f"{len(failures)} pages of {run.site} could not be made for the new collection ({shown}). "
                f"Readers still use {self.previous}: set the embedder back and crawl these pages, then reembed again"
            )
        return filled

    def _write(self, site: str, portion: list[PlacedPage], maker: PointMaker) -> None:
        with self._indexer.store() as store:
            beside = store.beside(self._indexer.layout)
            for page in portion:
                maker.figures.synced += sync_page(beside, site, page.row.page_id, page.points)

    def _check_and_switch(self, filled: Mapping[str, _Filled]) -> None:
        with self._indexer.store() as store:
            beside = store.beside(self._indexer.layout)
            for site, done in filled.items():
                self._check_count(beside, site, done.point_ids)
            for site in filled:
                self._check_canaries(beside, site)
            store.switch(self.physical)

    def _check_count(self, beside: QdrantStore, site: str, expected: set[str]) -> None:
        """Exactly the expected points are there; what an older generation left of pages that are gone goes first."""
        stored = beside.site_points(site)
        beside.delete(stored - expected)
        if not stored >= expected or beside.count(site) != len(expected):
            raise NotSwitched(
                f"the new collection {self.physical} of {self._session.settings.store_place} has "
                f"{beside.count(site)} points of {site} where {len(expected)} were written. Readers still use "
                f"{self.previous}; run the same command again"
            )

    def _check_canaries(self, beside: QdrantStore, site: str) -> None:
        canaries = self._canaries.get(site, [])
        targets = Targets(self._session.ledger, self._session.archive, [site])
        ranking = make_ranking(self._session.settings)
        dead = run_canaries(canaries, beside, self._indexer.encoders, site, targets, ranking)
        if dead:
            lines = "\n".join(f"  {canary}" for canary in dead)
            raise NotSwitched(
                f"{len(dead)} of {len(canaries)} canaries of {site} are not answered by the new collection:\n{lines}\n"
                f"Readers still use {self.previous}. Set the embedder back, or mend the canaries, and run the same "
                f"command again: what was built and embedded is kept"
            )

    def _finish(self, run: RunRow, filled: _Filled, other: SiteState | None) -> Renewal:
        publishes, now = self._session.ledger.publishes, self._session.now()
        manifest = publishes.open_manifest(run, now)
        if other is None:
            publishes.moved(run.site, manifest, filled.publications, now)
        else:
            items = [*filled.publications, *(page.withdrawal for page in other.leaving)]
            publishes.record(run.site, manifest, items, now, other.rows)
        publishes.complete_manifest(manifest, now)
        pages, chunks, figures = len(filled.publications), len(filled.point_ids), filled.figures
        self._session.finish(run.site, {"changed": pages}, figures.as_dict())
        return Renewal(
            site=run.site,
            kind=run.kind,
            pages=pages,
            changed=pages,
            chunks_before=chunks,
            chunks_after=chunks,
            synced=figures.synced,
            embedded=figures.embedded,
            reused=figures.reused,
            collection=self.physical,
            previous=self.previous,
        )


def _foreign(store: QdrantStore, sites: Sequence[str]) -> int:
    """Points of other sites."""
    return store.count() - sum(map(store.count, sites))
