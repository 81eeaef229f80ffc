"""The ledger: what is known about every URL, run and publish. SQLite (WAL) by default, PostgreSQL by URL.

Every method may be called from any thread; several processes may read while one writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.ledger.bills import BillLedger
from ingest.ledger.blocks import BlockLedger
from ingest.ledger.database import Database
from ingest.ledger.erasing import EraseLedger
from ingest.ledger.pages import PageLedger
from ingest.ledger.publishes import PublishLedger
from ingest.ledger.reading import RunReader
from ingest.ledger.runs import RunLedger

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Ledger"]


class Ledger:
    """One open ledger; ``close`` flushes it. Also a context manager."""

    def __init__(self, url: str) -> None:
        """Opens ``url`` (SQLAlchemy) and creates what is missing. Raises ``ConfigError``, ``StoreError``."""
        self._database = Database(url)
        self.pages = PageLedger(self._database)
        self.runs = RunLedger(self._database)
        self.publishes = PublishLedger(self._database)
        self.bills = BillLedger(self._database)
        self.reader = RunReader(self._database)
        self.blocks = BlockLedger(self._database)
        self.erasing = EraseLedger(self._database)

    def close(self) -> None:
        """Saved rows are durable, no connection is open."""
        try:
            self.pages.flush()
        finally:
            self._database.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
