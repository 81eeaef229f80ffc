"""Asks a host for an address that cannot exist: what it answers then is no content."""

from __future__ import annotations

import logging
import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from crawler.credentials import origin
from crawler.fetched import fetched_page
from crawler.frontier import Entry
from crawler.redirects import leads_to_login, redirect_target
from wrac.urls import join_url

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from ingest.run import IngestRun

logger = logging.getLogger(__name__)


class MissingPageProbe:
    """One question for each host of a crawl."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._asked: set[str] = set()

    async def ask(self, url: str, run: IngestRun) -> None:
        """``run`` knows how the host of ``url`` answers for addresses beside it that do not exist.

        Most hosts answer 404, from which there is nothing to learn. No answer is no failure of the crawl.
        """
        if (site := origin(url)) in self._asked:
            return
        self._asked.add(site)
        target = join_url(url, f"no-such-page-{secrets.token_hex(8)}")
        meta = {"handle_httpstatus_all": True}
        request = Request(target, callback=NO_CALLBACK, meta=meta, priority=400, dont_filter=True)
        try:
            response = await self._crawler.engine.download_async(request)
        except Exception as error:  # noqa: BLE001 - robots.txt may forbid it, the connection may break
            logger.info("Could not ask %s for a page that does not exist: %s", site, error)
            return
        if leads_to := redirect_target(response):
            if not leads_to_login(target, leads_to):
                run.learn_missing_redirect(leads_to)
        elif response.status == 200:
            await run.learn_missing_page(fetched_page(response, Entry(target, 1), datetime.now(UTC)))
