"""Makes what the ledger has saved durable beside a crawl, so that a killed process loses little."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from wrac.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ingest.ledger.pages import PageLedger


class Flusher:
    """Flushes saved rows every so many seconds, in a thread. For one event loop."""

    def __init__(self, pages: PageLedger, seconds: float, on_error: Callable[[StoreError], None]) -> None:
        """Works from now on, up to the first failure, which ``on_error`` is told."""
        self._pages = pages
        self._seconds = seconds
        self._on_error = on_error
        self._task = asyncio.create_task(self._work(), name="wrac-ledger")

    async def stop(self) -> None:
        """Everything saved is durable. Raises ``StoreError``."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        await asyncio.to_thread(self._pages.flush)

    async def _work(self) -> None:
        while True:
            await asyncio.sleep(self._seconds)
            if self._pages.waiting:
                try:
                    await asyncio.to_thread(self._pages.flush)
                except StoreError as error:
                    self._on_error(error)
                    return
