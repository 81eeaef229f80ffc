"""What archive and ledger need no longer keep.

Kept is what the pages of all sites are now, what is gathered and not published, and the states after the last manifests
of each site; all of it with bodies, vectors and the collections that it lies in. Everything else goes. On doubt nothing
does: while a site is being crawled, where a run may go on elsewhere, and vectors where some record cannot be read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from indexing import open_store
from ingest.archive import Kind
from ingest.indexer import IndexingRecipe
from ingest.ledger import Ledger
from ingest.ledger.rows import RunState
from ingest.maintenance.reach import vectors_of
from ingest.maintenance.session import open_session, unknown_site
from wrac.errors import StoreLocked

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ingest.ledger.erasing import References
    from ingest.ledger.rows import Manifest
    from ingest.maintenance.session import Session
    from wrac.config import Settings

DEFAULT_KEEP = 2


@dataclass(slots=True)
class Pruned:
    """What was deleted, or would be."""

    dry_run: bool = False
    manifests: int = 0
    replies: int = 0
    """Planning replies for pages that are not known any more."""
    collections: list[str] = field(default_factory=list)
    """Collections that were built for an earlier embedder or layout."""
    objects: dict[str, int] = field(default_factory=dict)
    """Archive objects by kind."""
    bytes: int = 0
    """Freed in the archive."""
    doubts: list[str] = field(default_factory=list)
    """Why something was kept that may not be needed."""


def prune(settings: Settings, site: str = "", keep: int = DEFAULT_KEEP, *, dry_run: bool = False) -> Pruned:
    """Nothing is kept that neither today's state nor the last ``keep`` manifests need.

    Of other sites than ``site``, where it is given, all manifests count. Raises ``StoreLocked`` where a site of the
    ledger is being crawled, since its objects are known to no ledger yet.
    """
    with Ledger(settings.ledger_url) as ledger:
        sites = ledger.runs.sites()
        if site and site not in sites:
            raise unknown_site(ledger, site)
    with open_session(settings, sites) as session:
        work = _Pruning(session, [site] if site else sites, keep, dry_run=dry_run)
        return work.run()


class _Pruning:
    """One prune, with the locks of all sites held."""

    def __init__(self, session: Session, chosen: Iterable[str], keep: int, *, dry_run: bool) -> None:
        self._session = session
        self._ledger = session.ledger
        self._done = Pruned(dry_run=dry_run)
        self._kept: dict[str, list[Manifest]] = {site: _last(session.ledger, site, keep) for site in chosen}

    def run(self) -> Pruned:
        # Listed first: what is written from here on is not among it.
        stored = {kind: dict(self._session.archive.objects(kind)) for kind in Kind}
        self._refuse_on_doubt()
        roots = self._roots()
        self._drop_from_ledger()
        self._session.patiently(partial(self._drop_collections, self._layouts_of(roots)))
        self._delete(Kind.PAGE, stored[Kind.PAGE], roots.record_keys)
        self._delete(Kind.BODY, stored[Kind.BODY], roots.bodies)
        self._delete_vectors(stored[Kind.VECTORS], roots)
        return self._done

    def _refuse_on_doubt(self) -> None:
        new = set(self._ledger.runs.sites()) - set(self._session.sites)
        if new:
            raise StoreLocked(f"a crawl of {', '.join(sorted(new))} began meanwhile: nothing was deleted, run again")
        if self._session.settings.ledger_url.startswith("sqlite"):
            return
        for site in self._session.sites:  # locks bind this machine alone, a ledger on a server may be shared
            run = self._ledger.runs.last(site)
            if run is not None and run.state is RunState.RUNNING:
                raise StoreLocked(
                    f"run {run.run_id} of {site} has not ended by the ledger, and may go on on another machine: "
                    f"nothing was deleted. Wait for it; if it was killed, run its command again"
                )

    # ------------------------------------------------------------ what is needed

    def _roots(self) -> References:
        """All that pages are now, and all states that can be rolled back to."""
        ledger = self._ledger
        roots = ledger.erasing.references_of_pages()
        for site in self._session.sites:
            if site not in self._kept:
                others = ledger.erasing.references(lambda owner, _, site=site: owner == site)  # type: ignore[misc]
                roots.records.update(others.records)
                roots.bodies.update(others.bodies)
        for site, manifests in self._kept.items():
            for manifest in manifests:
                for page in ledger.publishes.state_after(site, manifest.manifest_id).values():
                    roots.add(page.record, page.recipe, page.body_digest)
        return roots

    def _layouts_of(self, roots: References) -> dict[str, set[str]]:
        """Collection -> physical names that some state lies in."""
        found: dict[str, set[str]] = {self._session.collection_of(site): set() for site in self._session.sites}
        for digest in {recipe for _, recipe in roots.records}:
            recipe = self._ledger.runs.recipe(digest)
            indexing = IndexingRecipe.parse(recipe.indexing) if recipe else None
            for collection, names in found.items():
                if indexing is not None:
                    names.add(indexing.collection_layout.physical_name(collection))
        return found

    # ------------------------------------------------------------ what goes

    def _drop_from_ledger(self) -> None:
        for site, manifests in self._kept.items():
            history = self._ledger.publishes.history(site)
            oldest = manifests[-1].manifest_id if manifests else 0
            self._done.manifests += sum(manifest.manifest_id < oldest for manifest in history)
            if not self._done.dry_run:
                self._ledger.erasing.drop_manifests(site, oldest)
        if not self._done.dry_run:
            self._done.replies = self._ledger.erasing.drop_lost_replies()

    def _drop_collections(self, needed: Mapping[str, set[str]]) -> None:
        settings = self._session.settings
        if (folder := settings.store_folder) is not None and not folder.exists():
            return
        for collection, names in needed.items():
            with open_store(settings, collection) as store:
                for physical in store.generations():
                    if physical in names or physical == store.physical():
                        continue
                    if not self._done.dry_run:
                        store.drop(physical)
                    self._done.collections.append(physical)

    def _delete_vectors(self, stored: Mapping[str, int], roots: References) -> None:
        reach = vectors_of(self._ledger, self._session.archive, roots.records)
        if reach.doubtful:
            self._done.doubts.append(
                f"all vectors are kept: {len(reach.doubtful)} records that are needed cannot be read, or nobody knows "
                f"how they were indexed (`wrac check` names their pages)"
            )
            return
        objects = self._ledger.erasing.vector_objects()
        needed = {name for key, name in objects.items() if key in reach.keys}
        lost = {key for key, name in objects.items() if name not in needed}
        self._delete(Kind.VECTORS, stored, needed)
        if not self._done.dry_run:
            self._ledger.erasing.drop_vectors(lost)

    def _delete(self, kind: Kind, stored: Mapping[str, int], needed: set[str]) -> None:
        for key in sorted(stored.keys() - needed):
            if not self._done.dry_run:
                self._session.archive.discard(kind, key)
            self._done.objects[kind.value] = self._done.objects.get(kind.value, 0) + 1
            self._done.bytes += stored[key]


def _last(ledger: Ledger, site: str, keep: int) -> list[Manifest]:
    """The last ``keep`` whole manifests of a site, newest first, and whatever broke off after the oldest of them."""
    history = ledger.publishes.history(site)
    whole = [manifest for manifest in history if manifest.completed_at][:keep]
    oldest = whole[-1].manifest_id if whole else 0
    return [manifest for manifest in history if manifest.manifest_id >= oldest]
