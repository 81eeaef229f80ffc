"""``wrac evaluate``: how good the chunks are, and what they cost."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import ExitStack

    from chunking import WindowLimits
    from evaluation.comparison import Comparison, Setup
    from evaluation.corpora.ragmc import RagMultiCorpus
    from evaluation.rankers import MakesRanker
    from evaluation.rows import Row
    from indexing import VectorCache
    from llm.budget import Budget
    from llm.chat import ChatClient
    from wrac.config import Settings

BM25, MINILM, HYBRID = "bm25", "minilm", "hybrid"
EMBEDDERS = (BM25, MINILM, HYBRID)
"""What may rank the chunks, the same for all rows; hybrid is our own search: MiniLM windows and BM25, fused."""
KEPT = "vectors.sqlite"
"""File of vectors of earlier runs."""

app = typer.Typer(no_args_is_help=True, help="Judge chunks by questions with known answers, beside other methods.")


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
    sources: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="What our methods and the splitters read: md, html, pdf, docx, pptx; several with commas.",
        ),
    ] = "md",
    split: Annotated[str, typer.Option(help="all, dev, held, or organisations with commas.")] = "all",
    embedders: Annotated[
        str,
        typer.Option(
            "--embedder",
            metavar="NAME",
            help="What ranks the chunks: bm25, minilm, hybrid (our own search); several with commas, or all.",
        ),
    ] = "all",
    against: Annotated[
        str, typer.Option(metavar="ROW", help="Row that all others are compared with; a part of its name will do.")
    ] = "",
    only: Annotated[
        list[str] | None, typer.Option(metavar="TEXT", help="Only rows whose name holds TEXT; may be repeated.")
    ] = None,
    planner: Annotated[
        Planner, typer.Option(help="llm: ask `planner_model` for plans too, beside the replayed published ones.")
    ] = Planner.RULE,
    agentic: Annotated[
        bool, typer.Option("--agentic", help="Ask `planner_model` to write chunks too (dear), beside the published.")
    ] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write everything, query by query, to FILE too.")
    ] = None,
    html_file: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page to open in a browser.")
    ] = None,
    times: Annotated[
        bool, typer.Option(help="Our own seconds, too; without them the output is the same for each run.")
    ] = False,
    cache: Annotated[
        bool, typer.Option(help="Keep vectors in DATA_DIR/evaluation, so that the next run embeds only what is new.")
    ] = True,
) -> None:
    """Compare our chunks with other methods' on RAG-Multi-Corpus: recall in a budget, tokens, money, fidelity.

    No model is asked unless --planner llm or --agentic is given. The output says what could not be measured.
    """
    from contextlib import ExitStack
    from time import perf_counter

    from evaluation.comparison import Setup, compare, rows_of
    from evaluation.corpora.ragmc import RagMultiCorpus
    from evaluation.report import tables
    from evaluation.rows import row_named
    from ingest.planning import make_planner
    from service.cli.evaluation_files import require_folders, write_json, write_text
    from wrac.config import load_settings

    require_folders(json_file, html_file)
    settings = load_settings()
    corpus = RagMultiCorpus(folder)
    limits = _limits(settings)
    chosen = _names("--embedder", embedders, EMBEDDERS, everything="all")
    client, budget = _model(settings) if planner is Planner.LLM or agentic else (None, None)
    with ExitStack() as opened:
        setup = Setup(
            organisations=corpus.split(split),
            searchers=_searchers(chosen, settings, opened, cache=cache),
            clock=perf_counter,
            sources=_formats(sources),
            limits=limits,
            planner=make_planner(settings, limits, client, budget=budget)
            if client is not None and planner is Planner.LLM
            else None,
            writing_model=client if agentic else None,
            budget=budget,
            only=tuple(only or ()),
            tell=lambda line: typer.echo(line, err=True),
        )
        rows = rows_of(corpus, setup)
        compared = row_named(rows, against) if against else rows[0]
        result = compare(corpus, setup)
    about = f"{', '.join(setup.organisations)}; read from {', '.join(setup.sources)}"
    if json_file is not None:
        write_json(json_file, _record(corpus, setup, result, compared, times=times))
    if html_file is not None:
        from evaluation.comparison_page import render_comparison

        write_text(html_file, render_comparison(result, compared, about))
    typer.echo(f"{about}\n")
    typer.echo(tables(result, compared, times=times))


def _record(
    corpus: RagMultiCorpus, setup: Setup, result: Comparison, against: Row, *, times: bool
) -> dict[str, object]:
    """The result with what it was made of."""
    from evaluation.record import as_record
    from wrac import __version__

    return {
        "wrac": __version__,
        "organisations": setup.organisations,
        "formats": setup.sources,
        "corpus_digest": corpus.digest(setup.organisations, setup.sources),
        **as_record(result, against, times=times),
    }


def _formats(asked: str) -> tuple[str, ...]:
    from evaluation.documents import FORMATS

    return _names("--format", asked, FORMATS)


def _names(option: str, asked: str, known: Sequence[str], everything: str = "") -> tuple[str, ...]:
    """The names in a list with commas, each once. Raises ``ConfigError`` for one that is not known."""
    from wrac.errors import ConfigError

    if everything and asked == everything:
        return tuple(known)
    found = tuple(dict.fromkeys(part.strip() for part in asked.split(",") if part.strip()))
    unknown = [name for name in found if name not in known]
    if unknown or not found:
        also = f", or {everything}" if everything else ""
        raise ConfigError(f"{option} {asked!r}: there are {', '.join(known)}{also}; several with commas")
    return found


def _searchers(chosen: Sequence[str], settings: Settings, opened: ExitStack, *, cache: bool) -> dict[str, MakesRanker]:
    """What ranks, by name; the model is loaded, and the file of vectors opened, only where they are needed."""
    from evaluation.rankers.bm25 import Bm25Ranker

    if chosen == (BM25,):
        return {BM25: Bm25Ranker}
    from evaluation.kept_vectors import KeptEmbedder, VectorFile
    from evaluation.rankers.dense import DenseRanking
    from evaluation.rankers.hybrid import HybridRanking
    from indexing import make_sparse_encoder
    from indexing.embedders import minilm

    kept: VectorCache = opened.enter_context(VectorFile(settings.data_dir / "evaluation" / KEPT)) if cache else {}
    model = KeptEmbedder(minilm(settings.data_dir / "models"), kept)
    makers: dict[str, MakesRanker] = {
        BM25: Bm25Ranker,
        MINILM: DenseRanking(model),
        HYBRID: HybridRanking(model, make_sparse_encoder(settings)),
    }
    return {name: makers[name] for name in chosen}


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
