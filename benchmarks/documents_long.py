"""What do long documents take by the command that takes in a folder? CPU time, memory, and what a model bills.

    python -m benchmarks.documents_long [--bench DIR] [--pages 125,500] [--strict]

Each document is made of pages of the yardsticks' files. It is taken in once by its own converter and once by a model,
a stub on loopback that knows the right transcripts and counts nothing of its own time as ours. Time and memory are
those of the command with all that it starts. Figures of the longest document are compared with the shortest.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.figures import Figure, exit_code, show
from benchmarks.inputs import ROOT, add_options
from benchmarks.processes import Cost, run
from benchmarks.stub_models import DIMENSION, StubModels
from benchmarks.transcription import MODEL, merged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LIMIT_SECONDS = 1_800.0
TIME_GROWS, MEMORY_GROWS = 1.25, 1.3
"""CPU time a page, and peak memory, of the longest document against the shortest."""
ESTIMATE_APART = 0.1
REPLACED = 0.05
"""Share of right transcripts that may be taken for wrong."""


def main() -> int:
    """Prints one table for each length, and one for how the figures grow."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--pages", default="125,500", help="lengths, from short to long")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a goal is missed")
    args = parser.parse_args()
    files = sorted((args.bench / "ragmc" / "RAG-Multi-Corpus" / "datasets").glob("*/pdf/*.pdf"))
    if not files:
        print("long documents left out: no yardsticks; name their folder with --bench or WRAC_BENCH")
        return 0
    lengths = [int(length) for length in args.pages.split(",")]
    figures: list[Figure] = []
    costs: dict[int, dict[str, Cost]] = {}
    for length in lengths:
        costs[length], found = measured(files, length)
        show(f"A document of {length} pages", found)
        figures += found
    if len(lengths) > 1:
        growth = grown(costs, lengths[0], lengths[-1])
        show(f"{lengths[-1]} pages against {lengths[0]}", growth)
        figures += growth
    return exit_code(figures, strict=args.strict)


def measured(files: Sequence[Path], length: int) -> tuple[dict[str, Cost], list[Figure]]:
    """The document through ``wrac ingest``, without and with a model."""
    pdf = merged(files, length)
    costs: dict[str, Cost] = {}
    figures: list[Figure] = []
    with StubModels(_right_transcripts(pdf)) as stub, tempfile.TemporaryDirectory() as scratch:
        for transcriber in ("none", "llm"):
            folder = Path(scratch, transcriber)
            _prepare(folder, pdf, transcriber)
            environment = _environment(stub)
            expected = _estimate(folder, environment) if transcriber == "llm" else {}
            command = [sys.executable, "-c", "from service.cli import main; main()", "ingest", "shelf"]
            costs[transcriber] = cost = run(
                command, folder, environment, log=folder / "ingest.log", limit=LIMIT_SECONDS
            )
            name = "by its own converter" if transcriber == "none" else "by the model"
            figures += [
                Figure(f"{name}: exit code", cost.code, most=0),
                Figure(f"{name}: CPU time a page", 1000 * cost.cpu / length, unit="ms"),
                Figure(f"{name}: wall time a page", 1000 * cost.wall / length, unit="ms"),
                Figure(f"{name}: peak memory", cost.peak / 2**20, unit="MiB"),
            ]
            if expected:
                figures += _billed(stub, expected, folder, length)
    return costs, figures


def grown(costs: Mapping[int, Mapping[str, Cost]], short: int, long: int) -> list[Figure]:
    """How time a page and memory grow with the length; start-up makes the time a page of a short document larger."""
    figures = []
    for transcriber, name in (("none", "by its own converter"), ("llm", "by the model")):
        first, last = costs[short][transcriber], costs[long][transcriber]
        figures += [
            Figure(f"{name}: CPU time a page", (last.cpu / long) / (first.cpu / short), most=TIME_GROWS, unit="x"),
            Figure(f"{name}: peak memory", last.peak / first.peak, most=MEMORY_GROWS, unit="x"),
        ]
    return figures


def _right_transcripts(pdf: bytes) -> dict[int, str]:
    from conversion.documents import DocumentOptions
    from conversion.drac.rows import as_sentences
    from conversion.drac.transcribe import KnownDocument

    known = KnownDocument.of(pdf, "file:long.pdf", DocumentOptions())
    return {number: as_sentences(page) for number, page in known.fallback.items()}


def _prepare(folder: Path, pdf: bytes, transcriber: str) -> None:
    (folder / "shelf").mkdir(parents=True)
    (folder / "shelf" / "long.pdf").write_bytes(pdf)
    (folder / "sites").mkdir()
    profile = f'start_urls = ["https://shelf.example/"]\ntranscriber = "{transcriber}"\n'
    (folder / "sites" / "shelf.toml").write_text(profile, encoding="utf-8")


def _environment(stub: StubModels) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WRAC_")}
    return kept | {
        "PYTHONPATH": str(ROOT),
        "OPENAI_API_KEY": "none-is-needed",
        "WRAC_WORKERS": "1",
        "WRAC_EMBEDDER": "openai:stub",
        "WRAC_EMBEDDER_BASE_URL": stub.base_url,
        "WRAC_EMBEDDER_DIMENSION": str(DIMENSION),
        "WRAC_TRANSCRIBER_MODEL": MODEL,
        "WRAC_TRANSCRIBER_BASE_URL": stub.base_url,
    }


def _estimate(folder: Path, environment: Mapping[str, str]) -> dict[str, float]:
    command = [sys.executable, "-c", "from service.cli import main; main()", "estimate", "shelf", "--json"]
    done = subprocess.run(command, cwd=folder, env=dict(environment), capture_output=True, text=True, check=True)
    told: dict[str, float] = json.loads(done.stdout)["transcription"]
    return told


def _billed(stub: StubModels, expected: Mapping[str, float], folder: Path, length: int) -> list[Figure]:
    log = (folder / "ingest.log").read_text(encoding="utf-8", errors="replace")
    for line in log.splitlines():
        if "transcri" in line:
            print(f"  {line.strip()}")
    within = {"least": 1 - ESTIMATE_APART, "most": 1 + ESTIMATE_APART}
    twice = len(stub.asked) - len(set(stub.asked))
    return [
        Figure("calls", stub.billed.calls),
        Figure("pages asked for", len(set(stub.asked))),
        Figure("pages asked for twice", twice, most=REPLACED * length),
        Figure("estimate / bill, in", expected["input_tokens"] / stub.billed.input_tokens, **within),
        Figure("estimate / bill, out", expected["output_tokens"] / stub.billed.output_tokens, **within),
    ]


if __name__ == "__main__":
    sys.exit(main())
