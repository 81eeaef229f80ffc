"""Opens the ingestion run with the spider and ends it with the crawl, whatever happened between."""

from __future__ import annotations

import asyncio
import logging
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import CloseSpider, NotConfigured
from scrapy.utils.misc import load_object

from wrac.config import load_settings
from wrac.errors import WracError

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Spider
    from scrapy.crawler import Crawler

    from ingest.progress import RunSummary
    from ingest.run import IngestRun

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class CrawlEnd:
    """How a crawl ended, for the summary and the exit code."""

    reason: str = ""
    """Scrapy's close reason; ``finished`` where nothing cut the crawl short."""
    error: Exception | None = None
    """What stopped the run."""
    gave_up: str = ""
    """Why the crawler stopped by itself before the end; empty where it did not."""
    summary: RunSummary | None = None
    """The run's summary; None where the run never started or could not be closed."""


class Ingest:
    """Owner of the run, which is open from ``spider_opened`` until the spider is closed."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._factory = load_object(crawler.settings["WRAC_RUN"])
        self._started = False
        self._finished: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._run: IngestRun | None = None
        self.end = CrawlEnd()
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)
        crawler.signals.connect(self.engine_stopped, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Only for spiders that carry a site profile."""
        if getattr(crawler.spider, "profile", None) is None:
            raise NotConfigured("the spider has no site profile")
        return cls(crawler)

    async def spider_opened(self, spider: Spider) -> None:
        """The run has started; otherwise the spider closes before its first request, and ``end.error`` says why."""
        try:
            self._run = self._factory(
                load_settings(),
                spider.profile,  # type: ignore[attr-defined]
                accept_loss=spider.accept_loss,  # type: ignore[attr-defined]
            )
            await self.run.start()
        except Exception as error:
            # Any other end of this handler would let the spider crawl without a run.
            if not isinstance(error, WracError):
                logger.exception("The run could not be started")
            self.end.error = error
            raise CloseSpider(type(error).__name__) from error
        self._started = True

    @property
    def run(self) -> IngestRun:
        """The run of this crawl. Raises ``RuntimeError`` before ``spider_opened``."""
        if self._run is None:
            raise RuntimeError("the run opens with the spider")
        return self._run

    @property
    def has_started(self) -> bool:
        """Whether ``run`` can be asked how far it is."""
        return self._started

    @property
    def is_open(self) -> bool:
        """Whether pages can be given to ``run``."""
        return self._started and self._finished is None

    def abort(self, error: Exception) -> None:
        """The spider closes; the first error is what the crawl ends with, and the run stays resumable."""
        self.end.error = self.end.error or error
        self._close(type(error).__name__)

    def give_up(self, why: str) -> None:
        """The spider closes politely, and the run stays resumable."""
        self.end.gave_up = self.end.gave_up or why
        self._close("gave_up")

    def say_interrupted(self, in_flight: int) -> None:
        """Tells the person who pressed Ctrl-C what happens now."""
        if self._closing is None:
            pages = f"{in_flight} pages in flight are finished first" if in_flight else "nothing is in flight"
            print(f"Interrupted: {pages}; once more stops at once.", file=sys.stderr, flush=True)  # noqa: T201

    def _close(self, reason: str) -> None:
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason=reason))

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        """The run has published what it gathered and is closed."""
        self.end.reason = reason
        if self._started:
            completed = reason == "finished"
            self._finished = asyncio.ensure_future(self._finish(completed=completed, note=_note(spider, self.end)))
            await self._finished

    async def engine_stopped(self) -> None:
        """A signal that arrives while the run is being closed must not cut that short."""
        if self._finished is None:
            return
        if not self._finished.done():
            message = "Interrupted: what was fetched is being published; once more stops at once, and nothing is lost."
            print(message, file=sys.stderr, flush=True)  # noqa: T201
            self.run.interrupt()
        await asyncio.shield(self._finished)

    async def _finish(self, *, completed: bool, note: str) -> None:
        try:
            summary = self.end.summary = await self.run.finish(completed and self.end.error is None, note)
            self.end.error = self.end.error or summary.error
        except WracError as error:
            self.end.error = self.end.error or error
        except Exception as error:
            logger.exception("The run could not be closed")
            self.end.error = self.end.error or error


def _note(spider: Spider, end: CrawlEnd) -> str:
    """Why the crawl is none of the whole site; empty where it is."""
    if end.gave_up:
        return end.gave_up
    if getattr(spider, "start_pages", 0):
        return ""
    failures = getattr(spider, "start_failures", ())
    return "; ".join(f"the start page {ended.url} gave nothing: {ended.reason} ({ended.outcome})" for ended in failures)
