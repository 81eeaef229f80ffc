"""What leaves the ledger for good, and which archive objects the rest of it still needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from ingest.ledger.schema import (
    bills,
    decisions,
    manifests,
    notices,
    pages,
    plan_replies,
    plannings,
    publications,
    runs,
    transcripts,
    variants,
    vectors,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ingest.ledger.database import Database

_AT_ONCE = 400
"""Values in one ``IN``; old builds of SQLite allow 999 parameters."""


@dataclass(frozen=True, slots=True)
class References:
    """Archive objects that pages and publications name."""

    records: set[tuple[str, str]] = field(default_factory=set)
    """(key of the record, digest of the recipe that its points were made by)."""
    bodies: set[str] = field(default_factory=set)

    @property
    def record_keys(self) -> set[str]:
        """Keys of the records alone."""
        return {key for key, _ in self.records}

    def add(self, record: str, recipe: str, body: str) -> None:
        """Empty strings name nothing."""
        if record:
            self.records.add((record, recipe))
        if body:
            self.bodies.add(body)

    def add_row(self, row: Any) -> None:
        """What was gathered and what is published of a page."""
        self.add(row.record, row.recipe, row.body_digest)
        self.add(row.published_record, row.published_recipe, "")


class EraseLedger:
    """Deletes, and knows what must not be."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # ------------------------------------------------------------ references

    def references(self, wanted: Callable[[str, str], bool] = lambda _site, _page_id: True) -> References:
        """What pages and publications name, those of which ``wanted`` says so by site and page id."""
        found = References()
        with self._database.transaction() as connection:
            for row in connection.execute(_PAGE_REFERENCES):
                if wanted(row.site, row.page_id):
                    found.add_row(row)
            for item in connection.execute(_PUBLICATION_REFERENCES):
                if wanted(item.site, item.page_id):
                    found.add(item.record, item.recipe, item.body_digest)
        return found

    def references_of_pages(self) -> References:
        """What pages of all sites name now: what is published, and what was gathered."""
        found = References()
        with self._database.transaction() as connection:
            for row in connection.execute(_PAGE_REFERENCES):
                found.add_row(row)
        return found

    def vector_objects(self) -> dict[str, str]:
        """Key of a text -> archive object with its vectors, of all that were ever embedded."""
        with self._database.transaction() as connection:
            return dict(connection.execute(sa.select(vectors.c.key, vectors.c.object)).all())

    # ------------------------------------------------------------ erasing

    def erase_pages(self, site: str, page_ids: Sequence[str]) -> None:
        """Nothing tells of these pages any more, but for money: bills keep their sums without the page."""
        with self._database.transaction() as connection:
            for chosen in _portions(page_ids):
                for table in (pages, decisions, publications):
                    connection.execute(_of_pages(table.delete(), table, site, chosen))
                connection.execute(_of_pages(variants.delete(), variants, site, chosen))
                connection.execute(_of_pages(bills.update(), bills, site, chosen).values(page_id=""))
                for paid in (plan_replies, transcripts):
                    connection.execute(paid.delete().where(paid.c.page_id.in_(chosen)))

    def erase_site(self, site: str) -> None:
        """Nothing tells of the site any more, but for its blocks and what it has cost."""
        with self._database.transaction() as connection:
            known = sa.select(pages.c.page_id).where(pages.c.site == site)
            for paid in (plan_replies, transcripts):
                connection.execute(paid.delete().where(paid.c.page_id.in_(known)))
            numbers = sa.select(runs.c.run_id).where(runs.c.site == site)
            connection.execute(plannings.delete().where(plannings.c.run_id.in_(numbers)))
            connection.execute(bills.update().where(bills.c.site == site).values(page_id=""))
            for table in (pages, variants, decisions, publications, manifests, notices, runs):
                connection.execute(table.delete().where(table.c.site == site))

    def drop_manifests(self, site: str, before: int) -> int:
        """Manifests older than ``before`` and what only they need to know are gone; returns their number.

        The last publication of each page up to there stays: it is part of the state after the next manifest.
        """
        table = publications.c
        last = (
            sa.select(table.page_id, sa.func.max(table.manifest_id).label("newest"))
            .where(table.site == site, table.manifest_id <= before)
            .group_by(table.page_id)
            .subquery()
        )
        is_last = sa.exists().where(last.c.page_id == table.page_id, last.c.newest == table.manifest_id)
        superseded = publications.delete().where(
            table.site == site,
            table.manifest_id <= before,
            sa.or_(~is_last, sa.and_(table.withdrawn, table.manifest_id < before)),
        )
        with self._database.transaction() as connection:
            connection.execute(superseded)
            old = manifests.delete().where(manifests.c.site == site, manifests.c.manifest_id < before)
            return int(connection.execute(old).rowcount)

    def drop_vectors(self, keys: Iterable[str]) -> None:
        """These texts count as never embedded."""
        with self._database.transaction() as connection:
            for chosen in _portions(keys):
                connection.execute(vectors.delete().where(vectors.c.key.in_(chosen)))

    def drop_lost_replies(self) -> int:
        """Planning replies and transcripts for pages that the ledger no longer knows are gone; returns their number."""
        known = sa.select(pages.c.page_id)
        with self._database.transaction() as connection:
            return sum(
                int(
                    connection.execute(paid.delete().where(paid.c.page_id != "", paid.c.page_id.not_in(known))).rowcount
                )
                for paid in (plan_replies, transcripts)
            )


_PAGE_REFERENCES = sa.select(
    pages.c.site,
    pages.c.page_id,
    pages.c.record,
    pages.c.recipe,
    pages.c.body_digest,
    pages.c.published_record,
    pages.c.published_recipe,
)
_PUBLICATION_REFERENCES = sa.select(
    publications.c.site,
    publications.c.page_id,
    publications.c.record,
    publications.c.recipe,
    publications.c.body_digest,
)


def _of_pages(statement: Any, table: sa.Table, site: str, page_ids: Sequence[str]) -> Any:
    return statement.where(table.c.site == site, table.c.page_id.in_(page_ids))


def _portions(values: Iterable[str]) -> Iterator[list[str]]:
    items = sorted(set(values))
    for start in range(0, len(items), _AT_ONCE):
        yield items[start : start + _AT_ONCE]
