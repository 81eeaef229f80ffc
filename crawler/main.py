"""One crawl from start to exit code, the same from ``scrapy crawl docs_site``, ``wrac crawl`` and Python."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings

from crawler.arguments import accepts_loss, profile_from_arguments
from crawler.ending import settle
from crawler.extensions.ingest import Ingest
from crawler.report import exit_code, print_end
from crawler.spiders.docs_site import DocsSite
from wrac.config import load_settings
from wrac.errors import ConfigError
from wrac.exit_codes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.crawler import CrawlerProcessBase


def run_crawl(
    url: str | None = None,
    site: str | None = None,
    *,
    overrides: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> int:
    """Crawls ``url``, or the profile ``sites/SITE.toml``, in this process and returns the exit code.

    ``overrides`` are keys of the site profile, ``settings`` are Scrapy settings. Needs no ``scrapy.cfg``. Can be called
    once in a process: Twisted's reactor does not start twice.
    """
    scrapy_settings = Settings()
    scrapy_settings.setmodule("crawler.settings", priority="project")
    scrapy_settings.setdict(dict(settings or {}), priority="cmdline")
    arguments = {"url": url, "site": site, **(overrides or {})}
    given = {key: value for key, value in arguments.items() if value is not None}
    return crawl_in(AsyncCrawlerProcess(scrapy_settings), given)


def crawl_in(process: CrawlerProcessBase, arguments: Mapping[str, Any]) -> int:
    """Runs ``docs_site`` with spider arguments in ``process``, prints how it ended and returns the exit code."""
    try:
        profile = profile_from_arguments(arguments)
        load_settings()
        crawler = process.create_crawler(DocsSite)
        crawl = process.crawl(crawler, profile, accept_loss=accepts_loss(arguments))
    except ConfigError as error:
        print(f"Error: {error}", file=sys.stderr)  # noqa: T201
        return ExitCode.USAGE
    process.start()
    return _finish(crawler, crawl, arguments)


def _finish(crawler: Any, crawl: Any, arguments: Mapping[str, Any]) -> int:
    failure = crawl.exception() if hasattr(crawl, "exception") and crawl.done() and not crawl.cancelled() else None
    if isinstance(failure, ConfigError):
        print(f"Error: {failure}", file=sys.stderr)  # noqa: T201
        return ExitCode.USAGE
    ingest = crawler.get_extension(Ingest) if failure is None else None
    if ingest is None:
        print(f"Error: the crawl broke off: {failure!r}", file=sys.stderr)  # noqa: T201
        return ExitCode.UNEXPECTED
    print_end(ingest.end, crawler.spider, arguments)
    code = exit_code(ingest.end, crawler.spider)
    settle(ingest, crawler.spider, code)
    return code
