"""Pages that wait for a slow server: handled in threads, taken back in the event loop, a few at a time."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from ingest.background import in_daemon_thread
from wrac.errors import TransientError, WracError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ingest.ledger.rows import PageRow

STOP_SECONDS = 20.0
"""How long an interrupted crawl waits for replies that are under way, and paid for."""
INTERRUPTED = "the crawl was interrupted"

_Result = TypeVar("_Result")


class RowQueue(Generic[_Result]):
    """Rows in the order they came, so many at work at once. For one event loop."""

    def __init__(
        self,
        name: str,
        count: int,
        *,
        handle: Callable[[PageRow], _Result],
        take_in: Callable[[PageRow, _Result], None],
        interrupted: str,
    ) -> None:
        """``handle`` runs in a thread of its own, ``take_in`` in the event loop; each may raise ``WracError``.

        ``interrupted`` says what was under way, for whoever waits in vain.
        """
        self.seconds = 0.0
        """Time spent on rows, waiting for the server included, summed over all threads."""
        self.is_stopping = False
        """Nothing more is begun."""
        self._name = name
        self._count = count
        self._handle = handle
        self._take_in = take_in
        self._under_way = interrupted
        self._error: WracError | None = None
        self._waiting: deque[PageRow] = deque()
        self._arrived = asyncio.Event()
        self._interrupted = asyncio.Event()
        self._is_ending = False
        self._tasks: list[asyncio.Task[None]] = []
        self._at_work = 0

    def __len__(self) -> int:
        """Rows that wait or are at work."""
        return len(self._waiting) + self._at_work

    def start(self) -> None:
        """Works beside the crawl from now on."""
        self._tasks = [asyncio.create_task(self._work(), name=f"{self._name}-{n}") for n in range(self._count)]

    def put(self, row: PageRow) -> None:
        """The row is handled in its turn."""
        self._waiting.append(row)
        self._arrived.set()
        if self._tasks and all(task.done() for task in self._tasks) and not self.is_stopping:
            self.start()  # drained before

    async def drain(self) -> None:
        """Every row put is handled and taken in; more may be put afterwards.

        Raises the ``WracError`` that stopped the work, ``TransientError`` once interrupted.
        """
        self._is_ending = True
        self._arrived.set()
        while self._tasks and not all(task.done() for task in self._tasks) and not self._interrupted.is_set():
            waiting = [*self._tasks, interruption := asyncio.create_task(self._interrupted.wait())]
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            interruption.cancel()
        if self._error is not None:
            raise self._error
        if self._interrupted.is_set():
            await self.stop()
            raise TransientError(f"interrupted while {self._under_way}: the same command goes on")
        self._is_ending = False

    def interrupt(self) -> None:
        """Whoever waits for ``drain`` waits no longer."""
        self._interrupted.set()

    async def stop(self) -> None:
        """Nothing more is begun; what is under way has ``STOP_SECONDS`` to end."""
        self.is_stopping = True
        self._arrived.set()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=STOP_SECONDS)
        for task in self._tasks:
            task.cancel()

    async def _work(self) -> None:
        while self._error is None:
            if self.is_stopping or (not self._waiting and self._is_ending):
                return
            if not self._waiting:
                self._arrived.clear()
                await self._arrived.wait()
                continue
            row = self._waiting.popleft()
            self._at_work += 1
            since = time.monotonic()
            try:
                self._take_in(row, await in_daemon_thread(partial(self._handle, row)))
            except WracError as error:
                self._error = error
                self._arrived.set()  # the others need not wait for rows
            finally:
                self._at_work -= 1
                self.seconds += time.monotonic() - since
