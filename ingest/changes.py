"""From one row of a page to the next: pure functions of what came, what was known and what was decided."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ingest.identity import identify
from ingest.ledger.rows import PageRow, PageState
from ingest.recrawl import Action, next_visit
from wrac.records import FetchedPage, Outcome, Validators

if TYPE_CHECKING:
    from ingest.gather import GatheredPage
    from ingest.ledger.rows import RunRow
    from ingest.recrawl import Verdict
    from wrac.config import SiteProfile
    from wrac.recipe import Recipes

_DEFINITE = frozenset(
    {
        Outcome.GONE,
        Outcome.NOINDEX,
        Outcome.REDIRECTED,
        Outcome.DUPLICATE,
        Outcome.LANGUAGE,
        Outcome.OUT_OF_SCOPE,
    }
)
"""Outcomes after which a page that was gathered and never published must not be published either."""


def timestamp(moment: datetime) -> str:
    """A time as the ledger keeps it: ISO 8601, UTC, whole seconds."""
    return moment.isoformat(timespec="seconds")


def met(known: PageRow | None, *, site: str, page_id: str, url: str, run: RunRow, depth: int, now: str) -> PageRow:
    """The row of a URL that this run met, before anything is decided. What was published stays as it is."""
    row = known or PageRow(site=site, page_id=page_id, url=url, first_seen=now)
    return replace(row, run_id=run.run_id, depth=depth, last_seen=now, variant_of="")


def fetched(row: PageRow, page: FetchedPage) -> PageRow:
    """The row with what the server sent along with content that is taken in."""
    return replace(
        row,
        status=page.status,
        content_type=page.content_type,
        etag=page.validators.etag,
        last_modified=page.validators.last_modified,
        fetched_at=timestamp(page.fetched_at),
    )


def gathered(row: PageRow, result: GatheredPage, recipes: Recipes) -> PageRow:
    """The row with what the stages made of the body."""
    return replace(
        row,
        declared_canonical=result.canonical,
        body_digest=result.body_digest,
        record=result.record,
        markdown_digest=result.markdown_digest,
        facts=result.facts,
        recipe=recipes.made_by(result.converter, waits=result.waits).digest,
        title=result.title,
        language=result.language,
        chunks=result.chunks,
        tokens=result.tokens,
        links=result.links,
    )


def looked_at(row: PageRow, result: GatheredPage) -> PageRow:
    """The row of a page whose body gave nothing to index: only one that has no content yet learns from that."""
    return (
        row if row.record or row.point_ids else replace(row, body_digest=result.body_digest, language=result.language)
    )


def as_fetched(row: PageRow, body: bytes) -> FetchedPage:
    """The response that a page was taken in from last, put together from ledger and archive."""
    return FetchedPage(
        url=row.url,
        final_url=row.url,
        status=row.status,
        content_type=row.content_type,
        body=body,
        fetched_at=datetime.fromisoformat(row.fetched_at),
        body_digest=row.body_digest,
        validators=Validators(row.etag, row.last_modified),
        link_canonical=row.declared_canonical if identify(row.declared_canonical) != row.page_id else "",
    )


def decided(row: PageRow, verdict: Verdict, outcome: Outcome, site: SiteProfile, now: datetime) -> PageRow:
    """The row after a verdict: state, outcome, counters and the next visit."""
    action = verdict.action
    interval, due = next_visit(row, action, site, now)
    seen = action in (Action.NEW, Action.RESTORE, Action.UPDATE, Action.REFRESH, Action.TOUCH)
    is_doubt = action in (Action.KEEP, Action.MISSING)
    missed = action is Action.MISSING or (action is Action.TOMBSTONE and outcome is Outcome.GONE)
    return replace(
        row,
        state=_state(row, action, outcome),
        outcome=outcome,
        reason=_told(verdict),
        misses=0 if seen else row.misses + missed,
        failures=0 if seen else row.failures + is_doubt,
        changes=row.changes + (action in (Action.UPDATE, Action.REFRESH)),
        interval_seconds=interval,
        due_at=due,
    )


def _state(row: PageRow, action: Action, outcome: Outcome) -> PageState:
    match action:
        case Action.NEW | Action.RESTORE | Action.UPDATE | Action.REFRESH:
            return PageState.GATHERED
        case Action.TOMBSTONE:
            return PageState.LEAVING
        case Action.TOUCH | Action.KEEP | Action.MISSING | Action.SKIP:
            return PageState.GATHERED if _waits(row) else PageState.LIVE
    if _waits(row) and outcome not in _DEFINITE:
        return PageState.GATHERED
    if row.variant_of and outcome is Outcome.DUPLICATE:
        return PageState.VARIANT
    return PageState.TOMBSTONE if row.tombstoned_at else PageState.MET


def _waits(row: PageRow) -> bool:
    """Whether content was gathered before that no publish has had yet, or that the collection has lost."""
    return row.state is PageState.GATHERED and row.record != ""


def _told(verdict: Verdict) -> str:
    if verdict.evidence and verdict.action not in (Action.UPDATE, Action.REFRESH):
        return f"{verdict.reason} ({verdict.evidence})"
    return verdict.reason


def held(row: PageRow, canonical: str, reason: str) -> PageRow:
    """The row of a page with content that waits until the fate of another URL is known."""
    return replace(
        row, state=PageState.HELD, outcome=Outcome.DUPLICATE, declared_canonical=canonical, reason=reason, misses=0
    )


def published_version(row: PageRow) -> PageRow:
    """The row of a published page, its gathered columns those of what is published."""
    return replace(
        row,
        record=row.published_record,
        markdown_digest=row.published_markdown,
        facts=row.published_facts,
        recipe=row.published_recipe,
        tokens=row.published_tokens,
        chunks=len(row.point_ids),
    )


def as_published(row: PageRow) -> PageRow:
    """The row of a published page without the content that was gathered since; what came with that is not known."""
    return replace(published_version(row), body_digest="", etag="", last_modified="")


def redirects(row: PageRow, reason: str) -> PageRow:
    """The row of a published page whose URL redirects: it stays until the fate of the target is known."""
    state = PageState.GATHERED if _waits(row) else PageState.LIVE
    return replace(row, state=state, outcome=Outcome.REDIRECTED, reason=reason, interval_seconds=0, due_at="")


def is_published(known: PageRow) -> bool:
    """Whether the collection holds what was gathered last."""
    return (
        known.state in (PageState.LIVE, PageState.LEAVING)
        and known.point_ids != ()
        and known.record != ""
        and known.published_markdown == known.markdown_digest
        and known.published_facts == known.facts
        and known.published_recipe == known.recipe
    )


def is_settled(known: PageRow) -> bool:
    """Whether a look at the same body again would decide nothing new: published, or a variant of what is."""
    return is_published(known) or (known.state is PageState.VARIANT and known.record != "" and known.variant_of != "")


def is_untouched(known: PageRow, page: FetchedPage, recipes: Recipes) -> bool:
    """Whether the same bytes, made into chunks by a recipe of today, were settled before.

    Headers that may forbid indexing are no part of the body, so a response that has one is looked at.
    """
    return (
        is_settled(known)
        and known.body_digest == page.body_digest
        and known.recipe in recipes.digests
        and not page.robots_tag
        and not page.link_canonical
    )
