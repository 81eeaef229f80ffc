"""Sitemaps (sitemaps.org 0.9): indexes, urlsets, plain text, gzip; broken ones give what can be read of them.

XML is read without DTD, entities and network. Bounds: nesting, number of sitemaps, bytes after decompression, URLs.
"""

from __future__ import annotations

import asyncio
import logging
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import TYPE_CHECKING

from lxml import etree
from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from crawler.middlewares.robots import RobotsMiddleware
from wrac.urls import join_url, request_url

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

MAX_DEPTH = 3
MAX_SITEMAPS = 1_000
MAX_BYTES = 64 * 1024 * 1024
"""After decompression; the protocol allows 50 MB."""
_GZIP = b"\x1f\x8b"
_PIECE = 65_536
"""Bytes decompressed in one go."""
_BETWEEN_RESTS = 500
"""Locations after which other work has its turn: a sitemap may name 50,000."""
_ENTITY_MARKS = (b"<!DOCTYPE", b"<!ENTITY")


@dataclass(frozen=True, slots=True)
class Location:
    """A URL of a sitemap."""

    url: str
    is_sitemap: bool = False
    alternates: tuple[tuple[str, str], ...] = ()
    """(language, URL) pairs of ``xhtml:link rel=alternate``."""
    modified: datetime | None = None
    """``lastmod``, where it can be read; in UTC where it names no zone."""


class SitemapReader:
    """Reads the sitemaps that a site declares or keeps in the usual place, each once."""

    def __init__(self, crawler: Crawler, limit: int) -> None:
        self._crawler = crawler
        self._left = limit
        self._seen: set[str] = set()

    async def locations(self, start_url: str) -> AsyncIterator[Location]:
        """Page URLs from robots.txt ``Sitemap:`` lines and ``/sitemap.xml`` of the origin of ``start_url``."""
        pending = [(url, 0) for url in reversed(await self._roots(start_url))]
        while pending and self._left > 0 and len(self._seen) < MAX_SITEMAPS:
            url, depth = pending.pop()
            if not url or url in self._seen:
                continue
            self._seen.add(url)
            nested: list[tuple[str, int]] = []
            for location in read_sitemap(await self._fetch(url), url):
                if location.is_sitemap:
                    if depth < MAX_DEPTH:
                        nested.append((location.url, depth + 1))
                elif self._left > 0:
                    self._left -= 1
                    yield location
                    if self._left % _BETWEEN_RESTS == 0:
                        await asyncio.sleep(0)
            pending.extend(reversed(nested))

    async def _roots(self, start_url: str) -> list[str]:
        robots = self._crawler.get_downloader_middleware(RobotsMiddleware)
        declared: tuple[str, ...] = ()
        if robots is not None:
            declared = (await robots.rules(Request(start_url))).sitemaps
        return [*(join_url(start_url, url) for url in declared), join_url(start_url, "/sitemap.xml")]

    async def _fetch(self, url: str) -> bytes:
        """The sitemap's bytes, decompressed; nothing where it cannot be had."""
        request = Request(url, callback=NO_CALLBACK, priority=500, dont_filter=True)
        try:
            response = await self._crawler.engine.download_async(request)
        except Exception as error:  # noqa: BLE001 - a sitemap is a help, its loss is no failure of the crawl
            logger.info("Sitemap %s cannot be fetched: %s", url, error)
            return b""
        if response.status != 200:
            return b""
        return decompressed(response.body)


def decompressed(body: bytes) -> bytes:
    """The body, gunzipped where it is gzip, up to ``MAX_BYTES``; what was readable of a damaged one."""
    if not body.startswith(_GZIP):
        return body[:MAX_BYTES]
    stream = zlib.decompressobj(wbits=31)
    pieces: list[bytes] = []
    left = MAX_BYTES
    # Piece by piece: where one is damaged, those before it are there.
    for start in range(0, len(body), _PIECE):
        try:
            pieces.append(stream.decompress(body[start : start + _PIECE], left))
        except zlib.error:
            break
        left -= len(pieces[-1])
        if left <= 0 or stream.eof:
            break
    return b"".join(pieces)


def read_sitemap(body: bytes, base: str) -> Iterator[Location]:
    """Locations of a sitemap in the order of the file; nothing for what is no sitemap."""
    text = body.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith(b"<"):
        yield from _read_xml(text, base)
    elif text[:8].lower().startswith(b"http"):
        for line in text.split(b"\n"):
            if url := request_url(line.decode("utf-8", "replace").strip()):
                yield Location(url)


def _read_xml(body: bytes, base: str) -> Iterator[Location]:
    if any(mark in body[:4096] for mark in _ENTITY_MARKS):
        logger.info("Sitemap %s declares a document type and is not read", base)
        return
    events = etree.iterparse(
        BytesIO(body),
        events=("end",),
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        for _, element in events:
            name = etree.QName(element).localname
            if name in ("url", "sitemap"):
                if location := _location(element, base, is_sitemap=name == "sitemap"):
                    yield location
                element.clear()
                # Cleared siblings would stay attached to the root and keep their memory.
                while element.getprevious() is not None:
                    del element.getparent()[0]
    except etree.XMLSyntaxError as error:
        logger.info("Sitemap %s is damaged: %s", base, error)


def _location(element: etree._Element, base: str, *, is_sitemap: bool) -> Location | None:
    url, alternates, modified = "", [], None
    for child in element:
        name = etree.QName(child).localname if isinstance(child.tag, str) else ""
        if name == "loc" and not url:
            url = join_url(base, (child.text or "").strip())
        elif name == "lastmod":
            modified = _moment(child.text or "")
        elif name == "link" and child.get("hreflang") and child.get("href"):
            alternates.append((child.get("hreflang", ""), join_url(base, child.get("href", ""))))
    return Location(url, is_sitemap, tuple(alternates), modified) if url else None


def _moment(text: str) -> datetime | None:
    """A W3C date or time; of a whole day, its end."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    if len(text.strip()) == len("2026-01-31"):
        moment += timedelta(days=1)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
