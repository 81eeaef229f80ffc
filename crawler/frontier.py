"""What is still to be fetched, and the one judgement that every discovered URL gets.

The frontier holds short strings and numbers, never requests: a hundred thousand URLs cost tens of megabytes. Scrapy's
scheduler only ever sees the few that are in flight, so the crawl cannot outrun the workers that process its pages.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.media import asset_suffix
from crawler.versions import VersionScope
from wrac.records import Outcome, PageOutcome
from wrac.urls import netloc_of, page_key, request_url, trap_reason, url_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crawler.languages import LanguageScope
    from wrac.config import SiteProfile
    from wrac.scope import Scope

MAX_LENGTH = 8_192
"""Characters. No server has to serve a longer URL (RFC 9110, section 4.1 asks for 8,000 octets)."""

MAX_KNOWN = 1_000_000
"""Distinct links that one crawl keeps in mind, at some hundred bytes each; a site without end is not followed on."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A URL to fetch."""

    url: str
    depth: int
    """Links followed from the start."""
    hops: tuple[str, ...] = ()
    """URLs that redirected here, first one first."""


class Frontier:
    """A breadth-first queue of URLs; each page enters at most once, whatever its spellings.

    ``reject`` is called once for every URL of the site that is kept out, with its outcome.
    """

    def __init__(
        self,
        profile: SiteProfile,
        scope: Scope,
        languages: LanguageScope,
        *,
        in_flight: int,
        reject: Callable[[PageOutcome, int], None],
    ) -> None:
        self.scope = scope
        self.passed_by = 0
        """Links out of scope, absurdly long or beyond ``MAX_KNOWN``: no part of this crawl, so without an outcome."""
        self._profile = profile
        self._languages = languages
        self._versions = VersionScope(profile.versions, tuple(map(request_url, profile.start_urls)))
        self._secure = frozenset(netloc_of(url) for url in map(request_url, profile.start_urls) if url[:5] == "https")
        """Hosts that are crawled by https: their http links are, too."""
        self._limit = in_flight
        self._reject = reject
        self._queue: deque[Entry] = deque()
        self._met: set[str] = set()
        self._entered: dict[str, str] = {}
        """Page key -> the URL under which the page entered; empty where it was kept out."""
        self._spellings: dict[str, str] = {}
        """Page key -> another URL for the same page, should the first one be missing."""
        self._patterns: Counter[str] = Counter()
        self._in_flight = 0
        self._holds = 0
        self._taken = 0
        self._closed = False
        self._changed = asyncio.Event()

    def __len__(self) -> int:
        return len(self._queue)

    @property
    def in_flight(self) -> int:
        """Entries taken and not yet done."""
        return self._in_flight

    def add_start(self, url: str) -> None:
        """Queues a start URL; the operator named it, so that only a repetition keeps it out."""
        target = request_url(url)
        if page_key(target) not in self._entered:
            self._enter(Entry(target, 0))

    def add(self, url: str, depth: int) -> None:
        """Queues the target of a link where it is new, in scope and inside all limits."""
        if url in self._met:
            return
        if len(url) > MAX_LENGTH or len(self._met) >= MAX_KNOWN:
            self.passed_by += 1
            return
        self._met.add(url)
        target = request_url(url)
        if not target:
            return
        if target[:5] == "http:" and netloc_of(target) in self._secure:
            target = f"https{target[4:]}"
        key = page_key(target)
        if (known := self._entered.get(key)) is not None:
            if known and known != target:
                self._spellings.setdefault(key, target)
        elif target not in self.scope:
            self.passed_by += 1
        elif self._is_admitted(target, key, depth):
            self._enter(Entry(target, depth))

    def follow(self, entry: Entry, target: str) -> bool:
        """Queues the target of a redirect next, unless it was met before. False where the redirect goes in a circle."""
        hops = (*entry.hops, entry.url)
        if target in hops:
            return False
        key = page_key(target)
        # A redirect between spellings of one page (a slash, https) is followed although its key is taken by its source.
        if key not in self._entered or key in map(page_key, hops):
            self._entered[key] = target
            self._queue.appendleft(Entry(target, entry.depth, hops))
            self._changed.set()
        return True

    def try_other_spelling(self, entry: Entry) -> None:
        """Queues another URL for a page that is missing under its first one (``/x`` where ``/x/`` is not found)."""
        if other := self._spellings.pop(page_key(entry.url), ""):
            self.follow(entry, other)

    def revisit(self, url: str, depth: int) -> None:
        """Queues a page of an earlier crawl that this one did not come by, unless the profile keeps it out now."""
        target = request_url(url)
        if not target or self._entered.get(page_key(target)):
            return
        if target in self.scope:
            self._enter(Entry(target, depth))
        else:
            self._reject(PageOutcome(target, Outcome.OUT_OF_SCOPE, "outside of the profile's scope"), depth)

    def mark_done(self, url: str) -> None:
        """The page is not fetched in this crawl, because an interrupted one has it."""
        target = request_url(url)
        self._met.add(url)
        if target and page_key(target) not in self._entered:
            self._entered[page_key(target)] = target
            self._count_pattern(target)
            self._taken += 1

    async def take(self) -> Entry | None:
        """The next entry, as soon as there is one and room in flight; None when the crawl has come to its end."""
        while not self._closed:
            if self._taken >= self._profile.max_pages:
                self._refuse_rest()
            if self._queue and self._in_flight < self._limit:
                entry = self._queue.popleft()
                if reason := self._versions.superseded(entry.url):
                    self._reject(PageOutcome(entry.url, Outcome.OUT_OF_SCOPE, reason), entry.depth)
                    continue
                self._in_flight += 1
                self._taken += 1
                return entry
            if not (self._queue or self._in_flight or self._holds):
                return None
            self._changed.clear()
            await self._changed.wait()
        return None

    def done(self) -> None:
        """One entry that was taken has its outcome, and its links were added."""
        self._in_flight -= 1
        self._changed.set()

    @contextmanager
    def hold(self) -> Iterator[None]:
        """While inside, more URLs may come from elsewhere: the crawl does not end."""
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1
            self._changed.set()

    def close(self) -> None:
        """Nothing more is taken."""
        self._closed = True
        self._changed.set()

    def _enter(self, entry: Entry) -> None:
        self._entered[page_key(entry.url)] = entry.url
        self._versions.learn(entry.url)
        self._queue.append(entry)
        self._changed.set()

    def _is_admitted(self, target: str, key: str, depth: int) -> bool:
        outcome, reason = Outcome.LIMIT, ""
        if language := self._languages.foreign(target):
            outcome, reason = Outcome.LANGUAGE, f"hreflang says {language}"
        elif suffix := asset_suffix(target):
            outcome, reason = Outcome.UNSUPPORTED, f"a .{suffix} file, not fetched"
        elif depth > self._profile.max_depth:
            reason = f"max_depth {self._profile.max_depth}"
        else:
            reason = trap_reason(target) or self._count_pattern(target)
        if reason:
            self._entered[key] = ""
            self._reject(PageOutcome(target, outcome, reason), depth)
        return not reason

    def _count_pattern(self, target: str) -> str:
        """Why one more URL of this pattern is one too many; empty where it is not."""
        pattern = url_pattern(target)
        if not pattern:
            return ""
        self._patterns[pattern] += 1
        limit = self._profile.max_per_pattern
        return f"max_per_pattern {limit} for {pattern}" if self._patterns[pattern] > limit else ""

    def _refuse_rest(self) -> None:
        reason = f"max_pages {self._profile.max_pages}"
        while self._queue:
            entry = self._queue.popleft()
            self._reject(PageOutcome(entry.url, Outcome.LIMIT, reason), entry.depth)
