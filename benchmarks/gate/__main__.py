"""Is everything at least as good as it was? Figures on a committed corpus against pinned floors; no network.

    python -m benchmarks.gate                     fails where a floor is missed or a digest changed
    python -m benchmarks.gate --raise             raises floors to what is reached; lowers none
    python -m benchmarks.gate --lower NNNN        lowers the missed ones under decision record NNNN
    python -m benchmarks.gate --pin NNNN          pins a changed corpus under decision record NNNN
    python -m benchmarks.gate --without-yardsticks  the committed corpus alone, some seconds

Where the yardsticks are at hand (--bench, WRAC_BENCH, ../shared/bench), their digests are compared and
`python -m benchmarks.quality --strict` runs, too: some minutes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.figures import exit_code, show
from benchmarks.gate.figures import gate_figures
from benchmarks.gate.floors import (
    FLOORS_FILE,
    YARDSTICKS,
    FloorsRefused,
    applied,
    changes,
    moved,
    pinned,
    read_floors,
    require_record,
    write_floors,
)
from benchmarks.gate.inputs import CORPUS, file_digests, folder_digest
from benchmarks.inputs import ROOT, add_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.gate.floors import Floors

YARDSTICK_FOLDERS = ("ragmc", "pages", "cases", "html", "docs")
"""Folders of the yardsticks whose digests are pinned."""


def main(arguments: Sequence[str] | None = None) -> int:
    """0 where every floor is reached and nothing changed, 1 elsewhere, 2 for what may not be done."""
    args = _parser().parse_args(arguments)
    try:
        return _run(args)
    except FloorsRefused as refusal:
        print(refusal, file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--gate-corpus", type=Path, default=CORPUS, help=argparse.SUPPRESS)
    parser.add_argument("--floors", type=Path, default=FLOORS_FILE, help=argparse.SUPPRESS)
    parser.add_argument("--without-yardsticks", action="store_true", help="the committed corpus alone")
    parser.add_argument("--other-yardsticks", action="store_true", help="do not compare the yardsticks' digests")
    change = parser.add_mutually_exclusive_group()
    change.add_argument("--raise", dest="up", action="store_true", help="raise floors to what is reached")
    change.add_argument("--lower", metavar="NNNN", help="lower the missed floors under this decision record")
    change.add_argument("--pin", metavar="NNNN", help="pin the digests under this decision record")
    return parser


def _run(args: argparse.Namespace) -> int:
    floors = read_floors(args.floors)
    for number in filter(None, (args.lower, args.pin)):
        require_record(number)
    yardsticks = args.bench if args.bench.is_dir() and not args.without_yardsticks else None
    if args.pin:
        return _pin(args, floors, yardsticks)
    changed = changes(floors.digests.get("corpus", {}), file_digests(args.gate_corpus))
    if yardsticks is not None and not args.other_yardsticks:
        changed += changes(floors.digests.get("yardsticks", {}), yardstick_digests(yardsticks))
    for line in changed:
        print(f"not as pinned: {line}")
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        figures = gate_figures(Path(scratch), args.gate_corpus)
    if args.up or args.lower:
        floors = moved(args.floors, figures, record=args.lower or "")
    goals = applied(floors, figures)
    show(f"gate ({time.perf_counter() - began:.0f} s)", goals)
    unpinned = [figure.name for figure in goals if not figure.goal]
    if unpinned:
        print(f"without a floor: {', '.join(unpinned)} (--raise sets one)")
    own = {name for name in floors.floors if not name.startswith(YARDSTICKS)}
    gone = sorted(own - {figure.name for figure in figures})
    if gone:
        print(f"floors of what is no longer measured: {', '.join(gone)}")
    failed = bool(changed or unpinned or gone or exit_code(goals, strict=True))
    if yardsticks is not None:
        command = [sys.executable, "-m", "benchmarks.quality", "--strict", "--bench", str(yardsticks)]
        failed |= subprocess.run([*command, "--corpus", str(args.corpus)], cwd=ROOT, check=False).returncode != 0
    print("\nThe gate is shut." if failed else "\nThe gate is open.")
    return int(failed)


def _pin(args: argparse.Namespace, floors: Floors, yardsticks: Path | None) -> int:
    found = pinned(floors, "corpus", file_digests(args.gate_corpus), args.pin)
    if yardsticks is not None:
        found = pinned(found, "yardsticks", yardstick_digests(yardsticks), args.pin)
    write_floors(found, args.floors)
    print(f"pinned under decision record {args.pin}: {', '.join(found.digests)}")
    return 0


def yardstick_digests(bench: Path) -> Mapping[str, str]:
    """Digest of each folder of the yardsticks that is there."""
    return {name: folder_digest(bench / name) for name in YARDSTICK_FOLDERS if (bench / name).is_dir()}


if __name__ == "__main__":
    sys.exit(main())
