"""The end of a crawl for URLs that stand, or may stand, for another page: by now it is known what became of that."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ingest.canonicals import HeldPage, settle, shared_content
from ingest.gather import find_record
from ingest.identity import identify
from ingest.ledger.rows import PageState, VariantKind
from ingest.twins import stands_for_others

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ingest.archive import Archive
    from ingest.canonicals import Settlement
    from ingest.intake import Intake
    from ingest.ledger import Ledger
    from ingest.ledger.rows import PageRow, RunRow
    from wrac.records import UnitTree

_MOST_HOPS = 10


class Settling:
    """Pages that declare a canonical, copies, and redirects of one run."""

    def __init__(self, ledger: Ledger, archive: Archive, run: RunRow, intake: Intake) -> None:
        self._ledger = ledger
        self._archive = archive
        self._run = run
        self._intake = intake

    def settle(self) -> list[PageRow]:
        """No page of the site is held any more; returns those that are to be published, in order of URL."""
        settled = list(self._settle_held())
        self._settle_redirects()
        self._ledger.pages.flush()
        return sorted((row for row in settled if row.state is PageState.GATHERED), key=lambda row: row.url)

    def _settle_held(self) -> Iterator[PageRow]:
        held = {row.page_id: row for row in self._ledger.pages.in_state(self._run.site, PageState.HELD)}
        pages = [
            HeldPage(row.page_id, row.url, identify(row.declared_canonical), row.declared_canonical)
            for row in held.values()
        ]
        for settlement in settle(pages, self._is_indexed, self._shared):
            yield self._apply(held[settlement.page.page_id], settlement)

    def _settle_redirects(self) -> None:
        for row in self._ledger.pages.redirected(self._run.site, self._run.run_id):
            target = self._last_hop(row.variant_of)
            self._intake.redirects(replace(row, variant_of=target), self._indexed(target))

    def _last_hop(self, page_id: str) -> str:
        """The first indexed page on the way from here; where there is none, the end of the way."""
        for _ in range(_MOST_HOPS):
            via = self._ledger.pages.get(self._run.site, page_id)
            if via is None or not via.variant_of or stands_for_others(via):
                break
            page_id = via.variant_of
        return page_id

    def _apply(self, row: PageRow, settlement: Settlement) -> PageRow:
        page = self._ledger.pages.get(self._run.site, settlement.variant_of) if settlement.variant_of else None
        if page is None:
            return self._intake.stands_alone(replace(row, reason=settlement.reason))
        is_copy = row.markdown_digest == page.markdown_digest
        kind = VariantKind.IDENTICAL if is_copy else VariantKind.CANONICAL
        self._ledger.pages.add_variant(self._run.site, row.url, page.page_id, kind, self._run.run_id)
        reason = f"has the same text as {page.url}" if is_copy else f"{settlement.reason}: {settlement.evidence}"
        return self._intake.is_variant(row, page, reason)

    def _is_indexed(self, page_id: str) -> bool:
        return self._indexed(page_id) is not None

    def _indexed(self, page_id: str) -> PageRow | None:
        """The page, where it is in the collection by the end of the run and was found under its own URL."""
        row = self._ledger.pages.get(self._run.site, page_id)
        return row if row is not None and stands_for_others(row) else None

    def _shared(self, page_id: str, canonical_id: str) -> float:
        tree, canonical = self._tree(page_id), self._tree(canonical_id)
        return shared_content(tree, canonical) if tree is not None and canonical is not None else 0.0

    def _tree(self, page_id: str) -> UnitTree | None:
        row = self._ledger.pages.get(self._run.site, page_id)
        record = find_record(self._archive, row.record) if row is not None else None
        return record.tree if record is not None else None
