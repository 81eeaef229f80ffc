"""Documents on their way to planning, through the multimodal model: beside the crawl, in threads that wait for it.

A document comes as its own converter made it, already in the archive. The transcript replaces it; whatever goes wrong,
it keeps what it came with and goes on. Nothing is lost with the process: pages that were paid for are in the ledger.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from conversion.drac.figures import TranscriptionFigures
from conversion.drac.printed import transcribe_printed
from ingest.archive import Damaged, Kind
from ingest.background import in_daemon_thread
from ingest.changes import as_fetched
from ingest.codec import encode
from ingest.gather import find_record
from ingest.ledger.rows import PageState
from ingest.page import process_page
from ingest.transcription import (
    LedgerPageCache,
    open_transcriber,
    require_transcriber_price,
    transcription_options,
)
from wrac.errors import TransientError, WracError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from chunking.planners.figures import PlanningFigures
    from conversion.documents import ConvertedDocument
    from ingest.archive import Archive
    from ingest.bill import Account
    from ingest.ledger import Ledger
    from ingest.ledger.rows import PageRow
    from ingest.page import PageSettings
    from ingest.planning_stage import PlanningStage, Ready
    from wrac.config import Settings
    from wrac.recipe import Recipes

DOCUMENTS_AT_ONCE = 2
"""Each has several calls under way; a second one fills the gaps at the end of the first."""
STOP_SECONDS = 20.0
"""How long an interrupted crawl waits for replies that are under way, and paid for."""
INTERRUPTED = "the crawl was interrupted"

logger = logging.getLogger(__name__)


def prepare(settings: Settings, environment: Mapping[str, str]) -> None:
    """Raises ``ConfigError`` where transcription cannot begin: no price, no key."""
    require_transcriber_price(settings)
    open_transcriber(settings, environment).close()


@dataclass(frozen=True, slots=True)
class _Transcribed:
    """What became of one document."""

    row: PageRow
    """With its new record."""
    is_whole: bool
    """False where pages wait for a model that could not be asked."""


class Transcribing:
    """Passes pages on to a planning stage, documents after their transcription. Implements ``PlanningStage``."""

    def __init__(
        self,
        settings: Settings,
        pages: PageSettings,
        environment: Mapping[str, str],
        ledger: Ledger,
        archive: Archive,
        account: Account,
        recipes: Recipes,
        ready: Ready,
        planning: Callable[[Ready], PlanningStage],
    ) -> None:
        """``planning`` makes the stage that follows, given what takes its pages."""
        self.transcription = TranscriptionFigures()
        self.error: WracError | None = None
        """What stopped the work: ledger or archive failed. No fault of a model does."""
        self._client = open_transcriber(settings, environment)
        self._options = transcription_options(settings)
        self._price = require_transcriber_price(settings)
        self._pages = pages
        self._ledger = ledger
        self._archive = archive
        self._account = account
        self._recipes = recipes
        self._formats = {
            recipes.made_by(name, waits=waits).digest: name for name in recipes.documents for waits in (False, True)
        }
        self._came: dict[str, PageRow] = {}
        self._ready = ready
        self._next = planning(self._planned)
        self._waiting: deque[PageRow] = deque()
        self._arrived = asyncio.Event()
        self._interrupted = asyncio.Event()
        self._ending = self._stopping = False
        self._halted = ""
        self._tasks: list[asyncio.Task[None]] = []
        self._at_work = 0
        self._seconds = 0.0

    def __len__(self) -> int:
        """Pages that wait or are at work."""
        return len(self._waiting) + self._at_work + len(self._next)

    @property
    def figures(self) -> PlanningFigures | None:
        """Of the planning that follows."""
        return self._next.figures

    @property
    def seconds(self) -> float:
        """Time spent on transcripts and plans, waiting for servers included, summed over all threads."""
        return self._seconds + self._next.seconds

    @property
    def recipes(self) -> frozenset[str]:
        """See ``PlanningStage.recipes``."""
        return self._next.recipes

    def start(self) -> None:
        """Works beside the crawl from now on."""
        self._next.start()
        self._tasks = [asyncio.create_task(self._work(), name=f"wrac-transcribe-{n}") for n in range(DOCUMENTS_AT_ONCE)]

    def put(self, row: PageRow) -> None:
        """A document is transcribed in its turn; all else is passed on."""
        if row.recipe in self._formats:
            self._waiting.append(row)
            self._arrived.set()
        else:
            self._next.put(row)

    async def drain(self) -> None:
        """Every page put went through both stages. Raises ``StoreError``, ``TransientError`` once interrupted."""
        self._ending = True
        self._arrived.set()
        while self._tasks and not all(task.done() for task in self._tasks) and not self._interrupted.is_set():
            waiting = [*self._tasks, interruption := asyncio.create_task(self._interrupted.wait())]
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            interruption.cancel()
        if self.error is not None:
            raise self.error
        if self._interrupted.is_set():
            await self.stop()
            raise TransientError("interrupted while documents were transcribed: the same command goes on")
        if self.transcription.pages:
            logger.info("transcription: %s", self.transcription.in_words())
        await self._next.drain()
        self._ending = False
        self._tasks = [task for task in self._tasks if not task.done()] or self._anew()

    def interrupt(self) -> None:
        """See ``PlanningStage.interrupt``."""
        self._halted = INTERRUPTED
        self._interrupted.set()
        self._next.interrupt()

    async def stop(self) -> None:
        """Nothing more is asked. What was not finished waits for the next session of the run."""
        self._ending = self._stopping = True
        self._halted = INTERRUPTED
        self._arrived.set()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=STOP_SECONDS)
        for task in self._tasks:
            task.cancel()
        await self._next.stop()

    def close(self) -> None:
        """No connection is kept."""
        self._client.close()
        self._next.close()

    def _anew(self) -> list[asyncio.Task[None]]:
        """``drain`` may be called again after more pages were put."""
        return [asyncio.create_task(self._work(), name=f"wrac-transcribe-{n}") for n in range(DOCUMENTS_AT_ONCE)]

    async def _work(self) -> None:
        while self.error is None:
            if self._stopping or (not self._waiting and self._ending):
                return
            if not self._waiting:
                self._arrived.clear()
                await self._arrived.wait()
                continue
            row = self._waiting.popleft()
            self._at_work += 1
            since = time.monotonic()
            try:
                self._take_in(row, await in_daemon_thread(partial(self._transcribe, row)))
            except WracError as error:
                self.error = error
                self._arrived.set()  # the others need not wait for documents
            finally:
                self._at_work -= 1
                self._seconds += time.monotonic() - since

    def _transcribe(self, row: PageRow) -> _Transcribed | None:
        """In a thread. None where the document stays as it is."""
        record = find_record(self._archive, row.record)
        if record is None or record.document.converter.startswith("drac/"):
            return None  # the publisher says what is wrong with it; or by an earlier session
        whole = [True]

        def convert(data: bytes, url: str) -> ConvertedDocument:
            done = transcribe_printed(
                data,
                url,
                client=self._client,
                options=self._options,
                budget=self._account.for_document(row.page_id, self._client.model, self._price),
                cache=LedgerPageCache(self._ledger, row.page_id),
                figures=self.transcription,
                halted=lambda: self._halted,
            )
            whole[0] = done.is_whole
            return done.converted

        try:
            page = as_fetched(row, self._archive.get(Kind.BODY, row.body_digest))
        except Damaged:
            return None
        previous = find_record(self._archive, row.published_record)
        made = process_page(page, self._pages, previous=previous, convert_document=convert)
        if made.record is None:
            # Its own words may quote the document.
            logger.warning("%s stays as it was converted: the transcription gave no content", row.url)
            return None
        after = replace(
            row,
            record=self._archive.put(Kind.PAGE, encode(made.record)),
            markdown_digest=made.record.document.digest,
            facts=made.record.facts,
            chunks=len(made.record.chunks),
            tokens=sum(chunk.tokens for chunk in made.record.chunks),
            recipe=self._recipes.made_by(self._formats[row.recipe], waits=not whole[0]).digest,
        )
        return _Transcribed(after, whole[0])

    def _take_in(self, row: PageRow, done: _Transcribed | None) -> None:
        now = self._ledger.pages.get(row.site, row.page_id)
        if now is None or now.state is not PageState.GATHERED or now.record != row.record:
            return
        if done is not None:
            if self._stopping and not done.is_whole:
                return
            self._ledger.pages.save(done.row)
            self._came[row.page_id] = row
            now = done.row
        self._next.put(now)

    def _planned(self, before: PageRow, after: PageRow) -> None:
        self._ready(self._came.pop(after.page_id, before), after)
