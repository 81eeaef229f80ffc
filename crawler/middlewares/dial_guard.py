"""Keeps the crawl from dialling addresses that the operator did not consent to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import CannotResolveHostError
from scrapy.utils.httpobj import urlparse_cached

from crawler.resolver import GuardedResolver
from wrac.net import DialPolicy
from wrac.urls import DEFAULT_PORTS

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler


class AddressRefused(Exception):
    """The host resolves to an address that must not be dialled; the message says which and what to do."""


class DialGuardMiddleware:
    """Puts a ``GuardedResolver`` in front of the reactor's own while the spider is open, and names its refusals."""

    def __init__(self, policy: DialPolicy) -> None:
        self._policy = policy
        self._resolver: GuardedResolver | None = None
        self._restore: Any = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The spider's profile says what was consented to; other spiders reach public addresses only."""
        profile = getattr(crawler.spider, "profile", None)
        policy = DialPolicy.of(profile.start_urls, profile.allow_private) if profile else DialPolicy()
        middleware = cls(policy)
        crawler.signals.connect(middleware.spider_opened, signals.spider_opened)
        crawler.signals.connect(middleware.engine_stopped, signals.engine_stopped)
        return middleware

    def spider_opened(self, spider: Spider) -> None:  # noqa: ARG002
        """From here on, names resolve to dialable addresses only."""
        reactor = _reactor()
        self._resolver = GuardedResolver(reactor.nameResolver, self._policy, reactor.seconds)
        self._restore = reactor.installNameResolver(self._resolver)

    def engine_stopped(self) -> None:
        """The reactor has its own resolver back."""
        if self._restore is not None:
            _reactor().installNameResolver(self._restore)
            self._restore = None

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Raises ``AddressRefused`` where a failed look-up was a refusal; there is nothing to retry."""
        if self._resolver is None or not isinstance(exception, CannotResolveHostError):
            return
        parts = urlparse_cached(request)
        port = parts.port or DEFAULT_PORTS.get(parts.scheme, 0)
        if refusal := self._resolver.refusal(parts.hostname or "", port):
            raise AddressRefused(refusal) from exception


def _reactor() -> Any:
    from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

    return reactor
