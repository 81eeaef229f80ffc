"""AutoThrottle that also keeps Crawl-delay and Retry-After (RFC 9110, section 10.2.3), which Scrapy applies nowhere."""

from __future__ import annotations

import email.utils
import logging
import time
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.extensions.throttle import AutoThrottle
from scrapy.utils.httpobj import urlparse_cached

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser

logger = logging.getLogger(__name__)

MAX_CRAWL_DELAY = 60.0
"""Seconds. A site that asks for more is crawled at this pace, and the log says so."""
MAX_HOLD = 300.0
"""Seconds. A longer Retry-After is waited for up to here; then the bounded retries decide."""
_HOLD_TO_SAY = 10.0
"""Seconds. A crawl that stands still for longer says why."""
BUSY_STATUSES = frozenset({429, 503})


@dataclass(slots=True)
class _Hold:
    until: float
    delay_before: float


class Politeness(AutoThrottle):
    """Delay of a host's slot: AutoThrottle's, never below ``DOWNLOAD_DELAY`` and Crawl-delay, held while it is busy."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._agent: str = crawler.settings["ROBOTSTXT_USER_AGENT"] or crawler.settings["USER_AGENT"]
        self._obey = crawler.settings.getbool("ROBOTSTXT_OBEY")
        self._floors: dict[str, float] = {}
        self._holds: dict[str, _Hold] = {}
        crawler.signals.connect(self.robots_parsed, signals.robots_parsed)

    def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        """The host's Crawl-delay is kept from the next request on, one request at a time."""
        asked = robotparser.crawl_delay(self._agent) if self._obey else None
        if not asked:
            return
        host = urlparse_cached(request).hostname or ""
        delay = min(float(asked), MAX_CRAWL_DELAY)
        if delay < asked:
            logger.warning("%s asks for a Crawl-delay of %g s; %g s are kept", host, asked, delay)
        downloader = self.crawler.engine.downloader
        floor = self._floors[host] = max(delay, self.crawler.settings.getfloat("DOWNLOAD_DELAY"))
        # Slots are dropped when idle; a new one starts with what stands here.
        downloader.per_slot_settings[host] = {"delay": floor, "concurrency": 1, "jitter": 0.0}
        if slot := downloader.slots.get(host):
            slot.delay, slot.concurrency, slot.jitter = max(slot.delay, floor), 1, 0.0

    def _adjust_delay(self, slot: Slot, latency: float, response: Response) -> None:
        """AutoThrottle's policy between the floor and what the server asked for."""
        host = urlparse_cached(response).hostname or ""
        now = time.monotonic()
        if response.status in BUSY_STATUSES:
            self._hold(host, slot, response, now)
        elif (hold := self._holds.get(host)) is not None:
            if now < hold.until:
                return
            del self._holds[host]
            # Not as fast as before: that was too fast.
            slot.delay = max(1.0, 2 * hold.delay_before)
        else:
            super()._adjust_delay(slot, latency, response)
            slot.delay = max(slot.delay, self._floors.get(host, 0.0))

    def _hold(self, host: str, slot: Slot, response: Response, now: float) -> None:
        known = self._holds.get(host)
        asked = retry_after(response, time.time())
        if asked is None:
            retries = response.request.meta.get("retry_times", 0) if response.request else 0
            asked = max(1.0, 2 * slot.delay) * 2**retries if known is None else max(0.0, known.until - now)
        until = now + min(asked, MAX_HOLD)
        if known is None or until > known.until:
            self._holds[host] = _Hold(until, known.delay_before if known else slot.delay)
            if known is None and until - now >= _HOLD_TO_SAY:
                said = "%s answers %d and asks for patience: no request to it for %.0f s"
                logger.warning(said, host, response.status, until - now)
            # The downloader sends the next request ``delay`` after the last one.
            slot.delay = max(0.0, until - slot.lastseen)


def retry_after(response: Response, now: float) -> float | None:
    """Seconds that the server asks to wait, from a number or a date; None where it does not say or says nonsense."""
    text = (response.headers.get(b"Retry-After") or b"").decode("latin-1").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - now)
