"""What ``ingest.check`` found is mended from the archive: nothing is fetched, nothing is embedded, no page is lost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from indexing import SyncResult, sync_page
from ingest.check import Rule
from ingest.indexer import CollectionIndexer
from ingest.ledger.rows import Publication, RunKind
from ingest.maintenance.placing import PointMaker
from wrac.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexing import QdrantStore
    from ingest.check import Checked
    from ingest.maintenance.placing import PlacedPage
    from ingest.maintenance.session import Session

MOST_UNKNOWN = 0.1
"""Share of a site's points that may go though the ledger never met their pages: more means another ledger."""


@dataclass(slots=True)
class Repaired:
    """What was done."""

    pages: int = 0
    """Pages written again from the archive."""
    synced: SyncResult = SyncResult()  # noqa: RUF009 - frozen
    orphans: int = 0
    """Points deleted."""
    ledger: int = 0
    """Pages and manifests that the ledger now tells right."""
    forgotten: int = 0
    """Pages that the next crawl fetches whole, because the archive lost what they were made into."""
    left: str = ""
    """Why orphans were left."""


def repair_site(session: Session, checked: Checked) -> Repaired:
    """Pages are in the collection as they were published, and orphans that are proven to be are gone.

    A site with an unfinished run keeps its orphans: they may wait for their page. Raises ``StoreError``,
    ``TransientError``; the same command goes on.
    """
    done = Repaired()
    told_otherwise = {each.page_id for each in checked.violations if each.rule is Rule.OTHER_MANIFEST}
    publications: list[Publication] = []
    for recipe, versions in checked.broken.items():
        indexer = CollectionIndexer.from_archive(session.settings, checked.collection, recipe)
        maker = PointMaker(session.ledger, session.archive, indexer)
        for portion in maker.place(versions):
            session.patiently(partial(_write, indexer, checked.site, portion, done))
            publications += [page.publication for page in portion if page.row.page_id in told_otherwise]
    if any(each.rule is Rule.ORPHANS for each in checked.violations):
        session.patiently(partial(_delete_orphans, session, checked, done))
    _fetch_again(session, checked, done)
    written = {publication.page_id for publication in publications}
    publications += [_as_published(session, checked.site, page_id) for page_id in sorted(told_otherwise - written)]
    _tell(session, checked, publications, done)
    return done


def _write(indexer: CollectionIndexer, site: str, portion: Sequence[PlacedPage], done: Repaired) -> None:
    with indexer.open() as store:
        for page in portion:
            done.synced += sync_page(store, site, page.row.page_id, page.points)
            done.pages += 1


def _delete_orphans(session: Session, checked: Checked, done: Repaired) -> None:
    if checked.unfinished:
        done.left = f"a run is unfinished, and they may wait for their page: wrac crawl {checked.site}"
        return
    with CollectionIndexer(session.settings, checked.collection).store() as store:
        known, unknown = _orphans(session, checked.site, store)
        if len(unknown) > MOST_UNKNOWN * max(1, checked.points):
            done.left = (
                f"{len(unknown)} of {checked.points} points belong to pages that this ledger never met. If it is the "
                f"right one: wrac crawl {checked.site} meets them again; else set ledger in wrac.toml"
            )
            unknown = []
        chosen = known + unknown
        store.delete(chosen)
        if store.existing(chosen):
            raise StoreError(f"orphans of {checked.site} were deleted but are in the collection: run again")
        done.orphans = len(chosen)


def _orphans(session: Session, site: str, store: QdrantStore) -> tuple[list[str], list[str]]:
    """Points of pages that are not published, as it is now: of pages that the ledger met, and of others."""
    known: list[str] = []
    unknown: list[str] = []
    for page_id, points in store.site_digests(site).items():
        row = session.ledger.pages.get(site, page_id)
        if row is None:
            unknown += points
        elif not row.point_ids:
            known += points
    return known, unknown


def _fetch_again(session: Session, checked: Checked, done: Repaired) -> None:
    """Neither a due date nor a validator keeps the next crawl from reading a page whose record is lost."""
    for page_id in {each.page_id for each in checked.violations if each.rule is Rule.NO_RECORD}:
        row = session.ledger.pages.get(checked.site, page_id)
        if row is not None:
            session.ledger.pages.save(replace(row, etag="", last_modified="", body_digest="", due_at=""))
            done.forgotten += 1
    session.ledger.pages.flush()


def _as_published(session: Session, site: str, page_id: str) -> Publication:
    """The publication that says what the page's row says."""
    row = session.ledger.pages.get(site, page_id)
    if row is None or not row.point_ids:
        return Publication(page_id, "", "", "", (), withdrawn=True)
    return Publication.of_published(row)


def _tell(session: Session, checked: Checked, publications: list[Publication], done: Repaired) -> None:
    """The manifests say what is in the collection, and those of finished runs are complete."""
    ledger = session.ledger
    open_ones = [each for each in ledger.publishes.history(checked.site) if not each.completed_at]
    if publications:
        last = ledger.runs.last(checked.site)
        recipe = ledger.runs.recipe(last.recipe) if last else None
        if recipe is None:
            raise StoreError(f"the ledger has lost the recipe of the last run of {checked.site}: crawl it again")
        run = session.begin(checked.site, RunKind.REPAIR, recipe)
        manifest = ledger.publishes.open_manifest(run, session.now())
        ledger.publishes.record(checked.site, manifest, publications, session.now())
        ledger.publishes.complete_manifest(manifest, session.now())
        session.finish(checked.site, {"repaired": len(publications)}, {})
    if any(each.rule is Rule.OPEN_MANIFEST for each in checked.violations):
        for each in open_ones:
            ledger.publishes.complete_manifest(each.manifest_id, session.now())
            done.ledger += 1
    done.ledger += len(publications)
