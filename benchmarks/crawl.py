"""CPU time of our crawl without embedding, against a bare spider and against the naive callback, in one run.

    python -m benchmarks.crawl [--pages 1000] [--naive-pages 100] [--strict]

All three crawl the same site over loopback, one after the other; the server's time is nobody's. Ours discovers the
pages by links, cleans, converts, plans, archives and keeps the ledger; embeddings and store are nulls
(``benchmarks.null_crawl``). The other two are given the list of URLs (``benchmarks.spiders``); the
slow one a part of it, for time. Start-up counts for all of them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Figure, exit_code, show
from benchmarks.inputs import ROOT, add_options, generated_page, site_folder
from benchmarks.processes import Cost, run
from benchmarks.serve import served
from wrac.exit_codes import ExitCode

FLOOR_GOAL = 3.0
NAIVE_GOAL = 12.0
LIMIT_SECONDS = 900.0
CONTENTS = "contents.html"


def make_site(corpus: Path, target: Path, limit: int) -> tuple[str, list[str]]:
    """A whole site in ``target`` with a page that links to all others; what it is, and the paths of its pages.

    A real site is taken whole, since a part of it would be full of dead links; below its size pages are generated.
    """
    folder = site_folder(corpus, "django")
    files = sorted(folder.rglob("*.html")) if folder else []
    if folder is None or limit < len(files):
        what, paths = "generated pages", [f"{number}.html" for number in range(limit)]
        for number, path in enumerate(paths):
            (target / path).write_bytes(generated_page(number, limit))
    else:
        what, paths = "pages of a documentation site", [str(file.relative_to(folder)) for file in files]
        for path in paths:
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / path, target / path)
    links = "".join(f'<li><a href="/{path}">{path}</a></li>' for path in paths)
    (target / CONTENTS).write_text(f"<title>Contents</title><h1>Contents</h1><ul>{links}</ul>", encoding="utf-8")
    return f"{len(paths)} {what}", paths


@dataclass(frozen=True, slots=True)
class Measured:
    """What was crawled, the cost of each crawl, the pages that each of them got, and what ours told of itself."""

    what: str
    costs: dict[str, Cost]
    pages: dict[str, int]
    ours: dict[str, float]


def measure(args: argparse.Namespace, scratch: Path) -> Measured:
    """Runs the three crawls, one after the other."""
    site = scratch / "site"
    site.mkdir()
    what, paths = make_site(args.corpus, site, args.pages)
    with served(site) as url:
        costs, pages = {}, {}
        for name, count in (("bodies", len(paths)), ("naive", args.naive_pages)):
            chosen = paths[:: max(1, len(paths) // count)][:count]
            listing = scratch / f"{name}.txt"
            listing.write_text("\n".join(url + path for path in chosen), encoding="utf-8")
            command = [sys.executable, "-m", "benchmarks.spiders", name, str(listing), str(scratch / name)]
            costs[name] = run(command, ROOT, os.environ, log=scratch / f"{name}.log", limit=LIMIT_SECONDS)
            pages[name] = len(list((scratch / name).iterdir()))
        costs["ours"], told = reported_crawl(url + CONTENTS, scratch / "ours")
        pages["ours"] = int(told["indexed"])
    return Measured(what, costs, pages, told)


def null_crawl(url: str, folder: Path, **profile: object) -> tuple[Cost, int]:
    """Our crawl of the site of ``url`` with null embedder and store; its cost and the pages that it indexed."""
    cost, told = reported_crawl(url, folder, **profile)
    return cost, int(told["indexed"])


def reported_crawl(url: str, folder: Path, **profile: object) -> tuple[Cost, dict[str, float]]:
    """The same with all that ``benchmarks.null_crawl`` reports."""
    (folder / "sites").mkdir(parents=True)
    values = {
        "start_urls": [url],
        "allow": ["/"],
        "delay": 0.0,
        "concurrency": 8,
        "sitemap": False,
        "max_per_pattern": 100_000,
        **profile,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    (folder / "sites" / "docs_site.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    report = folder / "report.json"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SCRAPY_SETTINGS_MODULE": "crawler.settings"}
    command = [sys.executable, "-m", "benchmarks.null_crawl", str(report)]
    cost = run(command, folder, environment, log=folder / "crawl.log", limit=LIMIT_SECONDS)
    told: dict[str, float] = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {}
    if told.get("code") not in (ExitCode.OK, ExitCode.INCOMPLETE):
        raise SystemExit(f"our crawl ended with exit code {cost.code}:\n{(folder / 'crawl.log').read_text()[-3000:]}")
    return cost, told


def figures(found: Measured) -> list[Figure]:
    """CPU per page of each crawl, and the two ratios with their goals."""
    costs, pages, told = found.costs, found.pages, found.ours
    per_page = {name: cost.cpu / max(1, pages[name]) for name, cost in costs.items()}
    lines = [Figure(f"{name}: CPU ms a page", 1000 * value) for name, value in per_page.items()]
    lines += [Figure(f"{name}: pages", count) for name, count in pages.items()]
    lines += [Figure(f"{name}: wall seconds", cost.wall) for name, cost in costs.items()]
    lines += [
        Figure("ours: CPU seconds before the first request", told["loading"]),
        Figure("ours: CPU seconds of the crawler, all told", told["crawler"]),
        Figure("ours: CPU seconds of the workers, all told", told["workers"]),
    ]
    return [
        *lines,
        Figure("ours / bare spider", per_page["ours"] / per_page["bodies"], most=FLOOR_GOAL, unit="x"),
        Figure("naive callback / ours", per_page["naive"] / per_page["ours"], least=NAIVE_GOAL, unit="x"),
    ]


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--naive-pages", type=int, default=100)
    parser.add_argument("--strict", action="store_true", help="exit 1 where a goal is missed")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        measured = measure(args, Path(scratch))
    found = figures(measured)
    show(f"crawl: {measured.what}", found)
    return exit_code(found, strict=args.strict)


if __name__ == "__main__":
    sys.exit(main())
