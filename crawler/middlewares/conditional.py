"""Conditional requests (RFC 9110, section 13): pages are asked for with the validators that came with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.extensions.ingest import Ingest

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler


class ConditionalRequestMiddleware:
    """Puts ``If-None-Match`` and ``If-Modified-Since`` on requests for pages whose last body is in the archive.

    A server that knows the page to be unchanged answers 304 without a body; one that does not understand sends it.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """One instance per crawl."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Only requests of the spider for pages: robots.txt, sitemaps and probes have no entry."""
        ingest = self._crawler.get_extension(Ingest)
        if ingest is None or "entry" not in request.cb_kwargs:
            return
        validators = ingest.run.validators(request.url)
        if validators.etag:
            request.headers[b"If-None-Match"] = validators.etag
        if validators.last_modified:
            request.headers[b"If-Modified-Since"] = validators.last_modified
