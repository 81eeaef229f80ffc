"""How fast texts are embedded and points are stored, per second of CPU time.

    python -m benchmarks.rates [--texts 60] [--points 1000]

Embeds chunk texts of real pages with the default embedder, encodes them for the lexical side, and stores points with
windows into an embedded collection in a temporary folder. The ratio says how the parts of a page's cost compare.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.figures import Figure, show
from benchmarks.inputs import add_options, sample
from benchmarks.pipeline import FETCHED_AT, chunks_of, html_document
from wrac.config import Settings
from wrac.ids import digest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wrac.records import Chunk


@dataclass(slots=True)
class Lap:
    """CPU and wall seconds of a block."""

    cpu: float = 0.0
    wall: float = 0.0


@contextmanager
def timed() -> Iterator[Lap]:
    """Measures the block; all threads of the process count."""
    lap = Lap()
    cpu, wall = time.process_time(), time.perf_counter()
    yield lap
    lap.cpu, lap.wall = time.process_time() - cpu, time.perf_counter() - wall


def figures(args: argparse.Namespace) -> list[Figure]:
    """Rates of making chunks, embedding, encoding and storing."""
    from indexing import PageFacts, build_points, make_embedder, make_sparse_encoder, open_store, vectors_for

    _, pages = sample(args.bench, args.corpus, 20)
    with timed() as making:
        chunks: list[Chunk] = []
        for page in pages:
            chunks += chunks_of(html_document(page.url, page.body))[1]
    texts = list(dict.fromkeys(chunk.embed_text for chunk in chunks))
    chosen = texts[:: max(1, len(texts) // args.texts)][: args.texts]
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder))
        embedder, sparse = make_embedder(settings), make_sparse_encoder(settings)
        embedder.embed(chosen[:1])
        sparse.encode(chosen[:1], "en")
        with timed() as encoding:
            sparse.encode(chosen, "en")
        with timed() as embedding:
            vectors = vectors_for(chosen, "en", embedder, sparse)
        facts = PageFacts("bench", "0" * 32, "https://docs.example/", "Bench", FETCHED_AT, "en")
        count = args.points
        copies = [
            replace(
                chunks[n % len(chunks)], digest=digest(str(n)), ordinal=n, text=f"{n} {chunks[n % len(chunks)].text}"
            )
            for n in range(count)
        ]
        points = build_points(facts, copies, [vectors[n % len(vectors)] for n in range(count)])
        with open_store(settings, "bench") as store:
            store.ensure(embedder, sparse)
            with timed() as storing:
                for start in range(0, count, 64):
                    store.upsert(points[start : start + 64])
    windows = sum(len(vector.windows) for vector in vectors)
    per_chunk = making.cpu / len(chunks)
    return [
        Figure("chunks made (clean .. assemble)", len(chunks) / making.cpu, unit="per CPU s"),
        Figure("texts embedded, windows and sparse", len(chosen) / embedding.cpu, unit="per CPU s"),
        Figure("windows a text", windows / len(chosen)),
        Figure("texts encoded sparse", len(chosen) / encoding.cpu, unit="per CPU s"),
        Figure("points stored, embedded collection", count / storing.cpu, unit="per CPU s"),
        Figure("points stored, embedded collection", count / storing.wall, unit="per wall s"),
        Figure("embedding a chunk", embedding.cpu / len(chosen) / per_chunk, unit="x making it"),
        Figure("storing a point", storing.cpu / count / per_chunk, unit="x making it"),
    ]


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--texts", type=int, default=60)
    parser.add_argument("--points", type=int, default=1000)
    show("embedding and storing", figures(parser.parse_args()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
