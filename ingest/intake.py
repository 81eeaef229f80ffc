"""What the ledger learns from a response: pure functions from what came and what was known to the new row."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ingest.ledger.rows import PageRow, PageState
from wrac.records import Outcome

if TYPE_CHECKING:
    from datetime import datetime

    from ingest.gather import GatheredPage
    from ingest.ledger.rows import RunRow
    from wrac.recipe import Recipe
    from wrac.records import FetchedPage, PageOutcome


def timestamp(moment: datetime) -> str:
    """A time as the ledger keeps it: ISO 8601, UTC, whole seconds."""
    return moment.isoformat(timespec="seconds")


def met(known: PageRow | None, *, site: str, page_id: str, url: str, run: RunRow, depth: int, now: str) -> PageRow:
    """The row of a URL that this run met, before its outcome is known. What was published stays as it is."""
    row = known or PageRow(site=site, page_id=page_id, url=url, first_seen=now)
    return replace(row, run_id=run.run_id, depth=depth, last_seen=now, variant_of="")


def ended(row: PageRow, outcome: PageOutcome) -> PageRow:
    """The row of a URL that ended without anything to index. A page in the collection stays there, on doubt."""
    waits = row.state is PageState.GATHERED and row.record != ""
    is_live = row.state is PageState.LIVE or bool(row.point_ids)
    state = PageState.GATHERED if waits else PageState.LIVE if is_live else PageState.MET
    return replace(row, outcome=outcome.outcome, reason=outcome.reason, state=state)


def fetched(row: PageRow, page: FetchedPage) -> PageRow:
    """The row with what the server sent."""
    return replace(
        row,
        status=page.status,
        content_type=page.content_type,
        etag=page.validators.etag,
        last_modified=page.validators.last_modified,
        fetched_at=timestamp(page.fetched_at),
    )


def gathered(row: PageRow, result: GatheredPage, recipe: Recipe) -> PageRow:
    """The row with what the stages made of the body."""
    return replace(
        row,
        declared_canonical=result.canonical,
        body_digest=result.body_digest,
        record=result.record,
        markdown_digest=result.markdown_digest,
        recipe=recipe.digest,
        title=result.title,
        language=result.language,
        chunks=result.chunks,
        tokens=result.tokens,
        links=result.links,
    )


def is_published(known: PageRow) -> bool:
    """Whether the collection holds what was gathered last."""
    return (
        known.state is PageState.LIVE
        and known.record != ""
        and known.published_markdown == known.markdown_digest
        and known.published_recipe == known.recipe
    )


def is_untouched(known: PageRow, page: FetchedPage, recipe: Recipe) -> bool:
    """Whether the same bytes, made into chunks by the same recipe, are in the collection already.

    Headers that may forbid indexing are no part of the body, so a response that has one is looked at.
    """
    return (
        is_published(known)
        and known.body_digest == page.body_digest
        and known.recipe == recipe.digest
        and not page.robots_tag
        and not page.link_canonical
    )


def is_unchanged(known: PageRow | None, row: PageRow) -> bool:
    """Whether the collection holds this very Markdown, made into chunks by this very recipe."""
    return (
        known is not None
        and known.state is PageState.LIVE
        and known.published_markdown == row.markdown_digest != ""
        and known.published_recipe == row.recipe
    )


def to_index(row: PageRow, known: PageRow | None, own_canonical: bool) -> PageRow:
    """The row of a page with content: unchanged, waiting for its canonical, or waiting to be published."""
    if not own_canonical:
        reason = f"declares the canonical {row.declared_canonical}; settled when the crawl ends"
        return replace(row, state=PageState.HELD, outcome=Outcome.DUPLICATE, reason=reason)
    if is_unchanged(known, row):
        return replace(row, state=PageState.LIVE, outcome=Outcome.UNCHANGED, reason="same Markdown and recipe")
    return replace(row, state=PageState.GATHERED, outcome=Outcome.INDEXED, reason="")


def variant(row: PageRow, of_page: str, reason: str) -> PageRow:
    """The row of a page that is known under another URL."""
    return replace(row, state=PageState.VARIANT, outcome=Outcome.DUPLICATE, variant_of=of_page, reason=reason)
