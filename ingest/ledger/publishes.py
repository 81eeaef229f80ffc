"""What the ledger knows about publishes: which points of which page, made from what, and where their vectors lie."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from ingest.ledger.database import new_key
from ingest.ledger.pages import PUBLISHED, row_values
from ingest.ledger.rows import Manifest, PageState, Publication
from ingest.ledger.schema import manifests, pages, publications, vectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ingest.ledger.database import Database
    from ingest.ledger.rows import PageRow, RunRow

_KEYS_AT_ONCE = 400
"""Keys in one ``IN``; old builds of SQLite allow 999 parameters."""


class PublishLedger:
    """Manifests, and the cache of vectors."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def any_complete(self, site: str) -> bool:
        """Whether the site was ever published whole."""
        query = sa.select(manifests.c.manifest_id).where(manifests.c.site == site, manifests.c.completed_at != "")
        with self._database.transaction() as connection:
            return connection.execute(query.limit(1)).first() is not None

    def has_manifest(self, run: RunRow) -> bool:
        """Whether the run published or withdrew anything."""
        query = sa.select(manifests.c.manifest_id).where(manifests.c.run_id == run.run_id)
        with self._database.transaction() as connection:
            return connection.scalar(query) is not None

    def open_manifest(self, run: RunRow, created_at: str) -> int:
        """Number of the run's manifest; a new one where it has none."""
        query = sa.select(manifests.c.manifest_id).where(manifests.c.run_id == run.run_id)
        values = {"site": run.site, "run_id": run.run_id, "collection": run.collection, "created_at": created_at}
        with self._database.transaction() as connection:
            if (known := connection.scalar(query)) is not None:
                return int(known)
            return new_key(connection, manifests, values)

    def complete_manifest(self, manifest_id: int, completed_at: str) -> None:
        """Every page of the manifest is in the collection."""
        update = manifests.update().where(manifests.c.manifest_id == manifest_id)
        with self._database.transaction() as connection:
            connection.execute(update.values(completed_at=completed_at))

    def record(
        self,
        site: str,
        manifest_id: int,
        items: Sequence[Publication],
        published_at: str,
        rows: Sequence[PageRow] = (),
    ) -> None:
        """Pages and manifest say, in one transaction, that these pages are in the collection.

        ``rows`` are stored before, but for what is published: versions of the pages that were gathered by no crawl.
        """
        if not items:
            return
        with self._database.transaction() as connection:
            self._database.upsert(connection, pages, [row_values(row) for row in rows], keep=PUBLISHED)
            items = _with_origins(connection, site, items)
            if live := [_live_values(site, item, published_at) for item in items if not item.withdrawn]:
                connection.execute(_MARK_LIVE, live)
            if left := [_left_values(site, item, published_at) for item in items if item.withdrawn]:
                connection.execute(_MARK_WITHDRAWN, left)
            self._database.upsert(connection, publications, [_entry(site, manifest_id, item) for item in items])

    def moved(self, site: str, manifest_id: int, items: Sequence[Publication], published_at: str) -> None:
        """Pages and manifest say that what is published stands in another collection, made by another recipe.

        What was gathered since, or was decided about a page, stays as it is.
        """
        if not items:
            return
        with self._database.transaction() as connection:
            items = _with_origins(connection, site, items)
            connection.execute(_MARK_MOVED, [_live_values(site, item, published_at) for item in items])
            self._database.upsert(connection, publications, [_entry(site, manifest_id, item) for item in items])

    def history(self, site: str) -> list[Manifest]:
        """The manifests of a site that published anything, newest first."""
        count = sa.func.count(publications.c.page_id)
        query = (
            sa.select(manifests, count.label("pages"))
            .join(publications, publications.c.manifest_id == manifests.c.manifest_id)
            .where(manifests.c.site == site)
            .group_by(*manifests.c)
            .order_by(manifests.c.manifest_id.desc())
        )
        with self._database.transaction() as connection:
            return [
                Manifest(row.manifest_id, row.run_id, row.collection, row.created_at, row.completed_at, row.pages)
                for row in connection.execute(query)
            ]

    def state_after(self, site: str, manifest_id: int | None = None) -> dict[str, Publication]:
        """Page id -> what was in the collection after a manifest; after all that was published, where none is named."""
        table = publications.c
        told = sa.select(table.page_id, sa.func.max(table.manifest_id).label("newest")).where(table.site == site)
        if manifest_id is not None:
            told = told.where(table.manifest_id <= manifest_id)
        newest = told.group_by(table.page_id).subquery()
        query = sa.select(publications).join(
            newest, sa.and_(table.page_id == newest.c.page_id, table.manifest_id == newest.c.newest)
        )
        with self._database.transaction() as connection:
            found = connection.execute(query.where(table.site == site)).all()
        return {row.page_id: _publication(row) for row in found if not row.withdrawn}

    def add_vectors(self, keys: Iterable[str], archive_object: str) -> None:
        """Each key is found in this archive object from now on."""
        rows = [{"key": key, "object": archive_object} for key in keys]
        with self._database.transaction() as connection:
            self._database.upsert(connection, vectors, rows)

    def find_vectors(self, keys: Sequence[str]) -> dict[str, str]:
        """Key -> archive object, of those that were embedded before."""
        found: dict[str, str] = {}
        with self._database.transaction() as connection:
            for start in range(0, len(keys), _KEYS_AT_ONCE):
                some = keys[start : start + _KEYS_AT_ONCE]
                query = sa.select(vectors.c.key, vectors.c.object).where(vectors.c.key.in_(some))
                found.update((key, name) for key, name in connection.execute(query))
        return found


