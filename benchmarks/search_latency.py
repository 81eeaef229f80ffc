"""How long a search takes on 10,000 chunks in each embedded engine, and which share of it goes into encoding the query.

    python -m benchmarks.search_latency [--chunks 10000] [--queries 40] [--server URL] [--strict]

Chunks of real pages, multiplied by joining the first half of one with the second half of another; their dense vectors
are drawn at random, since no engine's time depends on what they say. Each query is asked once, by the function that
`wrac search` calls, so that nothing of it is remembered. Wall times hang on what else the machine does, CPU times less.
With ``--server`` a Qdrant server is measured, too.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.figures import Figure, exit_code, show
from benchmarks.inputs import add_options, sample
from benchmarks.pipeline import FETCHED_AT, chunks_of, html_document
from benchmarks.rates import timed
from wrac.config import Settings
from wrac.ids import digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wrac.protocols import Embedder, SparseEncoder
    from wrac.records import Chunk, ChunkVectors, Point

GOAL_MILLISECONDS = 25
"""Median of a search with encoding, in the embedded engines."""
SOURCE_PAGES = 120
CHUNKS_A_PAGE = 12
QUERY_WORDS = 7
FEW = 5
"""Queries of local mode without our arrays, which takes half a second for each."""
ENGINES = {"local mode": "", "edge": "edge:"}


@dataclass(slots=True)
class Measured:
    """Wall seconds of each query, and CPU seconds of all threads."""

    stored: float = 0.0
    opened: float = 0.0
    """Opening the store and answering the first query, as one `wrac search` does."""
    second: float = 0.0
    """The second query: local mode's arrays are made for it."""
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    encoding_wall: list[float] = field(default_factory=list)
    encoding_cpu: list[float] = field(default_factory=list)
    bare_cpu: list[float] = field(default_factory=list)
    """Of a few queries, by local mode alone."""


def make_points(args: argparse.Namespace, embedder: Embedder, sparse: SparseEncoder) -> tuple[list[Point], list[str]]:
    """As many points as asked for, and queries of words that stand in them."""
    from indexing import PageFacts, build_points, with_names

    _, pages = sample(args.bench, args.corpus, SOURCE_PAGES)
    real = [chunk for page in pages for chunk in chunks_of(html_document(page.url, page.body))[1]]
    draw = random.Random(1)
    chunks = [multiplied(number, real, draw) for number in range(args.chunks)]
    numbers = np.random.default_rng(1)
    points: list[Point] = []
    for start in range(0, len(chunks), CHUNKS_A_PAGE):
        of_page = chunks[start : start + CHUNKS_A_PAGE]
        url = f"https://docs.example/{start}.html"
        facts = PageFacts("bench", digest(url)[:32], url, of_page[0].breadcrumb, FETCHED_AT, "en")
        vectors = [random_vectors(chunk.embed_text, embedder, sparse, numbers) for chunk in of_page]
        points += build_points(facts, of_page, with_names(facts, of_page, vectors, sparse))
    asked = [words for chunk in draw.sample(chunks, len(chunks)) if len(words := chunk.text.split()) > QUERY_WORDS]
    return points, [" ".join(words[-QUERY_WORDS:]) for words in asked[: args.queries + 2]]


def multiplied(number: int, real: Sequence[Chunk], draw: random.Random) -> Chunk:
    """Chunk ``number``: a real one as long as there are any, then halves of two."""
    if number < len(real):
        return replace(real[number], ordinal=number % CHUNKS_A_PAGE)
    one, other = draw.sample(real, 2)
    text = half(one.text, first=True) + "\n" + half(other.text, first=False)
    embed_text = half(one.embed_text, first=True) + "\n" + half(other.embed_text, first=False)
    return replace(one, text=text, embed_text=embed_text, digest=digest(text), ordinal=number % CHUNKS_A_PAGE)


def half(text: str, *, first: bool) -> str:
    """One half of the text's words, line ends kept."""
    words = text.split(" ")
    middle = (len(words) + 1) // 2
    return " ".join(words[:middle] if first else words[middle:])


