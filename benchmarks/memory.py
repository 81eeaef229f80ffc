"""Peak memory of our crawl after 500 and after 5,000 generated pages, with null embedder and store.

    python -m benchmarks.memory [--small 500] [--large 5000] [--strict]

The sum over the crawler and its worker processes. Memory that grows with the site would show as a ratio far above 1.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.crawl import null_crawl
from benchmarks.figures import Figure, exit_code, show
from benchmarks.serve import served

if TYPE_CHECKING:
    from benchmarks.processes import Cost

GOAL = 1.3


def measure(count: int, scratch: Path) -> tuple[Cost, int]:
    """Crawls a generated site of ``count`` pages."""
    with served("--generated", count) as url:
        return null_crawl(url + "0.html", scratch / str(count))


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", type=int, default=500)
    parser.add_argument("--large", type=int, default=5000)
    parser.add_argument("--strict", action="store_true", help="exit 1 where a goal is missed")
    args = parser.parse_args()
    found: list[Figure] = []
    with tempfile.TemporaryDirectory() as scratch:
        peaks = []
        for count in (args.small, args.large):
            cost, pages = measure(count, Path(scratch))
            peaks.append(cost.peak)
            found += [
                Figure(f"{count} pages: indexed", pages, least=count),
                Figure(f"{count} pages: peak memory", cost.peak / 2**20, unit="MiB"),
                Figure(f"{count} pages: CPU ms a page", 1000 * cost.cpu / max(1, pages)),
                Figure(f"{count} pages: wall seconds", cost.wall),
            ]
    found.append(Figure("memory, large / small", peaks[1] / peaks[0], most=GOAL, unit="x"))
    show("memory", found)
    return exit_code(found, strict=args.strict)


if __name__ == "__main__":
    sys.exit(main())
