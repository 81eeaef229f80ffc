"""Bringing what is stored for one page in line with its points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexing.layout import DIGEST_KEY, VECTORS_KEY
from wrac.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wrac.protocols import Store
    from wrac.records import Point


@dataclass(frozen=True, slots=True)
class SyncResult:
    """Points of one page, by what happened to them."""

    kept: int = 0
    """Stored as they are."""
    refreshed: int = 0
    """Payload replaced, vectors kept."""
    upserted: int = 0
    deleted: int = 0

    def __add__(self, other: SyncResult) -> SyncResult:
        return SyncResult(
            self.kept + other.kept,
            self.refreshed + other.refreshed,
            self.upserted + other.upserted,
            self.deleted + other.deleted,
        )


def sync_page(store: Store, site: str, page_id: str, points: Sequence[Point]) -> SyncResult:
    """Afterwards exactly ``points`` are stored for the page; no points means that the page is gone.

    New and changed points are written and verified before a stale one is deleted, so that a search never misses the
    page and a crash at any moment is mended by running again. Raises ``StoreError``, ``TransientError``.
    """
    stored = store.page_digests(site, page_id)
    wanted = {point.id: point for point in points}
    changed = [p for p in points if p.id not in stored or stored[p.id].vectors != p.payload[VECTORS_KEY]]
    written = {point.id for point in changed}
    refreshed = {
        key: point.payload
        for key, point in wanted.items()
        if key not in written and stored[key].payload != point.payload[DIGEST_KEY]
    }
    if changed:
        store.upsert(changed)
        missing = written - store.existing(sorted(written))
        if missing:
            raise StoreError(
                f"{len(missing)} of {len(written)} points of page {page_id} ({site}) were acknowledged but are not in "
                "the collection; nothing was deleted, run again"
            )
    if refreshed:
        store.set_payload(refreshed)
    stale = stored.keys() - wanted.keys()
    if stale:
        store.delete(stale)
    kept = len(wanted) - len(written) - len(refreshed)
    return SyncResult(kept=kept, refreshed=len(refreshed), upserted=len(written), deleted=len(stale))
