"""What the ledger says about a page, a run and a publish."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from wrac.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable


class PageState(StrEnum):
    """Where a page stands between the site and the collection."""

    MET = "met"
    """Nothing to index; the outcome says why."""
    HELD = "held"
    """Gathered; waits until the fate of the canonical that it declares is known."""
    GATHERED = "gathered"
    """In the archive, not yet in the collection."""
    LIVE = "live"
    """What was gathered last is in the collection."""
    LEAVING = "leaving"
    """In the collection; the evidence says that it must not be, and the next publish withdraws it."""
    VARIANT = "variant"
    """Another URL of a page that is indexed (``variant_of``)."""
    TOMBSTONE = "tombstone"
    """Was indexed; withdrawn with evidence."""


INDEXED_STATES = (PageState.GATHERED, PageState.LIVE)
"""States of pages that are in the collection, or will be by the end of the run."""


class RunState(StrEnum):
    """How far a run came."""

    RUNNING = "running"
    """Still at it, or killed: whoever holds the site's lock knows which."""
    INTERRUPTED = "interrupted"
    """Stopped before the end; the next run of the site goes on with it."""
    UNPUBLISHED = "unpublished"
    """All was gathered, but the collection could not be written; the next run publishes it."""
    HELD_BACK = "held-back"
    """The loss guard stopped the publish; a person publishes it, or the next run looks at every page again."""
    FINISHED = "finished"


UNFINISHED = (RunState.RUNNING, RunState.INTERRUPTED, RunState.UNPUBLISHED)
"""States of a run that the next crawl goes on with; RUNNING is one that was killed. What is held back waits for a
person."""


class RunKind(StrEnum):
    """What a run did; all but a crawl work from ledger and archive and fetch nothing."""

    CRAWL = "crawl"
    RECONVERT = "reconvert"
    REPLAN = "replan"
    REEMBED = "reembed"
    PUBLISH = "publish"
    ROLLBACK = "rollback"
    FORGET = "forget"
    REPAIR = "repair"


class VariantKind(StrEnum):
    """Why a URL stands for a page that is known under another one."""

    CANONICAL = "canonical"
    REDIRECT = "redirect"
    IDENTICAL = "identical"


@dataclass(frozen=True, slots=True)
class PageRow:
    """One row of ``pages`` (``ingest.ledger.schema`` explains the columns)."""

    site: str
    page_id: str
    url: str
    state: PageState = PageState.MET
    outcome: Outcome = Outcome.FAILED
    reason: str = ""
    depth: int = 0
    run_id: int = 0
    first_seen: str = ""
    last_seen: str = ""
    variant_of: str = ""
    declared_canonical: str = ""
    status: int = 0
    content_type: str = ""
    etag: str = ""
    last_modified: str = ""
    fetched_at: str = ""
    body_digest: str = ""
    record: str = ""
    markdown_digest: str = ""
    facts: str = ""
    """Digest of what the payload says beside the Markdown: title, language, anchors ..."""
    recipe: str = ""
    title: str = ""
    language: str = ""
    chunks: int = 0
    tokens: int = 0
    links: bytes = b""
    published_record: str = ""
    published_markdown: str = ""
    published_facts: str = ""
    published_recipe: str = ""
    published_tokens: int = 0
    published_at: str = ""
    point_ids: tuple[str, ...] = ()
    due_at: str = ""
    interval_seconds: int = 0
    changes: int = 0
    misses: int = 0
    failures: int = 0
    tombstoned_at: str = ""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One row of ``runs``."""

    run_id: int
    site: str
    state: RunState
    first: bool
    collection: str
    recipe: str
    started_at: str
    finished_at: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    sessions: int = 1
    note: str = ""
    exit_code: int | None = None
    figures: dict[str, float] = field(default_factory=dict)
    """What the run did and cost, by name: texts embedded, seconds per stage ..."""
    stamp: str = ""
    """What the collection's files looked like when the run ended (``Indexer.stamp``): where they still do, nothing
    was lost."""
    kind: RunKind = RunKind.CRAWL


@dataclass(frozen=True, slots=True)
class Publication:
    """One page as a manifest published it."""

    page_id: str
    record: str
    markdown_digest: str
    recipe: str
    point_ids: tuple[str, ...]
    facts: str = ""
    tokens: int = 0
    body_digest: str = ""
    """Of the body that the record was made from; filled in by ``PublishLedger.record`` where it is empty."""
    fetched_at: str = ""
    """When that was fetched; likewise."""
    withdrawn: bool = False
    """The page was taken out of the collection: the record is the last one that was in it, and there are no points."""

    @classmethod
    def of_gathered(cls, row: PageRow, point_ids: Iterable[str]) -> Publication:
        """That what the row has gathered is published as these points."""
        return cls(
            page_id=row.page_id,
            record=row.record,
            markdown_digest=row.markdown_digest,
            recipe=row.recipe,
            point_ids=tuple(point_ids),
            facts=row.facts,
            tokens=row.tokens,
            body_digest=row.body_digest,
            fetched_at=row.fetched_at,
        )

    @classmethod
    def of_published(cls, row: PageRow) -> Publication:
        """That what the row says is published is."""
        return cls(
            page_id=row.page_id,
            record=row.published_record,
            markdown_digest=row.published_markdown,
            recipe=row.published_recipe,
            point_ids=row.point_ids,
            facts=row.published_facts,
            tokens=row.published_tokens,
        )

    @classmethod
    def of_withdrawn(cls, row: PageRow) -> Publication:
        """That what the row says is published is no longer."""
        return replace(cls.of_published(row), point_ids=(), tokens=0, withdrawn=True)


@dataclass(frozen=True, slots=True)
class Manifest:
    """One publish that changed something."""

    manifest_id: int
    run_id: int
    collection: str
    created_at: str
    completed_at: str
    """Empty where it broke off."""
    pages: int
    """Pages that it published or withdrew."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about a page, and on what evidence."""

    run_id: int
    page_id: str
    decision: str
    reason: str
    evidence: str = ""
    decided_at: str = ""
