"""The connection behind the ledger: transactions, upserts, and errors in our words."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError

from ingest.ledger import postgres, schema
from wrac.errors import ConfigError, StoreError
from wrac.urls import without_credentials

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BUSY_SECONDS = 30
"""How long a write waits for another process that is writing to the same file, or holds the same rows."""
_SCHEMA_LOCK = 0x77726163
"""Key of the advisory lock under which one process at a time creates the tables of a PostgreSQL ledger."""


class Database:
    """One open ledger database. Transactions of one process run one after another, from any thread."""

    def __init__(self, url: str) -> None:
        """The schema exists from now on. Raises ``ConfigError``, ``StoreError``."""
        self.engine = _open_engine(url)
        self.name = self.engine.url.render_as_string(hide_password=True)
        self._lock = threading.RLock()
        self._is_sqlite = self.engine.dialect.name == "sqlite"
        if self._is_sqlite:
            sa.event.listen(self.engine, "connect", _tune_sqlite)
        with self.transaction() as connection:
            self._create_missing(connection)
            self._check_version(connection)

    @contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """All or nothing. Raises ``StoreError`` where the database fails."""
        with self._lock:
            try:
                with self.engine.begin() as connection:
                    yield connection
            except DBAPIError as error:
                explain = _explain if self._is_sqlite else postgres.explain
                raise StoreError(explain(self.name, error, BUSY_SECONDS)) from error

    def upsert(
        self,
        connection: sa.Connection,
        table: sa.Table,
        rows: Sequence[dict[str, Any]],
        keep: frozenset[str] = frozenset(),
    ) -> None:
        """Each row is stored, in place of one with the same primary key but for its columns in ``keep``.

        All rows name the same columns; no rows are no error.
        """
        if not rows:
            return
        keys = [column.name for column in table.primary_key]
        if self._is_sqlite:
            statement: Any = sqlite.insert(table)
        else:
            from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - loads the drivers of all kinds of servers

            statement = postgresql.insert(table)
        others = {name: statement.excluded[name] for name in rows[0] if name not in keys and name not in keep}
        # In the order of their keys: two processes that store the same rows would else wait for each other for ever.
        ordered = sorted(rows, key=lambda row: [row[key] for key in keys])
        connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=others), ordered)

    def close(self) -> None:
        """No connection is open."""
        self.engine.dispose()

    def _create_missing(self, connection: sa.Connection) -> None:
        """The tables exist; of several processes that open a new ledger at once, one makes them."""
        if schema.METADATA.tables.keys() <= set(sa.inspect(connection).get_table_names()):
            return  # a reader takes no lock
        if self._is_sqlite:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_SCHEMA_LOCK)))
        schema.METADATA.create_all(connection)

    def _check_version(self, connection: sa.Connection) -> None:
        table = schema.facts
        stored = connection.scalar(sa.select(table.c.value).where(table.c.name == "schema_version"))
        if stored is None:
            self.upsert(connection, table, [{"name": "schema_version", "value": str(schema.SCHEMA_VERSION)}])
        elif stored != str(schema.SCHEMA_VERSION):
            raise ConfigError(
                f"ledger {self.name} has schema {stored} and this version reads {schema.SCHEMA_VERSION}: "
                f"use the version of wrac that wrote it, or another data_dir"
            )


def _open_engine(url: str) -> sa.Engine:
    """The engine; nothing is dialled yet."""
    shown = without_credentials(url)
    try:
        parsed = postgres.with_driver(sa.make_url(url))
        if parsed.get_backend_name() not in ("sqlite", "postgresql"):
            raise ConfigError(f"ledger {shown!r} in wrac.toml is no usable SQLAlchemy URL: use sqlite or postgresql")
        options: dict[str, Any] = {}
        if parsed.get_backend_name() == "postgresql":
            parsed, options = postgres.engine_options(parsed, BUSY_SECONDS)
        return sa.create_engine(parsed, **options)
    except ImportError as error:
        raise postgres.missing_driver(shown, error) from error
    except (SQLAlchemyError, NoSuchModuleError) as error:
        raise ConfigError(f"ledger {shown!r} in wrac.toml is no usable SQLAlchemy URL: {error}") from error


def new_key(connection: sa.Connection, table: sa.Table, values: dict[str, Any]) -> int:
    """The number that the database gave to a new row."""
    key: Any = connection.execute(table.insert().values(values)).inserted_primary_key
    return int(key[0])


def _tune_sqlite(connection: Any, _: object) -> None:
    cursor = connection.cursor()
    # WAL: readers (`wrac status`) never wait for the crawl. NORMAL keeps every commit through a killed process and
    # may lose the last ones with the power, never the file.
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", f"busy_timeout={BUSY_SECONDS * 1000}"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _explain(name: str, error: DBAPIError, busy_seconds: int) -> str:
    cause = str(error.orig)
    if "full" in cause:
        return f"no space is left for the ledger {name}. Free some, then run the same command again: it goes on."
    if "locked" in cause:
        return f"the ledger {name} was locked for {busy_seconds} s by another process. Run the same command again."
    if "malformed" in cause or "not a database" in cause:
        return (
            f"the ledger {name} is damaged ({cause}). Put a copy of it back, or move it away and crawl again: "
            "that fetches every page anew, and the collection stays"
        )
    return f"the ledger {name} cannot be used: {cause}"
