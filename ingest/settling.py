"""The end of a crawl for pages that declare another canonical: by now it is known what became of that."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ingest import intake
from ingest.archive import Damaged, Kind
from ingest.canonicals import HeldPage, settle, shared_content
from ingest.codec import decode
from ingest.identity import identify
from ingest.ledger.rows import INDEXED_STATES, Decision, PageState, VariantKind
from ingest.page import PageRecord
from wrac.records import Outcome

if TYPE_CHECKING:
    from ingest.archive import Archive
    from ingest.canonicals import Verdict
    from ingest.ledger import Ledger
    from ingest.ledger.rows import PageRow, RunRow
    from wrac.records import UnitTree


def settle_held_pages(ledger: Ledger, archive: Archive, run: RunRow, now: str) -> list[PageRow]:
    """No page of the site is held any more; returns those that are to be published, in order of URL."""
    held = {row.page_id: row for row in ledger.pages.in_state(run.site, PageState.HELD)}
    pages = [
        HeldPage(row.page_id, row.url, identify(row.declared_canonical), row.declared_canonical)
        for row in held.values()
    ]

    def is_indexed(page_id: str) -> bool:
        row = ledger.pages.get(run.site, page_id)
        return row is not None and row.state in INDEXED_STATES

    def shared(page_id: str, canonical_id: str) -> float:
        trees = [_tree(ledger, archive, run.site, key) for key in (page_id, canonical_id)]
        return shared_content(*trees) if None not in trees else 0.0  # type: ignore[arg-type]

    to_publish = []
    for verdict in settle(pages, is_indexed, shared):
        row = _apply(ledger, run, held[verdict.page.page_id], verdict, now)
        if row.state is PageState.GATHERED:
            to_publish.append(row)
    ledger.pages.flush()
    return sorted(to_publish, key=lambda row: row.url)


def _apply(ledger: Ledger, run: RunRow, row: PageRow, verdict: Verdict, now: str) -> PageRow:
    if verdict.variant_of:
        row = intake.variant(row, verdict.variant_of, verdict.reason)
        ledger.pages.add_variant(run.site, row.url, verdict.variant_of, VariantKind.CANONICAL, run.run_id)
    elif row.published_markdown == row.markdown_digest != "" and row.published_recipe == row.recipe:
        row = replace(row, state=PageState.LIVE, outcome=Outcome.UNCHANGED, reason=verdict.reason)
    else:
        row = replace(row, state=PageState.GATHERED, outcome=Outcome.INDEXED, reason=verdict.reason)
    name = "variant" if verdict.variant_of else "own page"
    ledger.pages.save(row)
    ledger.pages.add_decision(run.site, Decision(run.run_id, row.page_id, name, verdict.reason, verdict.evidence, now))
    return row


def _tree(ledger: Ledger, archive: Archive, site: str, page_id: str) -> UnitTree | None:
    row = ledger.pages.get(site, page_id)
    if row is None:
        return None
    try:
        return decode(PageRecord, archive.get(Kind.PAGE, row.record)).tree
    except (Damaged, ValueError):
        return None
