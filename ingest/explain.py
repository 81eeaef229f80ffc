"""Why a page is in the collection as it is, or why it is not: all that ledger and archive know about one URL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.archive import Damaged
from ingest.identity import identify
from ingest.page_records import read_record

if TYPE_CHECKING:
    from ingest.archive import Archive
    from ingest.ledger import Ledger
    from ingest.ledger.bills import Spending
    from ingest.ledger.rows import Decision, PageRow, VariantKind
    from ingest.page_records import PageRecord
    from wrac.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Explanation:
    """One URL in one site."""

    row: PageRow
    """Outcome, reason, state, what the server sent, point ids."""
    variants: tuple[tuple[str, VariantKind], ...]
    """Other URLs of the page."""
    decisions: tuple[Decision, ...]
    """What was decided about it, newest first, with the evidence."""
    recipe: Recipe | None
    """What made the record."""
    record: PageRecord | None
    """Removals, Markdown, units, plan and chunks; None where nothing was kept."""
    spent: tuple[Spending, ...] = ()
    """What models have billed for this page alone, by purpose and model."""
    damage: str = ""
    """Why the record cannot be read though there should be one."""


def explain_url(ledger: Ledger, archive: Archive, url: str) -> list[Explanation]:
    """What is known about a URL, in each site that met it; empty where none did. Spellings of one page are one."""
    key = identify(url)
    rows = (ledger.pages.get(site, key) for site in ledger.runs.sites())
    return [_explain(ledger, archive, row) for row in rows if row is not None]


def _explain(ledger: Ledger, archive: Archive, row: PageRow) -> Explanation:
    record, damage = None, ""
    if row.record:
        try:
            record = read_record(archive, row.record)
        except Damaged as error:
            damage = str(error)
    return Explanation(
        row=row,
        variants=tuple(ledger.pages.variants(row.site, row.page_id)),
        decisions=tuple(ledger.pages.decisions(row.site, row.page_id)),
        recipe=ledger.runs.recipe(row.recipe) if row.recipe else None,
        record=record,
        spent=tuple(ledger.bills.of_page(row.site, row.page_id)),
        damage=damage,
    )
