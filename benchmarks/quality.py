"""How good are the Markdown and the chunks? Runs the converter and the chunker over the yardsticks and their scorers.

    python -m benchmarks.quality [html] [pages] [docs] [chunks] [search] [--bench DIR] [--corpus DIR] [--strict]

html    real documentation pages: words, headings, cells, items, code against their main content
pages   saved pages of all kinds, and the small pages that break converters
docs    documents against their twin in Markdown
chunks  retrieval of the chunks (BM25 and MiniLM, from html and from md) and whether a unit was lost
search  our chunks from html, ranked by our own search
Yardsticks lie in --bench (default: WRAC_BENCH, else ../shared/bench), documentation packages in --corpus (WRAC_CORPUS).
Goals are the floors of `benchmarks/gate/floors.toml`; --raise and --lower NNNN move them as `benchmarks.gate` does.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.coverage import Coverage, coverage
from benchmarks.figures import Figure, exit_code, less, more, show
from benchmarks.gate.floors import (
    FLOORS_FILE,
    YARDSTICKS,
    FloorsRefused,
    applied,
    moved,
    read_floors,
    require_record,
)
from benchmarks.inputs import add_options
from benchmarks.pipeline import chunks_of, html_document, markdown_source
from wrac.errors import PageError
from wrac.tokens import count_tokens


def main() -> int:
    """Runs the chosen parts and prints one table each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="which parts to run; all without any")
    add_options(parser)
    parser.add_argument("--keep", type=Path, help="folder that keeps what was produced, and the scorers' output")
    parser.add_argument("--no-minilm", action="store_true", help="leave out MiniLM, which takes minutes")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a goal is missed")
    parser.add_argument("--floors", type=Path, default=FLOORS_FILE, help=argparse.SUPPRESS)
    change = parser.add_mutually_exclusive_group()
    change.add_argument("--raise", dest="up", action="store_true", help="raise floors to what is reached")
    change.add_argument("--lower", metavar="NNNN", help="lower the missed floors under this decision record")
    args = parser.parse_args()
    if not args.bench.is_dir():
        parser.error(f"no yardsticks in {args.bench}: name their folder with --bench or WRAC_BENCH")
    try:
        floors = read_floors(args.floors)
        if args.lower:
            require_record(args.lower)
    except FloorsRefused as refusal:
        print(refusal, file=sys.stderr)
        return 2
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as scratch:
        out = args.keep or Path(scratch)
        for part in args.parts or PARTS:
            began = time.perf_counter()
            found = [
                replace(figure, name=f"{YARDSTICKS}{part}: {figure.name}") for figure in PARTS[part](args, out / part)
            ]
            if found and (args.up or args.lower):
                floors = moved(args.floors, found, record=args.lower or "")
            goals = applied(floors, found)
            show(f"{part} ({time.perf_counter() - began:.0f} s)", goals)
            figures += goals
    return exit_code(figures, strict=args.strict)


