"""``docs_site``: crawls one documentation site and hands every page to the ingestion run."""

from __future__ import annotations

import asyncio
import logging
import os
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy.http import Request

from crawler.arguments import accepts_loss, profile_from_arguments
from crawler.credentials import Credentials, origin
from crawler.extensions.ingest import Ingest
from crawler.fetched import fetched_page, joined_header
from crawler.frontier import Entry, Frontier
from crawler.languages import LanguageScope
from crawler.media import is_asset_type
from crawler.outcomes import START_FAILURES, failure_outcome, status_outcome
from crawler.probe import MissingPageProbe
from crawler.redirects import MAX_HOPS, leads_to_login, redirect_target
from crawler.sitemaps import SitemapReader
from crawler.stopping import Interrupted, drop_unsent_requests
from crawler.user_agent import user_agent
from wrac.errors import ConfigError, WracError
from wrac.records import Outcome, PageOutcome
from wrac.scope import Scope
from wrac.urls import request_url

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from wrac.config import SiteProfile
    from wrac.records import PageReport

logger = logging.getLogger(__name__)

MAX_TROUBLES_IN_A_ROW = 25
"""After so many requests in a row that got no answer or ``HOST_TROUBLES``, the crawl stops and can be resumed."""
HOST_TROUBLES = frozenset({429, 500, 502, 503, 504})


