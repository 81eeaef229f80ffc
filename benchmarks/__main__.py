"""All speed and memory figures in one run (``make bench``); a few minutes on two cores.

    python -m benchmarks [--quick] [--quality] [--strict]

Ratios compare things measured in the same run, so that they mean the same on a fast and on a busy machine.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from benchmarks.inputs import ROOT

PARTS: dict[str, tuple[list[str], list[str]]] = {
    "stages": ([], ["--pages", "30"]),
    "deltas": ([], ["--pages", "10", "--edits", "1"]),
    "rates": ([], ["--texts", "20", "--points", "300"]),
    "search_latency": ([], ["--chunks", "2000"]),
    "crawl": ([], ["--pages", "150", "--naive-pages", "25"]),
    "memory": ([], ["--small", "200", "--large", "1000"]),
    "documents": (["--no-minilm"], ["--limit", "16"]),
    "documents_office": ([], ["--limit", "16"]),
}
"""Each part with its options for a full and for a quick run."""


def main() -> int:
    """Runs every part in a process of its own; the worst exit code of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller inputs: under two minutes, noisier ratios")
    parser.add_argument("--quality", action="store_true", help="also the yardsticks of quality")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a goal is missed")
    args = parser.parse_args()
    worst = 0
    for name, (full, quick) in PARTS.items():
        strict = ["--strict"] if args.strict and name != "rates" else []
        worst = max(worst, run(name, *(quick if args.quick else full), *strict))
    if args.quality:
        worst = max(worst, run("quality", *(["--strict"] if args.strict else [])))
    return worst


def run(name: str, *options: str) -> int:
    """One part, its output on ours."""
    return subprocess.run([sys.executable, "-m", f"benchmarks.{name}", *options], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
