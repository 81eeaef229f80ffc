"""What one run did, read back page by page; memory does not grow with the site."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from ingest.ledger.rows import Decision
from ingest.ledger.schema import decisions, manifests, pages, publications

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ingest.ledger.database import Database

_AT_ONCE = 1_000
"""Rows in memory at a time."""


@dataclass(frozen=True, slots=True)
class Version:
    """A page as one manifest published it."""

    record: str
    markdown_digest: str
    point_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class Replacement:
    """What a run's publish put in the place of what; None stands for nothing."""

    page_id: str
    url: str
    title: str
    variant_of: str
    before: Version | None
    after: Version | None


@dataclass(frozen=True, slots=True)
class PageEnd:
    """How a page ended in the last run that met it."""

    page_id: str
    url: str
    title: str
    outcome: str
    reason: str
    state: str
    is_published: bool
    record: str


class RunReader:
    """Reads what others wrote; every list comes in a fixed order."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def replacements(self, site: str, run_id: int) -> Iterator[Replacement]:
        """Each page of the run's manifest with its last version of an earlier manifest, by page id."""
        new, old, older = publications.alias("new"), publications.alias("old"), publications.alias("older")
        previous = sa.select(sa.func.max(older.c.manifest_id)).where(
            older.c.site == site, older.c.page_id == new.c.page_id, older.c.manifest_id < new.c.manifest_id
        )
        is_before = sa.and_(
            old.c.page_id == new.c.page_id, old.c.manifest_id == previous.scalar_subquery(), old.c.site == site
        )
        is_page = sa.and_(pages.c.site == site, pages.c.page_id == new.c.page_id)
        made_by_run = sa.select(manifests.c.manifest_id).where(manifests.c.run_id == run_id, manifests.c.site == site)
        query: Any = (
            sa.select(
                *(table.c[name].label(f"{table.name}_{name}") for table in (new, old) for name in _VERSION),
                *(pages.c[name] for name in ("url", "title", "variant_of")),
            )
            .select_from(new.outerjoin(old, is_before).outerjoin(pages, is_page))
            .where(new.c.site == site, new.c.manifest_id.in_(made_by_run))
            .order_by(new.c.page_id)
            .limit(_AT_ONCE)
        )
        for row in self._in_batches(query, new.c.page_id, "new_page_id"):
            yield Replacement(
                page_id=row.new_page_id,
                url=row.url or row.new_page_id,
                title=row.title or "",
                variant_of=row.variant_of or "",
                before=_version(row.old_record, row.old_markdown_digest, row.old_point_ids, row.old_withdrawn),
                after=_version(row.new_record, row.new_markdown_digest, row.new_point_ids, row.new_withdrawn),
            )

    def ends(self, site: str, run_id: int, outcomes: Collection[str]) -> Iterator[PageEnd]:
        """The pages that ended so in this run, by URL; a page that a later run met is not among them."""
        query: Any = (
            sa.select(*(pages.c[name] for name in _END), (pages.c.point_ids != "").label("is_published"))
            .where(pages.c.site == site, pages.c.run_id == run_id, pages.c.outcome.in_(sorted(outcomes)))
            .order_by(pages.c.url)
            .limit(_AT_ONCE)
        )
        for row in self._in_batches(query, pages.c.url, "url"):
            yield PageEnd(**{name: getattr(row, name) for name in _END}, is_published=bool(row.is_published))

    def decision_counts(self, run_id: int) -> dict[str, int]:
        """How often each decision was made in a run."""
        query = sa.select(decisions.c.decision, sa.func.count()).where(decisions.c.run_id == run_id)
        with self._database.transaction() as connection:
            found = connection.execute(query.group_by(decisions.c.decision).order_by(decisions.c.decision))
            return {name: int(count) for name, count in found}

    def decided(self, run_id: int, names: Collection[str]) -> Iterator[Decision]:
        """The decisions of a run with one of these names, in the order in which they were made."""
        query: Any = (
            sa.select(decisions.c.decision_id, *_DECISION)
            .where(decisions.c.run_id == run_id, decisions.c.decision.in_(sorted(names)))
            .order_by(decisions.c.decision_id)
            .limit(_AT_ONCE)
        )
        for row in self._in_batches(query, decisions.c.decision_id, "decision_id"):
            yield Decision(*row[1:])

    def last_decision(self, site: str, run_id: int, page_id: str) -> Decision | None:
        """The last decision of a run about a page."""
        mine = decisions.c
        query = sa.select(*_DECISION).where(mine.site == site, mine.page_id == page_id, mine.run_id == run_id)
        with self._database.transaction() as connection:
            row = connection.execute(query.order_by(mine.decision_id.desc()).limit(1)).first()
        return None if row is None else Decision(*row)

    def _in_batches(self, query: Any, key: Any, name: str) -> Iterator[Any]:
        """The rows of an ordered, limited query, to their end; no transaction stays open between two batches."""
        following = query
        while True:
            with self._database.transaction() as connection:
                rows = connection.execute(following).all()
            yield from rows
            if len(rows) < _AT_ONCE:
                return
            following = query.where(key > getattr(rows[-1], name))


_VERSION = ("page_id", "record", "markdown_digest", "point_ids", "withdrawn")
_END = ("page_id", "url", "title", "outcome", "reason", "state", "record")
_DECISION = tuple(decisions.c[field.name] for field in fields(Decision))


def _version(record: str | None, markdown: str, points: str, withdrawn: bool) -> Version | None:
    if record is None or withdrawn:
        return None
    return Version(record, markdown, frozenset(points.split()))
