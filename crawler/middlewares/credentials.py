"""Credentials on every request that they are for: pages, robots.txt and sitemaps alike, each hop judged by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler

    from crawler.credentials import Credentials


class CredentialsMiddleware:
    """Puts the spider's ``credentials`` on requests to trusted origins, and takes them off all others.

    A redirect copies the headers of the request that it answers; Scrapy drops ``Authorization`` and ``Cookie`` on the
    way to another host, but no header of another name.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """One instance per crawl."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """The request carries credentials if and only if its own origin is trusted."""
        credentials: Credentials | None = getattr(self._crawler.spider, "credentials", None)
        if credentials is None:
            return
        trusted = credentials.trusts(request.url)
        for name, value in credentials.headers.items():
            if trusted:
                request.headers[name] = value
            elif request.headers.get(name) == value.encode():
                del request.headers[name]
