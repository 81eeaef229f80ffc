"""Documents on their way to planning, through the multimodal model: beside the crawl, in threads that wait for it.

A document comes as its own converter made it, already in the archive. The transcript replaces it; whatever goes wrong,
it keeps what it came with and goes on. Nothing is lost with the process: pages that were paid for are in the ledger.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from conversion.drac.detect import DocumentKind
from conversion.drac.figures import TranscriptionFigures
from conversion.drac.normalize import target_kind
from conversion.drac.printed import transcribe_printed
from conversion.versions import DOCUMENT_CONVERTERS
from ingest.archive import Damaged, Kind
from ingest.background import in_daemon_thread
from ingest.changes import as_fetched
from ingest.codec import encode
from ingest.gather import find_record, gathered_page
from ingest.identity import identify
from ingest.ledger.rows import PageState
from ingest.page import process_page
from ingest.row_queue import INTERRUPTED, RowQueue
from ingest.sniff import may_be_document
from ingest.transcription import (
    UNREAD,
    LedgerPageCache,
    open_transcriber,
    require_transcriber_price,
    transcription_options,
)
from wrac.errors import TransientError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from chunking.planners.figures import PlanningFigures
    from conversion.documents import ConvertedDocument
    from ingest.archive import Archive
    from ingest.bill import Account
    from ingest.gather import GatheredPage
    from ingest.ledger import Ledger
    from ingest.ledger.rows import PageRow
    from ingest.page import ProcessedPage
    from ingest.page_settings import PageSettings
    from ingest.planning_stage import PlanningStage, Ready
    from wrac.config import Settings
    from wrac.recipe import Recipes
    from wrac.records import FetchedPage

DOCUMENTS_AT_ONCE = 2
"""Each has several calls under way; a second one fills the gaps at the end of the first."""

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
        self._halted = ""
        self._again = asyncio.Semaphore(DOCUMENTS_AT_ONCE)
        self._queue = RowQueue(
            "wrac-transcribe",
            DOCUMENTS_AT_ONCE,
            handle=self._transcribe,
            take_in=self._take_in,
            interrupted="documents were transcribed",
        )

    def __len__(self) -> int:
        """Pages that wait or are at work."""
        return len(self._queue) + len(self._next)

    @property
    def figures(self) -> PlanningFigures | None:
        """Of the planning that follows."""
        return self._next.figures

    @property
    def seconds(self) -> float:
        """Time spent on transcripts and plans, waiting for servers included, summed over all threads."""
        return self._queue.seconds + self._next.seconds

    @property
    def recipes(self) -> frozenset[str]:
        """See ``PlanningStage.recipes``."""
        return self._next.recipes

    def start(self) -> None:
        """Works beside the crawl from now on."""
        self._next.start()
        self._queue.start()

    def put(self, row: PageRow) -> None:
        """A document is transcribed in its turn; all else is passed on."""
        if row.recipe in self._formats:
            self._queue.put(row)
        else:
            self._next.put(row)

    async def second_look(self, page: FetchedPage, result: GatheredPage, previous: str) -> GatheredPage:
        """A document that its converter got no text from, a scan without OCR above all, as the model reads it.

        The page is not taken in before: a session that is killed meanwhile leaves it to the next one.
        """
        if result.outcome.outcome not in UNREAD or not result.body_digest or not may_be_document(page.body):
            return result
        async with self._again:
            return await in_daemon_thread(partial(self._read_anew, page, result, previous))

    async def drain(self) -> None:
        """Every page put went through both stages. Raises ``StoreError``, ``TransientError`` once interrupted."""
        await self._queue.drain()
        if self.transcription.pages:
            logger.info("transcription: %s", self.transcription.in_words())
        await self._next.drain()

    def interrupt(self) -> None:
        """See ``PlanningStage.interrupt``."""
        self._halted = INTERRUPTED
        self._queue.interrupt()
        self._next.interrupt()

    async def stop(self) -> None:
        """Nothing more is asked. What was not finished waits for the next session of the run."""
        self._halted = INTERRUPTED
        await self._queue.stop()
        await self._next.stop()

    def close(self) -> None:
        """No connection is kept."""
        self._client.close()
        self._next.close()

    def _transcribe(self, row: PageRow) -> _Transcribed | None:
        """In a thread. None where the document stays as it is."""
        record = find_record(self._archive, row.record)
        if record is None or record.document.converter.startswith("drac/"):
            return None  # the publisher says what is wrong with it; or by an earlier session
        try:
            page = as_fetched(row, self._archive.get(Kind.BODY, row.body_digest))
        except Damaged:
            return None
        made, is_whole = self._processed(page, row.page_id, row.published_record)
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
            recipe=self._recipes.made_by(self._formats[row.recipe], waits=not is_whole).digest,
        )
        return _Transcribed(after, is_whole)

    def _processed(self, page: FetchedPage, page_id: str, previous: str) -> tuple[ProcessedPage, bool]:
        """The document through all stages by the model, and whether all of its pages were asked for."""
        is_whole = True

        def convert(data: bytes, url: str) -> ConvertedDocument:
            nonlocal is_whole
            is_whole = False  # until it proves to be
            done = transcribe_printed(
                data,
                url,
                client=self._client,
                options=self._options,
                budget=self._account.for_document(page_id, self._client.model, self._price),
                cache=LedgerPageCache(self._ledger, page_id),
                figures=self.transcription,
                halted=lambda: self._halted,
            )
            is_whole = done.is_whole
            return done.converted

        before = find_record(self._archive, previous)
        return process_page(page, self._pages, previous=before, convert_document=convert), is_whole

    def _read_anew(self, page: FetchedPage, result: GatheredPage, previous: str) -> GatheredPage:
        """In a thread."""
        made, is_whole = self._processed(page, identify(result.outcome.url), previous)
        if self._halted and not is_whole:
            raise TransientError(f"{INTERRUPTED} while documents were transcribed: the same command goes on")
        found = gathered_page(page, made, self._archive)
        if made.record is None:
            return found
        kind = DocumentKind(made.record.document.source_kind)
        # Which recipe it has is told by the format that its own converter would have read.
        read_as = DocumentKind.PDF if kind is DocumentKind.IMAGE else target_kind(kind)
        return replace(found, converter=DOCUMENT_CONVERTERS[read_as], waits=not is_whole)

    def _take_in(self, row: PageRow, done: _Transcribed | None) -> None:
        now = self._ledger.pages.get(row.site, row.page_id)
        if now is None or now.state is not PageState.GATHERED or now.record != row.record:
            return
        if done is not None:
            if self._queue.is_stopping and not done.is_whole:
                return
            self._ledger.pages.save(done.row)
            self._came[row.page_id] = row
            now = done.row
        self._next.put(now)

    def _planned(self, before: PageRow, after: PageRow) -> None:
        self._ready(self._came.pop(after.page_id, before), after)
