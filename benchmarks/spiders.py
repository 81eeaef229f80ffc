"""The two crawls that ours is compared with, both over a list of URLs and both writing one file per page.

    python -m benchmarks.spiders bodies|known|naive URL_LIST FOLDER

bodies  a bare Scrapy spider that saves the bodies: the floor
known   the same, asking whether the pages changed since it began: what is left of it where none did
naive   the callback that one finds in tutorials: trafilatura, BeautifulSoup, markdownify, markdown-it-py
"""

from __future__ import annotations

import argparse
from email.utils import formatdate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess

from wrac.ids import digest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.http import Response

SETTINGS: dict[str, Any] = {
    "LOG_LEVEL": "ERROR",
    "ROBOTSTXT_OBEY": True,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
}


class Bodies(Spider):
    """Saves bodies, nothing else."""

    name = "bodies"

    def __init__(self, urls: list[str], folder: Path) -> None:
        super().__init__()
        self.urls, self.folder = urls, folder

    async def start(self) -> AsyncIterator[Request]:
        """One request for each URL."""
        for url in self.urls:
            yield Request(url)

    def parse(self, response: Response) -> None:
        """The body is in a file."""
        (self.folder / digest(response.url)).write_bytes(response.body)


class Known(Bodies):
    """Asks for what changed, and saves that."""

    name = "known"

    async def start(self) -> AsyncIterator[Request]:
        """One conditional request for each URL."""
        now = formatdate(usegmt=True)
        for url in self.urls:
            yield Request(url, headers={"If-Modified-Since": now}, meta={"handle_httpstatus_list": [304]})

    def parse(self, response: Response) -> None:
        """The body is in a file, where there is one."""
        if response.status == 200:
            super().parse(response)


class Naive(Bodies):
    """Extracts, strips, converts and parses with the usual libraries, in the callback."""

    name = "naive"

    def parse(self, response: Response) -> None:
        """Markdown and its tokens from the page, by three parses."""
        import trafilatura
        from bs4 import BeautifulSoup
        from markdown_it import MarkdownIt
        from markdownify import markdownify

        html = response.text
        trafilatura.bare_extraction(html, url=response.url, with_metadata=True)
        soup = BeautifulSoup(html, "lxml")
        for element in soup(["script", "style", "nav", "header", "footer", "form"]):
            element.decompose()
        markdown = markdownify(str(soup), heading_style="ATX")
        MarkdownIt("commonmark").enable("table").parse(markdown)
        (self.folder / digest(response.url)).write_text(markdown, encoding="utf-8")


def main() -> None:
    """Runs one of them to its end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    spiders = {spider.name: spider for spider in (Bodies, Known, Naive)}
    parser.add_argument("spider", choices=spiders)
    parser.add_argument("urls", type=Path)
    parser.add_argument("folder", type=Path)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    process = CrawlerProcess(SETTINGS)
    urls = args.urls.read_text(encoding="utf-8").split()
    process.crawl(spiders[args.spider], urls=urls, folder=args.folder)
    process.start()


if __name__ == "__main__":
    main()
