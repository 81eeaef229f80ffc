"""A site made anew from the archive, from the stage on that its recipe changed in, and published page by page.

    reconvert  from the bodies           filters, converter and all that follows
    replan     from the Markdown         unit tree, plan, chunks and all that follows
    reembed    from the chunks           vectors and payloads

A page keeps what it has until its new version is whole, and is left alone where that is doubtful. Running twice is a
no-op, and a command that was killed goes on where it stopped: the recipe of each page says what it was made with.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from indexing import SyncResult, sync_page
from ingest.archive import Kind
from ingest.gather import find_record
from ingest.ledger.rows import PageState, RunKind
from ingest.maintenance.placing import PointMaker
from ingest.maintenance.remake import ModelPlans, Remade, Workers
from ingest.page_settings import PageSettings
from ingest.planning_stage import SitePlanning
from wrac.errors import LossGuard
from wrac.recipe import Recipe, Recipes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ingest.bill import Account
    from ingest.indexer import CollectionIndexer
    from ingest.ledger.rows import PageRow, RunRow
    from ingest.maintenance.placing import PlacedPage
    from ingest.maintenance.session import Session
    from wrac.config import SiteProfile

UNKNOWN = Recipe("unknown", "unknown", "unknown")
"""Of a page whose recipe the ledger has lost."""
NOTHING_SYNCED = SyncResult()


@dataclass(frozen=True, slots=True)
class Renewal:
    """What was done to one site, or would be."""

    site: str
    kind: RunKind
    pages: int
    """Pages in the collection."""
    changed: int = 0
    """Pages that were published anew."""
    chunks_before: int = 0
    chunks_after: int = 0
    """Of the changed pages."""
    synced: SyncResult = NOTHING_SYNCED
    embedded: int = 0
    """Texts that the embedder read."""
    reused: int = 0
    """Texts whose vectors were in the archive."""
    kept: tuple[tuple[str, str], ...] = ()
    """Pages that stay as they are on doubt: URL and reason."""
    waiting: int = 0
    """Pages left alone because a crawl gathered another version that is not published yet."""
    collection: str = ""
    """The collection that readers were switched to; empty where it is the same as before."""
    previous: str = ""
    """The one that they used before; it is kept."""


class Renewer:
    """Makes one site anew."""

    def __init__(self, session: Session, site: SiteProfile, kind: RunKind, indexer: CollectionIndexer) -> None:
        """``indexer`` is prepared. Raises ``ConfigError`` where planning cannot begin."""
        self.kind = kind
        self.site = site
        self.page_settings = PageSettings.of(session.settings, site)
        self._session = session
        self._indexer = indexer
        planning = self.page_settings.planning
        if kind is not RunKind.REEMBED:
            limits = self.page_settings.limits
            planning = SitePlanning(site, session.settings, limits, os.environ, by_rule=planning).recipe
        self.recipe = Recipe(self.page_settings.conversion, planning, indexer.recipe)
        self._recipes = Recipes.of(self.recipe, self.page_settings.document_conversions)
        self.published = list(session.ledger.pages.published(site.name))
        self.waiting = [row for row in self.published if row.state is not PageState.LIVE]
        """Published pages of which a crawl knows something newer that is not published."""

    def stale(self) -> list[PageRow]:
        """Pages whose recipe is not what it would be today; to be embedded, also those whose vectors were lost."""
        live = (row for row in self.published if row.state is PageState.LIVE)
        return [row for row in live if self.target(row).digest != row.published_recipe or self._lacks_vectors(row)]

    def _lacks_vectors(self, row: PageRow) -> bool:
        if self.kind is not RunKind.REEMBED or (record := find_record(self._session.archive, row.record)) is None:
            return False
        keys = self._indexer.keys([chunk.embed_text for chunk in record.chunks])
        found = self._session.ledger.publishes.find_vectors(keys)
        return any(key not in found or not self._session.archive.has(Kind.VECTORS, found[key]) for key in keys)

    def target(self, row: PageRow) -> Recipe:
        """The recipe of the page after this command: what stands before its stage stays as it was."""
        made_with = self._session.ledger.runs.recipe(row.published_recipe) or UNKNOWN
        if self.kind is RunKind.RECONVERT:
            return self._recipes.like(made_with)
        if self.kind is RunKind.REPLAN:
            return replace(self.recipe, conversion=made_with.conversion)
        return replace(self.recipe, conversion=made_with.conversion, planning=made_with.planning)

    def remade(self, rows: Sequence[PageRow], target_archive: str, account: Account | None) -> Iterator[Remade]:
        """The pages with new records in an archive, and their new recipes; by rule alone without an ``account``."""
        if self.kind is RunKind.REEMBED:
            made: Iterator[Remade] = (Remade(row, row) for row in rows)
        else:
            workers = Workers(self._session.settings, self.page_settings, self._session.archive, target_archive)
            made = workers.reconverted(rows) if self.kind is RunKind.RECONVERT else workers.replanned(rows)
            if self.site.planner != "rule" and account is not None:
                session = self._session
                plans = ModelPlans(
                    session.settings,
                    self.page_settings,
                    session.ledger,
                    session.archive,
                    account,
                    self.recipe.planning,
                )
                made = plans.replanned(made)
        for page in map(self._on_doubt, made):
            yield page if page.after is None else replace(page, after=self._labelled(page, page.after))

    def _on_doubt(self, page: Remade) -> Remade:
        """A page that all but vanishes is kept as it is."""
        before, after = page.before, page.after
        if after is not None and after.tokens < self.site.keep_below * before.published_tokens:
            reason = f"hardly any content would be left: {after.tokens} of {before.published_tokens} tokens"
            return Remade(before, None, reason)
        return page

    def _labelled(self, page: Remade, after: PageRow) -> PageRow:
        recipe = self.target(page.before)
        if self.kind is RunKind.RECONVERT and self.page_settings.transcriber and recipe != self.recipe:
            # A document by its own converter: the next crawl looks again and has it transcribed.
            recipe = self._recipes.made_by(recipe.conversion, waits=True)
        if page.unasked:
            from ingest.planning import provisional  # noqa: PLC0415 - as in ``ModelPlans``

            recipe = provisional(recipe)
        self._session.ledger.runs.add_recipe(recipe)
        return replace(after, recipe=recipe.digest)


def renew(renewer: Renewer, session: Session, indexer: CollectionIndexer, *, accept_loss: bool = False) -> Renewal:
    """The pages of the site whose recipe changed are published anew, under one manifest.

    Raises ``LossGuard`` where a site would lose too much of its content at once, before anything is published;
    ``StoreError``, ``TransientError``, after which the same command goes on.
    """
    site = renewer.site.name
    run = session.begin(site, renewer.kind, renewer.recipe)
    session.patiently(partial(_check_layout, indexer))
    account = session.account(run)
    remade = list(renewer.remade(renewer.stale(), session.settings.archive_url, account))
    if not accept_loss:
        _check_loss(renewer, remade)
    versions = [page.after for page in remade if page.after is not None]
    maker = PointMaker(session.ledger, session.archive, indexer)
    changed = 0
    for portion in maker.place(versions):
        account.embedded(indexer.usage)
        session.patiently(partial(_publish, session, indexer, run, portion, maker))
        changed += len(portion)
    kept = _kept(remade, maker)
    failed = {row.page_id for row, _ in maker.failures}
    done = Renewal(
        site=site,
        kind=renewer.kind,
        pages=len(renewer.published),
        changed=changed,
        chunks_before=sum(len(p.before.point_ids) for p in remade if p.after and p.before.page_id not in failed),
        chunks_after=sum(row.chunks for row in versions if row.page_id not in failed),
        synced=maker.figures.synced,
        embedded=maker.figures.embedded,
        reused=maker.figures.reused,
        kept=tuple(kept),
        waiting=len(renewer.waiting),
    )
    if changed:
        manifest = session.ledger.publishes.open_manifest(run, session.now())
        session.ledger.publishes.complete_manifest(manifest, session.now())
    session.finish(site, {"changed": changed, "kept": len(kept)}, maker.figures.as_dict(), exit_code=3 if kept else 0)
    return done


def _kept(remade: Sequence[Remade], maker: PointMaker) -> list[tuple[str, str]]:
    """URL and reason of each page that stays as it is."""
    kept = [(page.before.url, page.reason) for page in remade if page.after is None]
    return kept + [(row.url, reason) for row, reason in maker.failures]


def _check_layout(indexer: CollectionIndexer) -> None:
    """Raises ``StoreError`` where the collection is one of another embedder or layout."""
    with indexer.open():
        pass


def _publish(
    session: Session, indexer: CollectionIndexer, run: RunRow, portion: list[PlacedPage], maker: PointMaker
) -> None:
    """The pages are in the collection and in the ledger; those that were written before an error are in both, too."""
    done: list[PlacedPage] = []
    try:
        with indexer.open() as store:
            for page in portion:
                maker.figures.synced += sync_page(store, run.site, page.row.page_id, page.points)
                done.append(page)
    finally:
        record(session, run, done)


def record(session: Session, run: RunRow, placed: Sequence[PlacedPage]) -> None:
    """Ledger and manifest say that these versions are in the collection."""
    if not placed:
        return
    ledger = session.ledger
    manifest = ledger.publishes.open_manifest(run, session.now())
    publications = [page.publication for page in placed]
    ledger.publishes.record(run.site, manifest, publications, session.now(), [page.row for page in placed])


def _check_loss(renewer: Renewer, remade: Sequence[Remade]) -> None:
    before = sum(row.published_tokens for row in renewer.published)
    lost = sum(max(0, p.before.published_tokens - p.after.tokens) for p in remade if p.after is not None)
    limit = renewer.site.loss_guard
    if before and lost / before > limit:
        raise LossGuard(
            f"to {renewer.kind} {renewer.site.name} would lose {lost / before:.0%} of its content; the limit is "
            f"{limit:.0%} (loss_guard of the site profile). Nothing was changed in the collection. "
            f"If that is right: wrac {renewer.kind} {renewer.site.name} --accept-loss. If not: look at what the "
            f"profile removes (strip, main) and at the converter"
        )
