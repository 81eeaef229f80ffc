"""robots.txt by RFC 9309: one fetch per origin, an answer that says why, sitemaps and Crawl-delay passed on."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy import Request, signals
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import build_from_crawler, load_object

from crawler.stopping import Interrupted

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser

MAX_BYTES = 512 * 1024
"""What is read of a robots.txt; RFC 9309, section 2.5 asks for at least 500 KiB."""


class RobotsDenied(IgnoreRequest):
    """robots.txt does not allow this URL, or could not be read in a way that forbids everything."""


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """What one origin's robots.txt came to."""

    parser: RobotParser | None = None
    """None where there are no rules."""
    denial: str = ""
    """Why everything is forbidden; empty where the rules decide."""
    failure: Exception | None = None
    """Why robots.txt could not be fetched; the host's pages then cannot be either."""
    sitemaps: tuple[str, ...] = ()


class RobotsMiddleware:
    """Denies what robots.txt denies (``ROBOTSTXT_OBEY``), and answers for sitemaps and delays whether obeyed or not."""

    PRIORITY = 1000

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._obey = crawler.settings.getbool("ROBOTSTXT_OBEY")
        self._agent: str = crawler.settings["ROBOTSTXT_USER_AGENT"] or crawler.settings["USER_AGENT"]
        self._parser_class = load_object(crawler.settings["ROBOTSTXT_PARSER"])
        self._rules: dict[str, asyncio.Task[RobotsRules]] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """One instance per crawl."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Raises ``RobotsDenied``, or what kept robots.txt from being read at all."""
        if not self._obey or request.meta.get("dont_obey_robotstxt"):
            return
        rules = await self.rules(request)
        if rules.failure is not None:
            raise rules.failure.with_traceback(None)
        if rules.denial:
            raise RobotsDenied(rules.denial)
        if rules.parser is not None and not rules.parser.allowed(request.url, self._agent):
            raise RobotsDenied("forbidden by robots.txt")

    async def rules(self, request: Request) -> RobotsRules:
        """The rules of the request's origin; fetched once."""
        parts = urlparse_cached(request)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._rules:
            self._rules[origin] = asyncio.ensure_future(self._fetch(origin, request))
        return await asyncio.shield(self._rules[origin])

    async def _fetch(self, origin: str, request: Request) -> RobotsRules:
        robots_request = Request(
            f"{origin}/robots.txt",
            priority=self.PRIORITY,
            callback=NO_CALLBACK,
            meta={"dont_obey_robotstxt": True},
        )
        try:
            response = await self._crawler.engine.download_async(robots_request)
        except Interrupted as error:
            return RobotsRules(failure=error)
        except DownloadCancelledError:
            return RobotsRules(denial="robots.txt is larger than max_body_mib of the site profile")
        except IgnoreRequest as error:
            # More redirects than are followed, or a body over the limit: RFC 9309 counts the first as unavailable.
            return RobotsRules() if "redirect" in str(error) else RobotsRules(denial=f"robots.txt: {error}")
        except Exception as error:  # noqa: BLE001 - whatever keeps it from being read keeps the pages from being read
            return RobotsRules(failure=error)
        return self._read(response, request)

    def _read(self, response: Response, request: Request) -> RobotsRules:
        status = response.status
        if status >= 500 or status == 429:
            return RobotsRules(denial=f"robots.txt answers {status}, which forbids everything (RFC 9309)")
        if status >= 300:
            return RobotsRules()
        parser = build_from_crawler(self._parser_class, self._crawler, response.body[:MAX_BYTES])
        self._crawler.signals.send_catch_log(signals.robots_parsed, robotparser=parser, request=request)
        declared = getattr(parser, "rp", None)
        return RobotsRules(parser, sitemaps=tuple(getattr(declared, "sitemaps", ())))
