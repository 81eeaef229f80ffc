"""The connection behind the ledger: transactions, upserts, and errors in our words."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError

from ingest.ledger import schema
from wrac.config import without_credentials
from wrac.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BUSY_SECONDS = 30
"""How long a write waits for another process that is writing to the same SQLite file."""


class Database:
    """One open ledger database. Transactions of one process run one after another, from any thread."""

    def __init__(self, url: str) -> None:
        """The schema exists from now on. Raises ``ConfigError``, ``StoreError``."""
        try:
            self.engine = sa.create_engine(url)
        except (SQLAlchemyError, NoSuchModuleError, ImportError) as error:
            shown = without_credentials(url)
            raise ConfigError(f"ledger {shown!r} in wrac.toml is no usable SQLAlchemy URL: {error}") from error
        self.name = self.engine.url.render_as_string(hide_password=True)
        self._lock = threading.RLock()
        self._is_sqlite = self.engine.dialect.name == "sqlite"
        if self._is_sqlite:
            sa.event.listen(self.engine, "connect", _tune_sqlite)
        with self.transaction() as connection:
            schema.METADATA.create_all(connection)
            self._check_version(connection)

    @contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """All or nothing. Raises ``StoreError`` where the database fails."""
        with self._lock:
            try:
                with self.engine.begin() as connection:
                    yield connection
            except DBAPIError as error:
                raise StoreError(_explain(self.name, error)) from error

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
        statement: Any = (sqlite.insert if self._is_sqlite else postgresql.insert)(table)
        others = {name: statement.excluded[name] for name in rows[0] if name not in keys and name not in keep}
        connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=others), rows)

    def close(self) -> None:
        """No connection is open."""
        self.engine.dispose()

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


def _explain(name: str, error: DBAPIError) -> str:
    cause = str(error.orig)
    if "full" in cause:
        return f"no space is left for the ledger {name}. Free some, then run the same command again: it goes on."
    if "locked" in cause:
        return f"the ledger {name} was locked for {BUSY_SECONDS} s by another process. Run the same command again."
    if "malformed" in cause or "not a database" in cause:
        return (
            f"the ledger {name} is damaged ({cause}). Put a copy of it back, or move it away and crawl again: "
            "that fetches every page anew, and the collection stays"
        )
    return f"the ledger {name} cannot be used: {cause}"
