"""``scrapy crawl``: Scrapy's own command, with an exit code that says how ``docs_site`` ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.commands.crawl import Command as ScrapyCrawl

from crawler.main import crawl_in
from crawler.spiders.docs_site import DocsSite

if TYPE_CHECKING:
    import argparse


class Command(ScrapyCrawl):
    """Any spider runs as usual; ``docs_site`` ends with a summary and an ``ExitCode`` (docs/exit-codes.md)."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """The crawl has ended, and ``exitcode`` is set."""
        if args != [DocsSite.name] or self.crawler_process is None:
            super().run(args, opts)
            return
        self.exitcode = crawl_in(self.crawler_process, opts.spargs)
