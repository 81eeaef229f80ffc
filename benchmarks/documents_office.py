"""How good and how fast is the conversion of Office files? Word files and decks against their twins in HTML.

    python -m benchmarks.documents_office [--bench DIR] [--keep DIR] [--limit N] [--no-retrieval] [--strict]

Figures of the yardstick ``docs`` (macro averages), units lost on the way to chunks, retrieval inside a fixed context
(BM25) beside that from HTML, CPU time a document beside that of markitdown, and the wall time that a confined process
of its own adds. markitdown is measured where it can be imported; it may live elsewhere: ``--markitdown PYTHON``.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.coverage import Coverage, coverage
from benchmarks.figures import Figure, exit_code, show
from benchmarks.inputs import add_options
from benchmarks.other_tools import MISSING, markitdown_seconds
from benchmarks.pipeline import chunks_of, html_document
from benchmarks.quality import score
from wrac.errors import PageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wrac.records import MarkdownDocument

_KEPT = ("char", "token", "head", "head_l", "cell", "row", "item", "item_d")
GOALS: dict[str, dict[str, float]] = {
    "docx": {"head": 0.995, "cell": 0.995, "row": 0.995},
    "pptx": {"char": 0.97},
}
"""For a deck only its words are compared with the page: its structure is that of slides."""
R1000T_APART = 0.02


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    convert: Callable[[Path], MarkdownDocument]


def main() -> int:
    """Runs the parts and prints one table each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--keep", type=Path, help="folder that keeps what was produced, and the scorer's output")
    parser.add_argument("--limit", type=int, default=0, help="only the first N documents of each kind")
    parser.add_argument("--no-retrieval", action="store_true", help="leave out retrieval, which takes a minute")
    parser.add_argument("--markitdown", default=sys.executable, help="interpreter that can import markitdown")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a goal is missed")
    args = parser.parse_args()
    datasets = args.bench / "ragmc" / "RAG-Multi-Corpus" / "datasets"
    if not datasets.is_dir():
        print(f"Office files left out: none in {datasets}; name the yardsticks' folder with --bench or WRAC_BENCH")
        return 0
    all_figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as scratch:
        out = args.keep or Path(scratch)
        for kind in (_Kind("docx", docx_document), _Kind("pptx", pptx_document)):
            files = sorted(datasets.glob(f"*/{kind.name}/*.{kind.name}"))
            files = files[: args.limit] if args.limit else files
            figures = [*fidelity(args.bench, datasets, kind, files, out), *speed(kind, files, args.markitdown)]
            show(f"{kind.name} against its HTML twin ({len(files)} documents)", figures)
            all_figures += figures
        if not args.no_retrieval and not args.limit:
            figures = retrieval(args.bench, datasets, out)
            show("Retrieval (BM25)", figures)
            all_figures += figures
    return exit_code(all_figures, strict=args.strict)


def docx_document(file: Path) -> MarkdownDocument:
    """Markdown of a Word file. Raises ``PageError``."""
    from conversion.office.docx import convert_docx

    return convert_docx(file.read_bytes(), f"https://rmc.example/{file.name}").document


def pptx_document(file: Path) -> MarkdownDocument:
    """Markdown of a deck. Raises ``PageError``."""
    from conversion.office.pptx import convert_pptx

    return convert_pptx(file.read_bytes(), f"https://rmc.example/{file.name}").document


def fidelity(bench: Path, datasets: Path, kind: _Kind, files: Sequence[Path], out: Path) -> list[Figure]:
    """Errors, units lost, and what the scorer of the yardstick finds."""
    errors, covered, stems = 0, Coverage(), []
    chunk_lines = []
    for file in files:
        organisation = file.parent.parent.name
        target = out / kind.name / organisation / f"{file.stem}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        stems.append(f"{organisation}/{file.stem}")
        try:
            document = kind.convert(file)
        except PageError as error:
            print(f"  {file.name}: {error}", file=sys.stderr)
            errors += 1
            continue
        target.write_text(document.text, encoding="utf-8")
        tree, chunks = chunks_of(document)
        covered += coverage(tree, chunks)
        chunk_lines += [{"org": organisation, "filename": file.name, "text": chunk.embed_text} for chunk in chunks]
    _write_lines(out / f"{kind.name}.jsonl", chunk_lines)
    only, result = out / f"{kind.name}.stems.txt", out / f"{kind.name}.json"
    only.write_text("\n".join(stems), encoding="utf-8")
    options = ["--rmc", "html", "--only", only, "--json", result]
    score(bench / "docs" / "doc_fidelity.py", out / kind.name, datasets, *options, log=out / f"{kind.name}.txt")
    macro = json.loads(result.read_text(encoding="utf-8"))["macro"]
    goals = GOALS[kind.name]
    return [
        Figure("errors", errors, most=0),
        Figure("content units", covered.units),
        Figure("units lost", covered.lost + covered.headings_lost, most=0),
        Figure("characters in no unit or in two", covered.untiled, most=0),
        *(Figure(name, macro[name] or float("nan"), least=goals.get(name)) for name in _KEPT),
    ]


def speed(kind: _Kind, files: Sequence[Path], markitdown: str) -> list[Figure]:
    """CPU time a document here and by markitdown, and wall time through the one door with its confined process."""
    from conversion.documents import convert_document

    kind.convert(files[0])
    began = time.process_time()
    for file in files:
        kind.convert(file)
    here = time.process_time() - began
    some = files[::8]
    convert_document(some[0].read_bytes(), some[0].name)
    began = time.perf_counter()
    for file in some:
        convert_document(file.read_bytes(), file.name)
    confined = time.perf_counter() - began
    figures = [
        Figure("conversion, CPU a document", 1000 * here / len(files), unit="ms"),
        Figure("in a confined process, wall a document", 1000 * confined / len(some), unit="ms"),
    ]
    seconds = markitdown_seconds(some, markitdown)
    if seconds is None:
        print(MISSING)
        return figures
    return [*figures, Figure("markitdown, CPU a document", 1000 * seconds / len(some), unit="ms")]


def retrieval(bench: Path, datasets: Path, out: Path) -> list[Figure]:
    """Share of the facts inside the first 1,000 wordpieces, from the chunks written before and from HTML."""
    lines = []
    for file in sorted(datasets.glob("*/html/*.html")):
        _, chunks = chunks_of(html_document(f"https://rmc.example/{file.stem}", file.read_bytes()))
        organisation = file.parent.parent.name
        lines += [{"org": organisation, "filename": file.name, "text": chunk.embed_text} for chunk in chunks]
    _write_lines(out / "html.jsonl", lines)
    recall = {name: _recall(bench, out, name) for name in ("html", *GOALS)}
    return [
        Figure("R@1000t from html", recall["html"]),
        *(Figure(f"R@1000t from {name}", recall[name], least=recall["html"] - R1000T_APART) for name in GOALS),
    ]


def _recall(bench: Path, out: Path, name: str) -> float:
    result = out / f"{name}.bm25.json"
    options = ["--chunks", out / f"{name}.jsonl", "--embedder", "bm25", "--split", "dev", "--json", result]
    score(bench / "ragmc" / "evaluate.py", *options, log=out / f"{name}.bm25.txt")
    return float(json.loads(result.read_text(encoding="utf-8"))["groups"]["overall"]["recall@1000tok"])


def _write_lines(file: Path, rows: Sequence[dict[str, str]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