_MARK_LIVE = (
    pages.update()
    .where(pages.c.site == sa.bindparam("of_site"), pages.c.page_id == sa.bindparam("of_page"))
    .values(
        # A page gathered anew while this version was being published still waits.
        state=sa.case((pages.c.record == sa.bindparam("new_record"), PageState.LIVE.value), else_=pages.c.state),
        published_record=sa.bindparam("new_record"),
        published_markdown=sa.bindparam("new_markdown"),
        published_facts=sa.bindparam("new_facts"),
        published_recipe=sa.bindparam("new_recipe"),
        published_tokens=sa.bindparam("new_tokens"),
        published_at=sa.bindparam("new_time"),
        point_ids=sa.bindparam("new_points"),
        tombstoned_at="",
    )
)

_MARK_MOVED = (
    pages.update()
    .where(pages.c.site == sa.bindparam("of_site"), pages.c.page_id == sa.bindparam("of_page"))
    .values(
        recipe=sa.case(
            (pages.c.record == sa.bindparam("new_record"), sa.bindparam("new_recipe")), else_=pages.c.recipe
        ),
        published_recipe=sa.bindparam("new_recipe"),
        published_at=sa.bindparam("new_time"),
        point_ids=sa.bindparam("new_points"),
    )
)

_MARK_WITHDRAWN = (
    pages.update()
    .where(pages.c.site == sa.bindparam("of_site"), pages.c.page_id == sa.bindparam("of_page"))
    .values(
        state=sa.case(
            # A page gathered anew while it was being withdrawn still waits.
            (pages.c.state != PageState.LEAVING.value, pages.c.state),
            (pages.c.variant_of != "", PageState.VARIANT.value),
            else_=PageState.TOMBSTONE.value,
        ),
        published_record="",
        published_markdown="",
        published_facts="",
        published_recipe="",
        published_tokens=0,
        point_ids="",
        tombstoned_at=sa.bindparam("new_time"),
    )
)


def _with_origins(connection: sa.Connection, site: str, items: Sequence[Publication]) -> list[Publication]:
    """The publications with body and time of fetching, which a rollback needs, out of the rows of their pages."""
    query = sa.select(pages.c.page_id, pages.c.record, pages.c.body_digest, pages.c.fetched_at)
    rows: dict[str, Any] = {}
    for start in range(0, len(items), _KEYS_AT_ONCE):
        some = [item.page_id for item in items[start : start + _KEYS_AT_ONCE]]
        found = connection.execute(query.where(pages.c.site == site, pages.c.page_id.in_(some)))
        rows.update((row.page_id, row) for row in found)
    return [
        # A page gathered anew meanwhile has another body by now.
        item
        if item.body_digest or (row := rows.get(item.page_id)) is None or row.record != item.record
        else replace(item, body_digest=row.body_digest, fetched_at=row.fetched_at)
        for item in items
    ]


def _live_values(site: str, item: Publication, published_at: str) -> dict[str, Any]:
    return {
        "of_site": site,
        "of_page": item.page_id,
        "new_record": item.record,
        "new_markdown": item.markdown_digest,
        "new_facts": item.facts,
        "new_recipe": item.recipe,
        "new_tokens": item.tokens,
        "new_time": published_at,
        "new_points": " ".join(item.point_ids),
    }


def _left_values(site: str, item: Publication, published_at: str) -> dict[str, Any]:
    return {"of_site": site, "of_page": item.page_id, "new_time": published_at}


def _entry(site: str, manifest_id: int, item: Publication) -> dict[str, Any]:
    return {
        "manifest_id": manifest_id,
        "page_id": item.page_id,
        "site": site,
        "record": item.record,
        "markdown_digest": item.markdown_digest,
        "facts": item.facts,
        "recipe": item.recipe,
        "tokens": item.tokens,
        "body_digest": item.body_digest,
        "fetched_at": item.fetched_at,
        "point_ids": " ".join(item.point_ids),
        "withdrawn": item.withdrawn,
    }


def _publication(row: sa.Row[Any]) -> Publication:
    return Publication(
        page_id=row.page_id,
        record=row.record,
        markdown_digest=row.markdown_digest,
        recipe=row.recipe,
        point_ids=tuple(row.point_ids.split()),
        facts=row.facts,
        tokens=row.tokens,
        body_digest=row.body_digest,
        fetched_at=row.fetched_at,
        withdrawn=row.withdrawn,
    )