def random_vectors(text: str, embedder: Embedder, sparse: SparseEncoder, numbers: np.random.Generator) -> ChunkVectors:
    """Windows where the text has them, each with a vector drawn at random."""
    from indexing.windows import cut_windows, mean_direction
    from wrac.records import ChunkVectors

    spans = cut_windows(text, embedder, 120)
    rows = numbers.normal(size=(len(spans), embedder.dimension)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    (terms,) = sparse.encode([text], "en")
    return ChunkVectors(dense=mean_direction(rows), windows=rows, sparse=terms, spans=spans)


def measure(settings: Settings, points: Sequence[Point], queries: Sequence[str]) -> Measured:
    """Stores the points, opens the store again, and asks it."""
    from indexing import QdrantStore, make_embedder, make_sparse_encoder, open_store
    from indexing.search import encode_for, search

    embedder, fresh, sparse = make_embedder(settings), make_embedder(settings), make_sparse_encoder(settings)
    found = Measured()
    with open_store(settings, "bench") as store:
        store.ensure(embedder, sparse)
        with timed() as lap:
            for start in range(0, len(points), 64):
                store.upsert(points[start : start + 64])
    found.stored = lap.wall
    for each in (embedder, fresh):
        each.embed_query("the model is loaded by its first query")
    first, second, *rest = queries
    with timed() as lap:
        store = open_store(settings, "bench")
        search(first, store=store, embedder=embedder, sparse=sparse)
    found.opened = lap.wall
    with store:
        with timed() as lap:
            search(second, store=store, embedder=embedder, sparse=sparse)
        found.second = lap.wall
        for query in rest:
            with timed() as lap:
                hits = search(query, store=store, embedder=embedder, sparse=sparse)
            assert hits
            found.wall.append(lap.wall)
            found.cpu.append(lap.cpu)
            with timed() as lap:
                fresh.embed_query(query)
                encode_for(query, ["en"], sparse)
            found.encoding_wall.append(lap.wall)
            found.encoding_cpu.append(lap.cpu)
        if not settings.store:
            store._searched = partial(QdrantStore._searched, store)  # noqa: SLF001 as if it had no arrays
            for query in rest[:FEW]:
                with timed() as lap:
                    search(query + " ", store=store, embedder=embedder, sparse=sparse)
                found.bare_cpu.append(lap.cpu)
    return found


def figures_of(name: str, found: Measured, goal: float | None) -> list[Figure]:
    """The lines of one engine."""
    return [
        Figure(f"{name}: search with encoding, p50", milliseconds(found.wall), most=goal, unit="ms"),
        Figure(f"{name}: search with encoding, p95", milliseconds(found.wall, 95), unit="ms"),
        Figure(f"{name}: encoding the query, p50", milliseconds(found.encoding_wall), unit="ms"),
        Figure(f"{name}: CPU time of a search with encoding, p50", milliseconds(found.cpu), unit="ms"),
        Figure(f"{name}: share of encoding in CPU time", milliseconds(found.encoding_cpu) / milliseconds(found.cpu)),
        Figure(f"{name}: opening and first search", 1000 * found.opened, unit="ms"),
        Figure(f"{name}: second search", 1000 * found.second, unit="ms"),
        Figure(f"{name}: storing all points", found.stored, unit="s"),
    ]


def milliseconds(seconds: Sequence[float], percentile: int = 50) -> float:
    """The percentile."""
    return 1000 * float(np.percentile(seconds, percentile))


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--server", default="", help="URL of a Qdrant server to measure beside them")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a goal is missed")
    args = parser.parse_args()
    from indexing import make_embedder, make_sparse_encoder

    found: list[Figure] = []
    measured: dict[str, Measured] = {}
    with tempfile.TemporaryDirectory() as scratch:
        base = Settings(data_dir=Path(scratch))
        points, queries = make_points(args, make_embedder(base), make_sparse_encoder(base))
        for name, store in {**ENGINES, **({"server": args.server} if args.server else {})}.items():
            measured[name] = measure(Settings(data_dir=Path(scratch), store=store), points, queries)
            found += figures_of(name, measured[name], GOAL_MILLISECONDS if name in ENGINES else None)
    local, edge = measured["local mode"], measured["edge"]
    found += [
        Figure("local mode without our arrays: CPU time of a search", milliseconds(local.bare_cpu), unit="ms"),
        Figure(
            "CPU time, local mode without / with our arrays", np.median(local.bare_cpu) / np.median(local.cpu), unit="x"
        ),
        Figure("CPU time, local mode / edge", np.median(local.cpu) / np.median(edge.cpu), unit="x"),
        Figure("opening and first search, local mode / edge", local.opened / edge.opened, unit="x"),
    ]
    show(f"search on {len(points):,} chunks, {sum(map(term_count, points)) / len(points):.0f} terms each", found)
    return exit_code(found, strict=args.strict)


def term_count(point: Point) -> int:
    """Terms of the sparse vector."""
    return len(point.vectors.sparse.indices)


if __name__ == "__main__":
    sys.exit(main())
