"""How good and how fast is the conversion of documents? PDF files against their twins in HTML.

    python -m benchmarks.documents [--bench DIR] [--keep DIR] [--limit N] [--no-retrieval] [--no-minilm] [--strict]

Figures of the yardstick ``docs`` (macro averages), units lost on the way to chunks, retrieval inside a fixed context
(BM25 and MiniLM) from PDF beside that from HTML, and CPU time a page beside that of pypdfium2's plain text and of
markitdown, all in one run. Other tools are measured where they can be imported; markitdown may live in another
environment: ``--markitdown PYTHON``.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
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

GOALS = {"char": 0.99, "token": None, "head": 0.92, "head_l": None, "item": 0.92, "item_d": None, "cell": 0.60}
MS_A_PAGE = 15.0
R1000T_APART = 0.02
"""How far retrieval from PDF may stay behind that from the same documents in HTML."""


def main() -> int:
    """Runs the parts and prints one table each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--keep", type=Path, help="folder that keeps what was produced, and the scorer's output")
    parser.add_argument("--limit", type=int, default=0, help="only the first N documents")
    parser.add_argument("--no-retrieval", action="store_true", help="leave out retrieval, which takes minutes")
    parser.add_argument("--no-minilm", action="store_true", help="leave out MiniLM, which takes the most of them")
    parser.add_argument("--markitdown", default=sys.executable, help="interpreter that can import markitdown")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a goal is missed")
    args = parser.parse_args()
    datasets = args.bench / "ragmc" / "RAG-Multi-Corpus" / "datasets"
    if not datasets.is_dir():
        print(f"documents left out: none in {datasets}; name the yardsticks' folder with --bench or WRAC_BENCH")
        return 0
    files = sorted(datasets.glob("*/pdf/*.pdf"))
    files = files[: args.limit] if args.limit else files
    with tempfile.TemporaryDirectory() as scratch:
        out = args.keep or Path(scratch)
        figures = fidelity(args.bench, datasets, files, out)
        show(f"PDF against its HTML twin ({len(files)} documents)", figures)
        speed = rates(files, args.markitdown)
        show("CPU time a page", speed)
        retrieval = []
        if not args.no_retrieval and not args.limit:
            retrieval = retrieved(args.bench, datasets, out, ("bm25",) if args.no_minilm else ("bm25", "minilm"))
            show("Share of facts in the first 1,000 wordpieces", retrieval)
    return exit_code([*figures, *speed, *retrieval], strict=args.strict)


# ---------------------------------------------------------------- fidelity


def pdf_document(file: Path) -> MarkdownDocument:
    """Markdown of a PDF file by its text layer. Raises ``PageError``."""
    from conversion.pdf import PdfOptions, convert_pdf

    return convert_pdf(file.read_bytes(), f"file:{file.name}", PdfOptions(ocr=False)).document


def fidelity(bench: Path, datasets: Path, files: Sequence[Path], out: Path) -> list[Figure]:
    """Errors, units lost, and what the scorer of the yardstick finds."""
    errors, covered = 0, Coverage()
    stems = []
    for file in files:
        organisation = file.parent.parent.name
        target = out / "pdf" / organisation / f"{file.stem}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        stems.append(f"{organisation}/{file.stem}")
        try:
            document = pdf_document(file)
        except PageError as error:
            print(f"  {file.name}: {error}", file=sys.stderr)
            errors += 1
            continue
        target.write_text(document.text, encoding="utf-8")
        covered += coverage(*chunks_of(document))
    only = out / "stems.txt"
    only.write_text("\n".join(stems), encoding="utf-8")
    result = out / "pdf.json"
    options = ["--rmc", "html", "--only", only, "--json", result]
    score(bench / "docs" / "doc_fidelity.py", out / "pdf", datasets, *options, log=out / "pdf.txt")
    macro = json.loads(result.read_text(encoding="utf-8"))["macro"]
    return [
        Figure("errors", errors, most=0),
        Figure("content units", covered.units),
        Figure("units lost", covered.lost + covered.headings_lost, most=0),
        Figure("characters in no unit or in two", covered.untiled, most=0),
        *(Figure(name, macro[name] or float("nan"), least=goal) for name, goal in GOALS.items()),
    ]


# ---------------------------------------------------------------- speed


def rates(files: Sequence[Path], markitdown: str) -> list[Figure]:
    """CPU milliseconds a page: ours, pypdfium2's plain text, markitdown."""
    pages = sum(page_count(file) for file in files)
    ours = _cpu(pdf_document, files)
    plain = _cpu(plain_text, files)
    figures = [
        Figure("this conversion", 1000 * ours / pages, most=MS_A_PAGE, unit="ms"),
        Figure("pypdfium2 plain text", 1000 * plain / pages, unit="ms"),
    ]
    # It takes most of a minute for all: every eighth document tells as much.
    some = files[::8]
    seconds = markitdown_seconds(some, markitdown)
    if seconds is None:
        print(MISSING)
        return figures
    return [*figures, Figure("markitdown", 1000 * seconds / sum(map(page_count, some)), unit="ms")]


def _cpu(convert: Callable[[Path], object], files: Sequence[Path]) -> float:
    convert(files[0])
    began = time.process_time()
    for file in files:
        convert(file)
    return time.process_time() - began


def page_count(file: Path) -> int:
    """Pages of a PDF file."""
    import pypdfium2

    with pypdfium2.PdfDocument(file) as document:
        return len(document)


def plain_text(file: Path) -> str:
    """The text of all pages as pypdfium2 gives it: the floor of what any conversion by pdfium costs."""
    import pypdfium2

    with pypdfium2.PdfDocument(file) as document:
        return "\n".join(page.get_textpage().get_text_range() for page in document)


# ---------------------------------------------------------------- retrieval


def retrieved(bench: Path, datasets: Path, out: Path, embedders: Sequence[str]) -> list[Figure]:
    """Share of the facts inside the first 1,000 wordpieces, from PDF and from HTML, by each way of searching."""
    readers: dict[str, Callable[[Path], MarkdownDocument]] = {
        "html": lambda file: html_document(f"https://rmc.example/{file.stem}", file.read_bytes()),
        "pdf": pdf_document,
    }
    for source, read in readers.items():
        with (out / f"{source}.jsonl").open("w", encoding="utf-8") as lines:
            for file in sorted(datasets.glob(f"*/{source}/*.{source}")):
                for chunk in chunks_of(read(file))[1]:
                    row = {"org": file.parent.parent.name, "filename": file.name, "text": chunk.embed_text}
                    lines.write(json.dumps(row) + "\n")
    figures = []
    for embedder in embedders:
        html, pdf = (recall(bench, out, source, embedder) for source in readers)
        figures += [
            Figure(f"{embedder}: R@1000t from html", html),
            Figure(f"{embedder}: R@1000t from pdf", pdf, least=html - R1000T_APART),
        ]
    return figures


def recall(bench: Path, out: Path, source: str, embedder: str) -> float:
    """What the judge says of the chunks in ``out/SOURCE.jsonl``."""
    result = out / f"{source}.{embedder}.json"
    options = ["--chunks", out / f"{source}.jsonl", "--embedder", embedder, "--split", "dev", "--json", result]
    score(bench / "ragmc" / "evaluate.py", *options, log=out / f"{source}.{embedder}.txt")
    return float(json.loads(result.read_text(encoding="utf-8"))["groups"]["overall"]["recall@1000tok"])


if __name__ == "__main__":
    sys.exit(main())
