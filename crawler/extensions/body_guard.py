"""Stops a download as soon as its headers say that the body is no page and no document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import StopDownload

from crawler.media import is_asset_type

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Headers


class BodyGuard:
    """Listens to ``headers_received``; robots.txt and sitemaps, which no entry of the frontier asked for, pass."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Connected for the whole crawl."""
        guard = cls()
        crawler.signals.connect(guard.headers_received, signals.headers_received)
        return guard

    def headers_received(self, headers: Headers, request: Request) -> None:
        """Raises ``StopDownload`` for images, archives, scripts and the like."""
        if "entry" not in request.cb_kwargs:
            return
        kind = headers.get(b"Content-Type") or b""
        if is_asset_type(kind.decode("latin-1"), request.url):
            raise StopDownload(fail=True)
