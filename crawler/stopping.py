"""A polite stop that does not wait for what was not sent yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest
from twisted.python.failure import Failure

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class Interrupted(IgnoreRequest):
    """The crawl was stopped before this request was sent: its URL has no outcome and is met again by the next run."""


def drop_unsent_requests(crawler: Crawler) -> None:
    """Requests that wait for their turn (a delay, a Retry-After of minutes) fail at once with ``Interrupted``."""
    for slot in crawler.engine.downloader.slots.values():
        while slot.queue:
            _, waiting = slot.queue.popleft()
            waiting.errback(Failure(Interrupted("the crawl was stopped")))  # type: ignore[no-untyped-call]
