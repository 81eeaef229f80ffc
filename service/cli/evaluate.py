"""``wrac evaluate``: how good the chunks are, and what they cost."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from chunking import WindowLimits
    from evaluation.rankers import MakesRanker
    from llm.budget import Budget
    from llm.chat import ChatClient
    from wrac.config import Settings

app = typer.Typer(no_args_is_help=True, help="Judge chunks by questions with known answers, beside other methods.")


class Format(StrEnum):
    """Formats of the corpus that our methods and the splitters may read."""

    MARKDOWN = "md"
    HTML = "html"


class Embedder(StrEnum):
    """What ranks the chunks, the same for all methods."""

    BM25 = "bm25"
    MINILM = "minilm"
    HYBRID = "hybrid"
    """Our own search: MiniLM windows and BM25 with pairs and names, fused."""


class Planner(StrEnum):
    """How our units are grouped."""

    RULE = "rule"
    LLM = "llm"


@app.callback()
def _group() -> None:
    """Judge chunks by questions with known answers, beside other methods."""


@app.command("ragmc")
def ragmc(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", exists=True, file_okay=False, help="Folder of RAG-Multi-Corpus.")
    ],
    *,
    source: Annotated[
        Format, typer.Option("--format", help="What our methods and the splitters read.")
    ] = Format.MARKDOWN,
    split: Annotated[str, typer.Option(help="all, dev, held, or organisations with commas.")] = "all",
    embedder: Annotated[Embedder, typer.Option(help="What ranks the chunks.")] = Embedder.BM25,
    planner: Annotated[
        Planner, typer.Option(help="llm: ask `planner_model` for plans too, beside the replayed published ones.")
    ] = Planner.RULE,
    agentic: Annotated[
        bool, typer.Option("--agentic", help="Ask `planner_model` to write chunks too (dear), beside the published.")
    ] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write everything, query by query, to FILE too.")
    ] = None,
    times: Annotated[bool, typer.Option(help="Seconds in FILE; without them FILE is the same for each run.")] = True,
) -> None:
    """Compare our chunks with other methods' on RAG-Multi-Corpus: recall in a budget, tokens, money, fidelity.

    No model is asked unless --planner llm or --agentic is given. The output says what could not be measured.
    """
    import json
    from time import perf_counter

    from evaluation.comparison import Setup, compare
    from evaluation.corpora.ragmc import RagMultiCorpus
    from evaluation.report import as_record, tables
    from ingest.planning import make_planner
    from wrac.config import load_settings

    settings = load_settings()
    corpus = RagMultiCorpus(folder)
    limits = _limits(settings)
    client, budget = _model(settings) if planner is Planner.LLM or agentic else (None, None)
    setup = Setup(
        organisations=corpus.split(split),
        make_ranker=_ranker(embedder, settings),
        clock=perf_counter,
        source=source.value,
        limits=limits,
        planner=make_planner(settings, limits, client, budget=budget)
        if client is not None and planner is Planner.LLM
        else None,
        writing_model=client if agentic else None,
        budget=budget,
    )
    result = compare(corpus, setup)
    typer.echo(f"Ranked by {embedder.value}; our methods and the splitters read {source.value}.\n")
    typer.echo(tables(result))
    if json_file is not None:
        record = {"embedder": embedder.value, "format": source.value, **as_record(result, times=times)}
        json_file.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _ranker(embedder: Embedder, settings: Settings) -> MakesRanker:
    if embedder is Embedder.BM25:
        from evaluation.rankers.bm25 import Bm25Ranker

        return Bm25Ranker
    from indexing.embedders import minilm

    model = minilm(settings.data_dir / "models")
    if embedder is Embedder.MINILM:
        from evaluation.rankers.dense import DenseRanking

        return DenseRanking(model)
    from evaluation.rankers.hybrid import HybridRanking
    from indexing import make_sparse_encoder

    return HybridRanking(model, make_sparse_encoder(settings))


def _limits(settings: Settings) -> WindowLimits:
    from chunking import WindowLimits

    return WindowLimits(
        target=settings.chunk_target_tokens, minimum=settings.chunk_min_tokens, maximum=settings.chunk_max_tokens
    )


def _model(settings: Settings) -> tuple[ChatClient, Budget]:
    """The configured model, and the caps of one run. Raises ``ConfigError`` before anything is asked."""
    import os

    from ingest.bill import cap, require_price
    from ingest.planning import open_chat
    from llm.budget import Budget

    run = cap("run", settings.max_run_tokens, settings.max_run_dollars)
    budget = Budget(run, require_price(settings))
    return open_chat(settings, os.environ), budget
