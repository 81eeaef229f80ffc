"""Drives the publisher beside the crawl: batches, one thread of its own, and patience with a collection in use."""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from wrac.errors import StoreLocked, WracError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ingest.publish import Publisher

BATCH_CHUNKS = 48
"""Chunks embedded in one go: a few seconds on one core, the longest that an interrupt waits."""
READY_PAGES = 128
"""Pages published in one go, at most: their points are in memory."""
REST_FACTOR = 10
"""The collection is left to its readers ten times as long as it was held."""
MIN_REST_SECONDS = 5.0
LOCK_PATIENCE_SECONDS = 30.0
_LOCK_RETRY_SECONDS = 1.0


class PublishQueue:
    """Pages on their way into the collection. ``put`` from the event loop; the work is done in one thread."""

    def __init__(self, publisher: Publisher, *, as_it_goes: bool, timer: Callable[[], float]) -> None:
        """``as_it_goes``: pages are published while the crawl runs; else they are only embedded until ``drain``."""
        self.error: WracError | None = None
        """What stopped the work; the pages that wait are safe in archive and ledger."""
        self._publisher = publisher
        self._as_it_goes = as_it_goes
        self._timer = timer
        self._waiting: deque[tuple[str, int]] = deque()
        self._embedded: list[str] = []
        """Pages whose vectors are kept and that ``drain`` has to publish."""
        self._arrived = asyncio.Event()
        self._stopping = False
        self._thread = ThreadPoolExecutor(1, "wrac-publish")
        self._task: asyncio.Task[None] | None = None
        self._rest_until = 0.0

    def __len__(self) -> int:
        return len(self._waiting)

    def start(self) -> None:
        """Works beside the crawl from now on."""
        self._task = asyncio.create_task(self._work(), name="wrac-publish")

    def put(self, page_id: str, chunks: int) -> None:
        """The page is published in its turn."""
        self._waiting.append((page_id, chunks))
        self._arrived.set()

    async def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """The result of ``function``, run in the publishing thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: function(*args))

    async def drain(self) -> None:
        """Everything put is in the collection, and what is to leave is not. Raises ``WracError``; the rest is safe."""
        await self._stop_working()
        self.error = None  # one more attempt: what went wrong meanwhile may have passed
        while self._waiting or self._embedded:
            await self._embed_batch(get_ready=True)
            if len(self._publisher.ready) >= READY_PAGES:
                await self._publish_patiently()
        await self._publish_patiently()
        await self._patiently(self._withdraw)

    async def stop(self) -> None:
        """The batch at work is done and, when publishing as it goes, what was ready is published."""
        await self._stop_working()
        if self._as_it_goes and self.error is None:
            await self._publish_patiently()

    def close(self) -> None:
        """The thread has ended."""
        self._thread.shutdown()

    async def _stop_working(self) -> None:
        self._stopping = True
        self._arrived.set()
        if self._task is not None:
            await self._task
            self._task = None

    async def _work(self) -> None:
        try:
            while not self._stopping:
                if not self._waiting:
                    if self._publisher.ready and self._timer() >= self._rest_until:
                        await self._publish_quietly()
                    await self._next_arrival()
                    continue
                # While a reader holds the collection, pages wait with their vectors in the archive, not in memory.
                has_room = len(self._publisher.ready) < READY_PAGES
                await self._embed_batch(get_ready=self._as_it_goes and has_room)
                if self._is_time_to_publish():
                    await self._publish_quietly()
        except WracError as error:
            self.error = error

    async def _next_arrival(self) -> None:
        self._arrived.clear()
        if self._stopping or self._waiting:  # came before the line above
            return
        try:
            await asyncio.wait_for(self._arrived.wait(), timeout=MIN_REST_SECONDS)
        except TimeoutError:
            return

    def _is_time_to_publish(self) -> bool:
        ready = len(self._publisher.ready)
        return ready > 0 and (ready >= READY_PAGES or self._timer() >= self._rest_until)

    async def _embed_batch(self, *, get_ready: bool) -> None:
        batch = self._next_batch(get_ready)
        try:
            await self.call(lambda: self._publisher.embed([page for page, _ in batch], get_ready=get_ready))
        except BaseException:
            self._waiting.extendleft(reversed(batch))
            raise
        if not get_ready:
            self._embedded += [page for page, _ in batch]

    def _next_batch(self, get_ready: bool) -> list[tuple[str, int]]:
        if get_ready and self._embedded:
            batch = [(page, 0) for page in self._embedded[:READY_PAGES]]
            del self._embedded[:READY_PAGES]
            return batch
        batch, chunks = [], 0
        while self._waiting and (not batch or chunks + self._waiting[0][1] <= BATCH_CHUNKS):
            batch.append(self._waiting.popleft())
            chunks += batch[-1][1]
        return batch

    async def _publish_quietly(self) -> None:
        """Readers may have the collection now; there is time."""
        try:
            await self._publish()
        except StoreLocked:
            self._rest_until = self._timer() + MIN_REST_SECONDS

    async def _publish_patiently(self) -> None:
        await self._patiently(self._publish)

    async def _withdraw(self) -> None:
        await self.call(self._publisher.withdraw)

    async def _patiently(self, work: Callable[[], Awaitable[None]]) -> None:
        give_up_at = self._timer() + LOCK_PATIENCE_SECONDS
        while True:
            try:
                return await work()
            except StoreLocked:
                if self._timer() >= give_up_at:
                    raise
                await asyncio.sleep(_LOCK_RETRY_SECONDS)

    async def _publish(self) -> None:
        since = self._timer()
        await self.call(self._publisher.publish)
        now = self._timer()
        self._rest_until = now + max(MIN_REST_SECONDS, REST_FACTOR * (now - since))