class DocsSite(scrapy.Spider):
    """Breadth first from the start URLs, over sitemaps and links, inside the profile's scope and limits.

    Every URL of the site that is met ends with exactly one outcome in the ledger.
    """

    name = "docs_site"

    def __init__(self, profile: SiteProfile, crawler: Crawler, *, accept_loss: bool = False) -> None:
        super().__init__(self.name)
        self.profile = profile
        self.accept_loss = accept_loss
        """A person looked: nothing is held back because much would be lost."""
        self.languages = LanguageScope(profile.languages)
        self.frontier = Frontier(
            profile,
            Scope.of(profile),
            self.languages,
            in_flight=crawler.settings.getint("WRAC_IN_FLIGHT"),
            reject=self._record,
        )
        self.start_failures: list[PageOutcome] = []
        self.start_pages = 0
        """Start pages that could be read."""
        self.credentials = Credentials(profile)
        """Put on by ``CredentialsMiddleware``."""
        self._troubles_in_a_row = 0
        self._probe = MissingPageProbe(crawler)
        self._modified: dict[str, datetime] = {}
        """When pages changed last, by a sitemap; only where that may bring a visit forward."""
        self._looked_for_unseen = False
        self._sitemaps: SitemapReader | None = None
        self._discoveries: dict[str, asyncio.Task[None]] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """The spider of the profile that the arguments name; its keys are Scrapy settings. Raises ``ConfigError``."""
        profile = args[0] if args else profile_from_arguments(kwargs)
        for name, value in _settings_of(profile).items():
            crawler.settings.set(name, value, priority="spider")
        return super().from_crawler(crawler, profile, crawler, accept_loss=accepts_loss(kwargs))

    @property
    def ingest(self) -> Ingest:
        """The extension that owns the run."""
        extension = self.crawler.get_extension(Ingest)
        if extension is None:
            raise ConfigError("the extension crawler.extensions.ingest.Ingest must be enabled")
        return extension

    # ------------------------------------------------------------ requests

    async def start(self) -> AsyncIterator[Request]:
        """One request at a time, as soon as there is room for it; ends when nothing is queued and nothing in flight."""
        self._resume()
        for url in self.profile.start_urls:
            self.frontier.add_start(url)
        try:
            while (entry := await self._next()) is not None:
                yield self._request(entry)
        except asyncio.CancelledError:
            # The engine stops: a signal, or what called for the end of the crawl.
            drop_unsent_requests(self.crawler)
            self.ingest.say_interrupted(self.frontier.in_flight)
            raise
        finally:
            self.frontier.close()

    async def _next(self) -> Entry | None:
        """The next entry to ask for; None at the end of the crawl."""
        while True:
            while (entry := await self.frontier.take()) is not None:
                if (blocked := self.ingest.run.blocked(entry.url)) is not None:
                    self._record(blocked, entry.depth)
                    self.frontier.done()
                elif not await self._put_off(entry):
                    return entry
            if self._looked_for_unseen or not self.start_pages:
                return None
            self._looked_for_unseen = True
            for url, depth in self.ingest.run.unseen():
                self.frontier.revisit(url, max(depth, 1))

    async def _put_off(self, entry: Entry) -> bool:
        """Whether the page is not due, in which case the links that it had are followed instead."""
        if not self.profile.recheck[1] or entry.depth == 0 or entry.hops:
            return False
        if self.ingest.run.is_due(entry.url, self._modified.get(entry.url)):
            return False
        try:
            self._follow_report(self.ingest.run.skip(entry.url, entry.depth), entry)
        finally:
            self.frontier.done()
        await asyncio.sleep(0)
        return True

    def _resume(self) -> None:
        """Pages that an interrupted crawl finished are not fetched again; their links are followed."""
        done = self.ingest.run.resumed()
        for url in done:
            self.frontier.mark_done(url)
        for page in done.values():
            for link in page.links:
                self._follow_link(link, page.depth)
        if done:
            self.start_pages += 1
            for url in self.profile.start_urls:
                self._discover(request_url(url))

    def _request(self, entry: Entry) -> Request:
        return Request(
            entry.url,
            callback=self.parse_page,
            errback=self.on_failure,
            cb_kwargs={"entry": entry},
            meta={"handle_httpstatus_all": True},
            dont_filter=True,
        )

    # ------------------------------------------------------------ responses

    async def parse_page(self, response: Response, entry: Entry) -> None:
        """The URL has its outcome, and what it links to is queued."""
        try:
            await self._judge(response, entry)
        except WracError as error:
            self.ingest.abort(error)
        except Exception as error:
            logger.exception("Fault of the crawler at %s", entry.url)
            self._end(entry, Outcome.FAILED, f"crawler: {error!r}")
        finally:
            self.frontier.done()

    def on_failure(self, failure: Failure) -> None:
        """The URL has the outcome that its failure stands for."""
        error = failure.value or RuntimeError(failure.getErrorMessage())
        try:
            if not isinstance(error, Interrupted):
                outcome, reason = failure_outcome(error)
                self._end(failure.request.cb_kwargs["entry"], outcome, reason)  # type: ignore[attr-defined]
                self._watch_host(reason if outcome is Outcome.UNREACHABLE else "")
        finally:
            self.frontier.done()

    async def _judge(self, response: Response, entry: Entry) -> None:
        self._watch_host(f"HTTP {response.status}" if response.status in HOST_TROUBLES else "")
        if target := redirect_target(response):
            self._redirect(entry, target)
        elif response.status == HTTPStatus.NOT_MODIFIED and _is_conditional(response.request):
            robots_tag = joined_header(response, b"X-Robots-Tag")
            await self._taken(await self.ingest.run.not_modified(entry.url, entry.depth, robots_tag), entry)
        elif ended := status_outcome(response.status):
            self._end(entry, *ended, status=response.status)
            if ended[0] is Outcome.GONE:
                self.frontier.try_other_spelling(entry)
        elif is_asset_type(kind := (response.headers.get(b"Content-Type") or b"").decode("latin-1"), response.url):
            self._end(entry, Outcome.UNSUPPORTED, f"content type {kind.partition(';')[0]}")
        else:
            page = fetched_page(response, entry, datetime.now(UTC))
            await self._taken(await self.ingest.run.process(page, entry.depth), entry)

    async def _taken(self, report: PageReport, entry: Entry) -> None:
        """The run has the page; the crawl goes on from it."""
        if entry.depth == 0:
            await self._probe.ask(entry.url, self.ingest.run)
        self._follow_report(report, entry)
        self._note(report.outcome, entry)

    def _redirect(self, entry: Entry, target: str) -> None:
        if leads_to_login(entry.url, target):
            self._end(entry, Outcome.LOGIN_WALL, f"redirects to the login {target}")
            return
        if entry.depth == 0 and target not in self.frontier.scope:
            self.frontier.scope = self.frontier.scope.following(entry.url, target)
        if target not in self.frontier.scope:
            self._end(entry, Outcome.OUT_OF_SCOPE, f"redirects to {target}", target=target)
        elif len(entry.hops) >= MAX_HOPS:
            self._end(entry, Outcome.HTTP_ERROR, f"more than {MAX_HOPS} redirects, the last to {target}")
        elif entry.depth > 0 and self.ingest.run.is_catch_all(target):
            # Not followed: where it is a page of the site, e.g. the home page, links or the profile lead there, too.
            self._end(entry, Outcome.REDIRECTED, f"to {target}", target=target)
        elif self.frontier.follow(entry, target):
            self._end(entry, Outcome.REDIRECTED, f"to {target}", target=target)
        else:
            self._end(entry, Outcome.HTTP_ERROR, f"redirect loop: {' -> '.join([*entry.hops, entry.url, target])}")

    def _follow_report(self, report: PageReport, entry: Entry) -> None:
        self.languages.learn(entry.url, report.alternates)
        if report.canonical:
            self.frontier.add(report.canonical, max(entry.depth, 1))
        if report.directives.nofollow and self.profile.obey_robots:
            return
        for link in report.links:
            self._follow_link(link, entry.depth)

    def _follow_link(self, link: Any, depth: int) -> None:
        if self.profile.follow_links and not (link.nofollow and self.profile.obey_robots):
            self.frontier.add(link.url, depth + 1)

    # ------------------------------------------------------------ outcomes

    def _end(self, entry: Entry, outcome: Outcome, reason: str, *, status: int = 0, target: str = "") -> None:
        ended = PageOutcome(entry.url, outcome, reason, status, target)
        self._record(ended, entry.depth)
        self._note(ended, entry)

    def _record(self, ended: PageOutcome, depth: int) -> None:
        try:
            self.ingest.run.record(ended, depth=depth)
        except WracError as error:
            self.ingest.abort(error)

    def _note(self, ended: PageOutcome, entry: Entry) -> None:
        """What an outcome means for the whole crawl."""
        if entry.depth > 0 or ended.outcome is Outcome.REDIRECTED:
            return
        if ended.outcome in START_FAILURES:
            self.start_failures.append(ended)
        else:
            self.start_pages += 1
        if ended.outcome not in START_FAILURES or ended.outcome is Outcome.EMPTY:
            # An empty page may be one that a browser would have to build; the sitemap may name others that need none.
            self._discover(entry.url)

    def _watch_host(self, trouble: str) -> None:
        """Gives up where a host stopped serving, instead of asking it for thousands of pages more."""
        self._troubles_in_a_row = self._troubles_in_a_row + 1 if trouble else 0
        if self._troubles_in_a_row == MAX_TROUBLES_IN_A_ROW:
            self.frontier.close()
            self.ingest.give_up(f"{MAX_TROUBLES_IN_A_ROW} requests in a row failed, the last one: {trouble}")

    # ------------------------------------------------------------ discovery

    def _discover(self, url: str) -> None:
        """The sitemaps of the URL's origin are read, once."""
        if self.profile.sitemap and (site := origin(url)) not in self._discoveries:
            self._discoveries[site] = asyncio.ensure_future(self._read_sitemaps(url))

    async def _read_sitemaps(self, url: str) -> None:
        if self._sitemaps is None:
            self._sitemaps = SitemapReader(self.crawler, limit=self.profile.max_pages * 2)
        with self.frontier.hold():
            async for location in self._sitemaps.locations(url):
                self.languages.learn(location.url, location.alternates)
                if location.modified and self.profile.recheck[1]:
                    self._modified[request_url(location.url)] = location.modified
                self.frontier.add(location.url, 1)


def _is_conditional(request: Request | None) -> bool:
    """Whether the request said what is known of its page, so that 304 says that it is as it was."""
    return request is not None and any(name in request.headers for name in (b"If-None-Match", b"If-Modified-Since"))


def _settings_of(profile: SiteProfile) -> dict[str, Any]:
    """The profile's keys as Scrapy settings."""
    return {
        "USER_AGENT": user_agent(profile),
        "ROBOTSTXT_USER_AGENT": user_agent(profile),
        "ROBOTSTXT_OBEY": profile.obey_robots,
        "DOWNLOAD_DELAY": profile.delay,
        "AUTOTHROTTLE_START_DELAY": profile.delay,
        "AUTOTHROTTLE_TARGET_CONCURRENCY": float(profile.concurrency),
        "CONCURRENT_REQUESTS_PER_DOMAIN": profile.concurrency,
        "DOWNLOAD_TIMEOUT": profile.timeout,
        "DOWNLOAD_MAXSIZE": profile.max_body_mib * 1024 * 1024,
        "WRAC_IN_FLIGHT": profile.concurrency + 2 * (os.cpu_count() or 1) + 2,
    }
