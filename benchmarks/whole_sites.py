"""Crawls whole documentation sites out of Debian packages into Qdrant with the embedded defaults, and asks them.

    python -m benchmarks.whole_sites [django] [python] [--data DIR]

Each site is served over loopback, crawled by ``scrapy crawl docs_site`` into a data folder of its own below DIR
(default .wrac/bench) and asked a few questions; prints the figures and the answers as Markdown for docs/benchmarks.md.
An interrupted run goes on where it stopped when the same command is given again: ports and folders stay the same.
Embedding takes about a second of CPU time for ten chunks, so a site takes from ten minutes to an hour.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.inputs import ROOT, SITES, add_options, site_folder
from benchmarks.processes import Cost, run
from benchmarks.serve import served

PORTS = {"django": 8471, "python": 8472}
"""Fixed, since the port is part of every URL in the ledger."""
LIMIT_SECONDS = 6 * 3600.0
QUESTIONS = {
    "django": (
        "How do I add an index to a model field?",
        "What does select_related do and when should I use it?",
        "How can I protect a view so that only logged-in users see it?",
        "Which setting sends e-mail to the console during development?",
        "How do I roll back a transaction when an exception is raised?",
    ),
    "python": (
        "How do I read a CSV file with a header row into dictionaries?",
        "What happens when a generator's close() method is called?",
        "How can I run a subprocess and capture its output?",
        "Which exceptions does asyncio.wait_for raise on timeout?",
        "How do I keep insertion order when I merge two dictionaries?",
    ),
}


def crawl(name: str, url: str, folder: Path) -> Cost:
    """Our crawl of the site with real embeddings and the embedded collection; its output is in ``folder``."""
    (folder / "sites").mkdir(parents=True, exist_ok=True)
    (folder / "sites" / f"{name}.toml").write_text(f'start_urls = ["{url}"]\ndelay = 0.0\n', encoding="utf-8")
    command = [sys.executable, "-m", "scrapy", "crawl", "docs_site", "-a", f"site={name}"]
    return run(command, folder, environment(), log=folder / "crawl.log", limit=LIMIT_SECONDS)


def environment() -> dict[str, str]:
    """What a command needs that runs outside of the repository."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "SCRAPY_SETTINGS_MODULE": "crawler.settings"}


def ask(question: str, folder: Path) -> dict[str, str]:
    """The first hit of ``wrac search``."""
    command = [sys.executable, "-c", "from service.cli import main; main()", "search", question, "--json", "-n", "1"]
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=True)
    hit: dict[str, str] = json.loads(done.stdout.splitlines()[0])
    return hit


def report(name: str, cost: Cost, folder: Path) -> None:
    """Prints what happened as Markdown."""
    summary = (folder / "crawl.log").read_text(encoding="utf-8")
    end = summary[summary.rindex(f"\n{name}: ") + 1 :] if f"\n{name}: " in summary else summary[-2000:]
    print(f"\n### {SITES[name].partition('/')[0]}\n")
    print(f"Exit code {cost.code}, {cost.cpu:,.0f} CPU seconds, {cost.peak / 2**20:,.0f} MiB at the most.\n")
    print(f"```\n{end.strip()}\n```\n")
    print("| question | first hit | breadcrumb |\n|---|---|---|")
    for question in QUESTIONS[name]:
        hit = ask(question, folder)
        path = hit["url"].split("/", 3)[-1]
        breadcrumb = hit["breadcrumb"].replace("|", "\\|")
        print(f"| {question} | `{path}` ({float(hit['score']):.2f}) | {breadcrumb} |", flush=True)


def main() -> int:
    """One site after the other; the worst exit code of their crawls."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", nargs="*", choices=[[], *QUESTIONS], help="which sites; both without any")
    add_options(parser)
    parser.add_argument("--data", type=Path, default=ROOT / ".wrac" / "bench")
    args = parser.parse_args()
    worst = 0
    for name in args.sites or QUESTIONS:
        pages = site_folder(args.corpus, name)
        if pages is None:
            parser.error(f"{SITES[name]} is not in {args.corpus}: docs/benchmarks.md says how to get it")
        folder = (args.data / name).absolute()
        with served(pages, "--port", PORTS[name]) as url:
            cost = crawl(name, url, folder)
        worst = max(worst, cost.code)
        report(name, cost, folder)
    return worst


if __name__ == "__main__":
    sys.exit(main())
