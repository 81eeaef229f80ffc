"""CPU time of each stage of a page, as a multiple of a bare lxml parse of the same pages.

    python -m benchmarks.stages [--pages 100] [--rounds 3] [--strict]

The stages run in one process, one page after another, with the garbage collector set as in a worker of a crawl; of
several rounds each page's fastest counts. The bare parse reads the bytes as they came.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from typing import TYPE_CHECKING

import lxml.html

from benchmarks.figures import Figure, exit_code, show
from benchmarks.inputs import Input, add_options, sample
from benchmarks.pipeline import fetched
from ingest.worker import relax_collector
from wrac.errors import PageError

if TYPE_CHECKING:
    from collections.abc import Sequence

BASE = "lxml parse"
COUNTED = ("clean", "convert", "parse", "plan")
GOAL = 10.0


def time_page(page: Input, seconds: dict[str, float]) -> None:
    """Adds the CPU seconds of each stage of ``page`` to ``seconds``."""
    from chunking import RulePlanner, assemble, build_tree
    from conversion import HtmlConverter
    from filters import clean_page

    record = fetched(page.url, page.body, "text/html; charset=utf-8")
    converter, planner = HtmlConverter(), RulePlanner()
    start = time.process_time()
    root = lxml.html.document_fromstring(page.body)
    seconds[BASE] += time.process_time() - start
    del root  # neither this tree's release is counted nor that of our own
    laps = [time.process_time()]
    cleaned = clean_page(record)
    laps.append(time.process_time())
    document = converter.convert(cleaned)
    laps.append(time.process_time())
    tree = build_tree(document)
    laps.append(time.process_time())
    plan = planner.plan(tree)
    laps.append(time.process_time())
    assemble(tree, plan)
    laps.append(time.process_time())
    for number, name in enumerate((*COUNTED, "assemble")):
        seconds[name] += laps[number + 1] - laps[number]


def measure(pages: Sequence[Input], rounds: int) -> dict[str, float]:
    """CPU seconds by stage over all pages, each page at its fastest."""
    total: defaultdict[str, float] = defaultdict(float)
    for page in pages:
        best: dict[str, float] = {}
        for _ in range(rounds):
            seconds: defaultdict[str, float] = defaultdict(float)
            try:
                time_page(page, seconds)
            except PageError as error:
                print(f"  {page.url}: {error}", file=sys.stderr)
                break
            best = {name: min(value, best.get(name, value)) for name, value in seconds.items()}
        for name, value in best.items():
            total[name] += value
    return total


def figures(pages: Sequence[Input], rounds: int) -> list[Figure]:
    """Each stage as a multiple of the parse, and their sum with its goal."""
    total = measure(pages, rounds)
    base = total[BASE] or float("nan")
    lines = [Figure(f"{BASE}, ms a page", 1000 * base / len(pages))]
    lines += [Figure(name, total[name] / base, unit="x parse") for name in (*COUNTED, "assemble")]
    counted = sum(total[name] for name in COUNTED) / base
    return [*lines, Figure(" + ".join(COUNTED), counted, most=GOAL, unit="x parse")]


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--strict", action="store_true", help="exit 1 where a goal is missed")
    args = parser.parse_args()
    what, pages = sample(args.bench, args.corpus, args.pages)
    measure(pages[:1], rounds=1)  # loads all modules, as a worker does before it takes pages
    relax_collector()
    found = figures(pages, args.rounds)
    show(f"stages: {len(pages)} {what}", found)
    return exit_code(found, strict=args.strict)


if __name__ == "__main__":
    sys.exit(main())