def write_markdown(file: Path, url: str, body: bytes) -> None:
    """Converts ``body`` into ``file``; a page that cannot be converted is told and leaves no file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    try:
        text = html_document(url, body).text
    except PageError as error:
        print(f"  {file.stem}: {type(error).__name__}: {error}", file=sys.stderr)
        return
    file.write_bytes(text.encode("utf-8", "replace"))


def score(script: Path, *arguments: object, log: Path) -> str:
    """Standard output of a scorer, kept in ``log`` too; a scorer that fails ends the run with its own message."""
    command = [sys.executable, "-X", "utf8", str(script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{script.name} failed:\n{done.stdout}{done.stderr}")
    log.write_text(done.stdout, encoding="utf-8")
    return done.stdout


# ---------------------------------------------------------------- html


def html_part(args: argparse.Namespace, out: Path) -> list[Figure]:
    """Real documentation pages out of Debian packages."""
    bench, corpus = args.bench / "html", args.corpus
    if not corpus.is_dir():
        print(f"html left out: no documentation packages in {corpus}; `corpus.py fetch` of the yardstick gets them")
        return []
    sys.path.insert(0, str(bench))
    import corpus as packages  # type: ignore[import-not-found]  # the yardstick's own list of sites

    listing = bench / "sample150.tsv"
    for number, line in enumerate(listing.read_text(encoding="utf-8").splitlines()):
        site, path, *_ = line.split("\t")
        source = corpus / packages.SITES[site][0] / packages.SITES[site][1] / path
        write_markdown(out / f"{site}__{number:03d}.md", f"https://{site}.example/{path}", source.read_bytes())
    table = score(bench / "score.py", corpus, listing, out, log=out / "score.txt")
    header, *rows = [line.split() for line in table.splitlines() if line.strip()]
    pooled = dict(zip(header[1:], next(row for row in rows if row[0] == "ALL")[1:], strict=True))
    return [more(name, float(pooled[name])) for name in ("tokR", "tokP", "head", "head_l", "cell", "item_d", "code")]


# ---------------------------------------------------------------- pages and cases


def pages_part(args: argparse.Namespace, out: Path) -> list[Figure]:
    """Saved pages of all kinds, and the cases; each of the latter is right or wrong as a whole."""
    bench = args.bench
    for page in json.loads((bench / "pages" / "manifest.json").read_text(encoding="utf-8"))["pages"]:
        body = gzip.decompress((bench / "pages" / "html" / f"{page['id']}.html.gz").read_bytes())
        write_markdown(out / "pages" / f"{page['id']}.md", page["url"], body)
    cases = json.loads((bench / "cases" / "cases.json").read_text(encoding="utf-8"))["cases"]
    for case in cases:
        write_markdown(out / "cases" / f"{case['id']}.md", case["url"], (bench / "cases" / case["file"]).read_bytes())
    result = out / "pages.json"
    options = ["--pages", "--json", result, "--cases", out / "cases"]
    text = score(bench / "pages" / "score.py", out / "pages", *options, log=out / "score.txt")
    rows = json.loads(result.read_text(encoding="utf-8"))
    right = sum(line.startswith("  ok ") for line in text.splitlines())
    names = ("F1", "must", "clean", "clean_consent", "clean_login", "code", "table", "hR", "hP")
    figures = [more(name, _mean_of(rows, name)) for name in names]
    for line in text.splitlines():
        if line.startswith("  FAIL"):
            print(line)
    return [*figures, less("cases wrong", len(cases) - right)]


def _mean_of(rows: list[dict[str, float | None]], name: str) -> float:
    values = [value for row in rows if (value := row.get(name)) is not None]
    return sum(values) / len(values) if values else float("nan")


# ---------------------------------------------------------------- documents


def docs_part(args: argparse.Namespace, out: Path) -> list[Figure]:
    """Documents in HTML against their Markdown and their HTML twin (macro averages)."""
    datasets = _datasets(args)
    for file in sorted(datasets.glob("*/html/*.html")):
        target = out / "html" / file.parent.parent.name / f"{file.stem}.md"
        write_markdown(target, f"https://rmc.example/{file.stem}", file.read_bytes())
    figures = []
    for twin in ("html", "md"):
        result = out / f"{twin}.json"
        script = args.bench / "docs" / "doc_fidelity.py"
        score(script, out / "html", datasets, "--rmc", twin, "--json", result, log=out / f"{twin}.txt")
        macro = json.loads(result.read_text(encoding="utf-8"))["macro"]
        names = ("char", "token", "head", "head_l", "cell", "row", "item_d", "code")
        figures += [Figure(f"{name} (twin: {twin})", macro[name] or float("nan")) for name in names if name in macro]
    return figures


def _datasets(args: argparse.Namespace) -> Path:
    return args.bench / "ragmc" / "RAG-Multi-Corpus" / "datasets"


# ---------------------------------------------------------------- chunks


def chunks_part(args: argparse.Namespace, out: Path) -> list[Figure]:
    """Nothing lost, and retrieval inside a fixed context budget, from html and from md."""
    out.mkdir(parents=True, exist_ok=True)
    figures: list[Figure] = []
    for source in ("html", "md"):
        chunks = out / f"{source}.jsonl"
        covered, tokens = _write_chunks(_datasets(args), source, chunks)
        figures += [
            Figure(f"{source}: content units", covered.units),
            less(f"{source}: lost", covered.lost),
            less(f"{source}: duplicated", covered.duplicated),
            less(f"{source}: out of order", covered.out_of_order),
            less(f"{source}: not verbatim", covered.not_verbatim),
            less(f"{source}: headings lost", covered.headings_lost),
            less(f"{source}: characters in no unit or in two", covered.untiled),
            Figure(f"{source}: mean tokens of text", tokens, unit="o200k"),
        ]
        for embedder in ("bm25",) if args.no_minilm else ("bm25", "minilm"):
            figures += _retrieval(args, source, chunks, embedder)
    return figures


def _write_chunks(datasets: Path, source: str, target: Path) -> tuple[Coverage, float]:
    covered, tokens = Coverage(), []
    with target.open("w", encoding="utf-8") as lines:
        for file in sorted(datasets.glob(f"*/{source}/*.{source}")):
            body = file.read_bytes()
            if source == "html":
                document = html_document(f"https://rmc.example/{file.stem}", body)
            else:
                document = markdown_source(body.decode("utf-8", "replace"))
            tree, chunks = chunks_of(document)
            covered += coverage(tree, chunks)
            organisation = file.parent.parent.name
            for chunk in chunks:
                tokens.append(count_tokens(chunk.text))
                lines.write(json.dumps({"org": organisation, "filename": file.name, "text": chunk.embed_text}) + "\n")
    return covered, sum(tokens) / max(1, len(tokens))


def _retrieval(args: argparse.Namespace, source: str, chunks: Path, embedder: str) -> list[Figure]:
    result = chunks.with_suffix(f".{embedder}.json")
    script = args.bench / "ragmc" / "evaluate.py"
    options = ["--chunks", chunks, "--embedder", embedder, "--split", "dev", "--json", result]
    score(script, *options, log=chunks.with_suffix(f".{embedder}.txt"))
    judged = json.loads(result.read_text(encoding="utf-8"))
    overall = judged["groups"]["overall"]
    missing = [s["source_words_missing_pct"] for s in judged["chunk_stats"].values()]
    label = f"{source}, {embedder}"
    figures = [
        more(f"{label}: R@1000t", overall["recall@1000tok"]),
        Figure(f"{label}: R@6", overall["recall@6"]),
        Figure(f"{label}: MRR", overall["mrr"]),
    ]
    if embedder == "bm25":
        figures += [
            Figure(f"{source}: mean wordpieces of embed_text", judged["totals"]["mean_tokens"], least=120, most=200),
            Figure(f"{source}: source words missing", max(missing), unit="% (worst)"),
        ]
    return figures


# ---------------------------------------------------------------- search


def search_part(args: argparse.Namespace, out: Path) -> list[Figure]:
    """The full system on the development organisations, as `wrac evaluate ragmc --embedder hybrid` judges it."""
    from evaluation.comparison import Setup, compare
    from evaluation.corpora.ragmc import RagMultiCorpus
    from evaluation.rankers.hybrid import HybridRanking
    from evaluation.rows import OURS_BY_RULE
    from indexing import make_sparse_encoder
    from indexing.embedders import minilm
    from wrac.config import Settings

    if args.no_minilm:
        return []
    settings = Settings(data_dir=out)
    corpus = RagMultiCorpus(args.bench / "ragmc" / "RAG-Multi-Corpus")
    ranking = HybridRanking(minilm(out / "models"), make_sparse_encoder(settings))
    setup = Setup(
        organisations=corpus.split("dev"),
        searchers={"hybrid": ranking},
        clock=time.perf_counter,
        sources=("html",),
        only=(OURS_BY_RULE,),
    )
    scores = compare(corpus, setup).scores["hybrid"][OURS_BY_RULE]
    return [
        *(more(f"hybrid: {measure}", scores.mean(measure)) for measure in ("R@1000t", "R@6", "MRR")),
        more("words covered", scores.coverage),
    ]


PARTS = {"html": html_part, "pages": pages_part, "docs": docs_part, "chunks": chunks_part, "search": search_part}

if __name__ == "__main__":
    sys.exit(main())
