"""Shows how the crawl goes on: one live line on a terminal, a plain line now and then elsewhere; stats for monitors."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.text import Text
from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.log import get_scrapy_root_handler

from crawler.extensions.ingest import Ingest
from crawler.printable import PrintableFilter
from ingest.summary_lines import progress_line

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Spider
    from scrapy.crawler import Crawler

    from ingest.progress import Progress

LIVE_SECONDS = 0.25
PLAIN_SECONDS = 10.0


class ProgressReport:
    """Pages, chunks, queue and rate while the crawl runs; ``wrac/...`` stats while and after."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._started = 0.0
        self._task: asyncio.Task[None] | None = None
        self._interrupted = False
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.engine_stopped, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Only for spiders that carry a site profile."""
        if getattr(crawler.spider, "profile", None) is None:
            raise NotConfigured("the spider has no site profile")
        return cls(crawler)

    def spider_opened(self, spider: Spider) -> None:  # noqa: ARG002
        """Reports until the crawl is closed."""
        if (handler := get_scrapy_root_handler()) is not None:
            handler.addFilter(PrintableFilter())
        self._started = time.monotonic()
        self._task = asyncio.ensure_future(self._report())

    async def engine_stopped(self) -> None:
        """The last figures stand in the stats, and the terminal is given back."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        self._set_stats()

    async def _report(self) -> None:
        console = Console(stderr=True)
        if not console.is_terminal:
            while True:
                await asyncio.sleep(PLAIN_SECONDS)
                self._set_stats()
                print(self._line(), file=sys.stderr, flush=True)  # noqa: T201
        with Live(console=console, auto_refresh=False, transient=True) as live:
            while True:
                await asyncio.sleep(LIVE_SECONDS)
                self._set_stats()
                live.update(Text(self._line(), overflow="ellipsis", no_wrap=True), refresh=True)

    def _line(self) -> str:
        progress = self._progress()
        ingest = self._crawler.get_extension(Ingest)
        if ingest is None or progress is None:
            return "starting ..."
        frontier = getattr(self._crawler.spider, "frontier", None)
        queued = len(frontier) if ingest.is_open and frontier is not None else None
        return progress_line(progress, time.monotonic() - self._started, queued)

    def _progress(self) -> Progress | None:
        ingest = self._crawler.get_extension(Ingest)
        return ingest.run.progress() if ingest is not None and ingest.has_started else None

    def _set_stats(self) -> None:
        progress = self._progress()
        if progress is None:
            return
        stats = self._crawler.stats
        stats.set_value("wrac/pages", progress.pages)
        stats.set_value("wrac/chunks", progress.chunks)
        stats.set_value("wrac/planning", progress.planning)
        stats.set_value("wrac/queue", progress.queue)
        stats.set_value("wrac/embedded", progress.embedded)
        stats.set_value("wrac/published", progress.published)
        for stage, spent in progress.seconds.items():
            stats.set_value(f"wrac/seconds/{stage}", round(spent, 3))
        frontier = getattr(self._crawler.spider, "frontier", None)
        if frontier is not None:
            stats.set_value("wrac/urls_queued", len(frontier))
            stats.set_value("wrac/links_out_of_scope", frontier.passed_by)
