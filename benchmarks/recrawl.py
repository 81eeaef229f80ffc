"""What a second crawl costs, with the embedded defaults, against a bare spider that gets the same answers.

    python -m benchmarks.recrawl [--pages 1000] [--strict]

A generated site of small pages is crawled, embedded and published. Then it is crawled again: unchanged, by a server
that answers 304; unchanged, by a server that sends every body; with one paragraph of a page edited; with another
template around every page. Bare spiders get the same answers in the same run. Start-up counts for all.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import sqlite3
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.figures import Figure, exit_code, show
from benchmarks.inputs import ROOT
from benchmarks.processes import Cost, run
from benchmarks.serve import served

MOST_304, MOST_BODIES = 1.5, 2.0
LIMIT_SECONDS = 1800.0
FAN_OUT = 20
PORT = 8473
"""Fixed: the port is part of every URL in the ledger, and the server is replaced by another one on the way."""


class Done(NamedTuple):
    """A crawl of ours."""

    cost: Cost
    figures: dict[str, float]
    outcomes: dict[str, int]


def write_site(folder: Path, count: int, *, template: str = "Harbour office", edited: int = -1) -> None:
    """``count`` pages in a tree of links, each with a text of its own."""
    for number in range(count):
        children = range(number * FAN_OUT + 1, min(number * FAN_OUT + FAN_OUT + 1, count))
        links = "".join(f'<li><a href="{child}.html">Berth {child}</a></li>' for child in children)
        word = "dredged" if number == edited else "sounded"
        (folder / f"{number}.html").write_text(
            f"""<!doctype html><html lang="en"><head><title>Berth {number}</title></head><body>
<nav><a href="0.html">{template}</a></nav><main><h1>Berth {number}</h1>
<p>Berth {number} takes ships of up to {number % 190 + 20} metres and was {word} in {1950 + number % 70}.</p>
<h2>Mooring</h2><p>Bollard {number * 3} and bollard {number * 5} hold {number % 90 + 10} tonnes.</p>
<ul>{links}</ul></main><footer>{template}</footer></body></html>""",
            encoding="utf-8",
        )


def crawl(folder: Path, url: str) -> Done:
    """``scrapy crawl docs_site`` in ``folder``, whose ledger and collection stay from crawl to crawl."""
    (folder / "sites").mkdir(parents=True, exist_ok=True)
    values = {"start_urls": [url + "0.html"], "delay": 0.0, "concurrency": 8, "sitemap": False}
    lines = [f"{key} = {json.dumps(value)}" for key, value in {**values, "max_per_pattern": 1_000_000}.items()]
    (folder / "sites" / "docs_site.toml").write_text("\n".join(lines), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SCRAPY_SETTINGS_MODULE": "crawler.settings"}
    command = [sys.executable, "-m", "scrapy", "crawl", "docs_site"]
    cost = run(command, folder, environment, log=folder / "crawl.log", limit=LIMIT_SECONDS)
    if cost.code:
        raise SystemExit(f"our crawl ended with exit code {cost.code}:\n{(folder / 'crawl.log').read_text()[-3000:]}")
    with contextlib.closing(sqlite3.connect(folder / ".wrac" / "ledger.sqlite")) as ledger:
        told = ledger.execute("select figures, counts from runs order by run_id desc limit 1").fetchone()
    return Done(cost, json.loads(told[0]), json.loads(told[1]))


def bare(spider: str, urls: list[str], scratch: Path) -> Cost:
    """A bare spider over the same URLs."""
    listing = scratch / f"{spider}.txt"
    listing.write_text("\n".join(urls), encoding="utf-8")
    command = [sys.executable, "-m", "benchmarks.spiders", spider, str(listing), str(scratch / spider)]
    return run(command, ROOT, os.environ, log=scratch / f"{spider}.log", limit=LIMIT_SECONDS)


def point_ids(folder: Path) -> set[str]:
    """Ids of all points of the site, by the ledger."""
    with contextlib.closing(sqlite3.connect(folder / ".wrac" / "ledger.sqlite")) as ledger:
        return {identity for (ids,) in ledger.execute("select point_ids from pages") for identity in ids.split()}


def writes(done: Done) -> float:
    """Points written to, or deleted from, the collection."""
    return sum(done.figures.get(f"points_{what}", 0) for what in ("refreshed", "upserted", "deleted"))


def measure(pages: int, scratch: Path) -> list[Figure]:
    """All crawls, one after the other."""
    site, folder = scratch / "site", scratch / "ours"
    site.mkdir()
    folder.mkdir()
    write_site(site, pages)
    with served(site, "--port", PORT) as url:
        urls = [f"{url}{number}.html" for number in range(pages)]
        first = crawl(folder, url)
        before = point_ids(folder)
        bare_304 = bare("known", urls, scratch)
        second = crawl(folder, url)
    with served(site, "--port", PORT, "--no-validators") as url:
        bare_bodies = bare("bodies", urls, scratch)
        third = crawl(folder, url)
    time.sleep(1.1)  # Last-Modified counts whole seconds
    write_site(site, pages, edited=pages // 2)
    with served(site, "--port", PORT) as url:
        edited = crawl(folder, url)
    after = point_ids(folder)
    time.sleep(1.1)
    shutil.rmtree(site)
    site.mkdir()
    write_site(site, pages, edited=pages // 2, template="Port authority")
    with served(site, "--port", PORT) as url:
        template = crawl(folder, url)
    return [
        Figure("first crawl: CPU seconds", first.cost.cpu),
        Figure("first crawl: pages indexed", first.outcomes.get("indexed", 0)),
        Figure("unchanged, 304: CPU seconds", second.cost.cpu),
        Figure("unchanged, 304: pages unchanged", second.outcomes.get("unchanged", 0), least=pages),
        Figure("unchanged, 304: texts embedded", second.figures["embedded"], most=0),
        Figure("unchanged, 304: points written", writes(second), most=0),
        Figure("bare spider, 304: CPU seconds", bare_304.cpu),
        Figure("unchanged, 304: ours / bare spider", second.cost.cpu / bare_304.cpu, most=MOST_304, unit="x"),
        Figure("unchanged, bodies: CPU seconds", third.cost.cpu),
        Figure("unchanged, bodies: points written", writes(third), most=0),
        Figure("bare spider, bodies: CPU seconds", bare_bodies.cpu),
        Figure("unchanged, bodies: ours / bare spider", third.cost.cpu / bare_bodies.cpu, most=MOST_BODIES, unit="x"),
        Figure("one paragraph: texts embedded", edited.figures["embedded"], most=2),
        Figure("one paragraph: points replaced", len(before - after), most=2),
        Figure("one paragraph: CPU seconds", edited.cost.cpu),
        Figure("template: texts embedded", template.figures["embedded"], most=0),
        Figure("template: points written", writes(template), most=0),
        Figure("template: CPU seconds", template.cost.cpu),
    ]


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--strict", action="store_true", help="exit 1 where a goal is missed")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        found = measure(args.pages, Path(scratch))
    show(f"crawling {args.pages} pages again", found)
    return exit_code(found, strict=args.strict)


if __name__ == "__main__":
    sys.exit(main())
