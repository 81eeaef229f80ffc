"""``wrac chunk``: files to chunks, without a store."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.terminal import json_line, plain, write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ingest.page_records import PageRecord
    from service.cli.walk import Walk
    from service.documents import SourceFile
    from wrac.records import Chunk


class Planner(StrEnum):
    """Names that a site profile takes for its planner, too."""

    RULE = "rule"
    LLM = "llm"


def chunk(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH...", exists=True, help="PDF, Office, HTML or Markdown files, or folders of them."),
    ],
    *,
    url: Annotated[str, typer.Option(help="URL of the page, or of the folder: links become absolute by it.")] = "",
    planner: Annotated[
        Planner, typer.Option(help="How units are grouped: by rule, or by the model that wrac.toml names.")
    ] = Planner.RULE,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="One JSON object a chunk and line, instead of text to read.")
    ] = False,
) -> None:
    """Show the chunks of files as a crawl would make them. No store is touched."""
    from service.cli.walk import Walk
    from service.documents import chunk_ids

    walk = Walk(paths, url)
    for source, record in walk if planner is Planner.RULE else _by_model(walk):
        for chunk_id, one in zip(chunk_ids(source, record.chunks), record.chunks, strict=True):
            if jsonl:
                write_bytes(json_line(_record(source, chunk_id, one, record.document.source_kind)))
            else:
                _show(source, one)
        sys.stdout.flush()
    walk.finish()


def _by_model(walk: Walk) -> Iterator[tuple[SourceFile, PageRecord]]:
    """The files with plans by the model; what it cost is said at the end, on standard error."""
    import os

    from service.model_plans import ModelPlans
    from wrac.config import load_settings

    with ModelPlans(load_settings(), os.environ) as plans:
        for source, record in walk:
            yield source, plans.plan(record)
        for line in plans.summary():
            typer.echo(plain(line), err=True)


def _record(source: SourceFile, chunk_id: str, chunk: Chunk, kind: str) -> dict[str, object]:
    from indexing.citation import cite

    page = chunk.pages[0] if chunk.pages else None
    return {
        "file": str(source.path),
        "chunk_id": chunk_id,
        "text": chunk.text,
        "embed_text": chunk.embed_text,
        "breadcrumb": chunk.breadcrumb,
        "heading_path": chunk.heading_path,
        "unit_ids": chunk.unit_ids,
        "tokens": chunk.tokens,
        "kind": chunk.kind,
        "url": cite(source.url, chunk.fragment, page, kind) if source.url else "",
        "pages": chunk.pages,
        "ordinal": chunk.ordinal,
    }


def _show(source: SourceFile, chunk: Chunk) -> None:
    first = f" · page {chunk.pages[0]}" if chunk.pages else ""
    head = f"{source.path} · {chunk.ordinal + 1}{first} · {chunk.kind} · {chunk.tokens} tokens · {chunk.breadcrumb}"
    typer.secho(plain(head).replace("\n", " "), bold=True)
    typer.echo(plain(chunk.text) + "\n")
