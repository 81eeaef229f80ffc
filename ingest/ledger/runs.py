"""What the ledger knows about runs and their recipes."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from ingest.ledger.database import new_key
from ingest.ledger.rows import RunKind, RunRow, RunState
from ingest.ledger.schema import notices, recipes, runs
from wrac.errors import StoreError
from wrac.exit_codes import ExitCode
from wrac.recipe import Recipe

if TYPE_CHECKING:
    from sqlalchemy.engine import RowMapping

    from ingest.ledger.database import Database

_FIELDS = tuple(f.name for f in fields(RunRow))
_JSON = ("counts", "figures")
GOOD_EXIT_CODES = (ExitCode.OK, ExitCode.INCOMPLETE)
"""Ends of a crawl after which the collection is as fresh as the site lets it be."""


class RunLedger:
    """Runs by site, newest first."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def start(
        self,
        site: str,
        *,
        first: bool,
        collection: str,
        recipe: Recipe,
        started_at: str,
        kind: RunKind = RunKind.CRAWL,
    ) -> RunRow:
        """A new run in state RUNNING; its recipe can be looked up by digest."""
        values = {
            "site": site,
            "state": RunState.RUNNING.value,
            "first": first,
            "kind": kind.value,
            "collection": collection,
            "recipe": recipe.digest,
            "started_at": started_at,
            "sessions": 1,
        }
        self.add_recipe(recipe)
        with self._database.transaction() as connection:
            key = new_key(connection, runs, values)
        return RunRow(key, site, RunState.RUNNING, first, collection, recipe.digest, started_at, kind=kind)

    def update(self, run: RunRow) -> None:
        """The stored run equals ``run``."""
        values = asdict(run) | {"state": run.state.value, "kind": run.kind.value}
        values |= {name: json.dumps(values[name], sort_keys=True) for name in _JSON}
        with self._database.transaction() as connection:
            connection.execute(runs.update().where(runs.c.run_id == run.run_id).values(values))

    def record_exit(self, run_id: int, exit_code: int) -> None:
        """The run is known to have ended its command with this code; nothing else of it changes."""
        with self._database.transaction() as connection:
            connection.execute(runs.update().where(runs.c.run_id == run_id).values(exit_code=exit_code))

    def get(self, run_id: int) -> RunRow | None:
        """The run with this number."""
        return next(iter(self._select(1, runs.c.run_id == run_id)), None)

    def last(self, site: str, kind: RunKind | None = None) -> RunRow | None:
        """The newest run of a site, of one kind or of any."""
        return next(iter(self.of_site(site, limit=1, kind=kind)), None)

    def last_good(self, site: str) -> RunRow | None:
        """The newest run of a site that brought its collection up to date, though single pages may have failed.

        That is a crawl that came to its end, or the publish of one that had been held back.
        """
        is_good = sa.or_(runs.c.exit_code.is_(None), runs.c.exit_code.in_(GOOD_EXIT_CODES))
        is_whole = sa.and_(
            runs.c.kind.in_([RunKind.CRAWL.value, RunKind.PUBLISH.value]), runs.c.state == RunState.FINISHED.value
        )
        return next(iter(self._select(1, runs.c.site == site, is_whole, is_good)), None)

    def last_stamp(self, site: str) -> str:
        """What the collection's files looked like when a run of the site ended last; empty where none tells."""
        query = sa.select(runs.c.stamp).where(runs.c.site == site, runs.c.stamp != "")
        with self._database.transaction() as connection:
            return connection.scalar(query.order_by(runs.c.run_id.desc()).limit(1)) or ""

    def first(self, site: str) -> RunRow | None:
        """The oldest run of a site."""
        with self._database.transaction() as connection:
            number = connection.scalar(sa.select(sa.func.min(runs.c.run_id)).where(runs.c.site == site))
        return None if number is None else self.get(number)

    def of_site(self, site: str, limit: int = 20, kind: RunKind | None = None) -> list[RunRow]:
        """Runs of a site, newest first, of one kind or of any."""
        kinds = [] if kind is None else [runs.c.kind == kind.value]
        return self._select(limit, runs.c.site == site, *kinds)

    def latest(self, limit: int = 20) -> list[RunRow]:
        """Runs of all sites, newest first."""
        return self._select(limit)

    def sites(self) -> list[str]:
        """Names of all sites that any run crawled, in order."""
        with self._database.transaction() as connection:
            return list(connection.scalars(sa.select(runs.c.site).distinct().order_by(runs.c.site)))

    def is_told(self, site: str, event: str, run_id: int, now: str) -> bool:
        """Whether somebody was told of this event about this run, and not long enough ago to be told again."""
        query = sa.select(notices.c.run_id, notices.c.again_at).where(notices.c.site == site, notices.c.event == event)
        with self._database.transaction() as connection:
            row = connection.execute(query).one_or_none()
        return row is not None and row.run_id == run_id and row.again_at > now

    def record_notice(self, site: str, event: str, run_id: int, again_at: str) -> None:
        """``is_told`` holds of this event about this run until ``again_at`` (ISO 8601, UTC)."""
        row = {"site": site, "event": event, "run_id": run_id, "again_at": again_at}
        with self._database.transaction() as connection:
            self._database.upsert(connection, notices, [row])

    def add_recipe(self, recipe: Recipe) -> None:
        """The recipe can be looked up by its digest."""
        with self._database.transaction() as connection:
            self._database.upsert(connection, recipes, [{"digest": recipe.digest, **asdict(recipe)}])

    def recipe(self, digest: str) -> Recipe | None:
        """The recipe with this digest."""
        query = sa.select(recipes.c.conversion, recipes.c.planning, recipes.c.indexing)
        with self._database.transaction() as connection:
            row = connection.execute(query.where(recipes.c.digest == digest)).one_or_none()
        return None if row is None else Recipe(*row)

    def _select(self, limit: int, *conditions: sa.ColumnElement[bool]) -> list[RunRow]:
        query = sa.select(*(runs.c[name] for name in _FIELDS)).where(*conditions)
        with self._database.transaction() as connection:
            found = connection.execute(query.order_by(runs.c.run_id.desc()).limit(limit)).mappings()
            return [_row(values) for values in found]


def _row(values: RowMapping) -> RunRow:
    plain: dict[str, Any] = {name: values[name] for name in _FIELDS}
    try:
        plain["state"] = RunState(plain["state"])
        plain["kind"] = RunKind(plain["kind"])
        plain |= {name: json.loads(plain[name]) for name in _JSON}
    except ValueError as error:
        raise StoreError(
            f"the ledger's row of run {plain['run_id']} (site {plain['site']}) cannot be read: {error}. "
            "Put a copy of the ledger back, or delete the row"
        ) from error
    return RunRow(**plain)
