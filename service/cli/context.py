"""``wrac context``: what a model is given to answer a question from."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.asking import (
    Collection,
    Kind,
    Lang,
    PathBelow,
    Rerank,
    Since,
    Site,
    Type,
    Until,
    Version,
    asked,
    filters_of,
    options_of,
)
from service.cli.terminal import json_line, plain, write_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexing.context import Context, Piece


def context(
    query: Annotated[str, typer.Argument(help="A question.")],
    *,
    budget: Annotated[
        int, typer.Option(min=1, help="Tokens (o200k) that the context may have, sources included.")
    ] = 2000,
    site: Site = "",
    collection: Collection = "docs",
    path: PathBelow = None,
    lang: Lang = None,
    version: Version = None,
    source: Type = None,
    kind: Kind = None,
    since: Since = "",
    until: Until = "",
    rerank: Rerank = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object with text, tokens and pieces.")] = False,
) -> None:
    """Put together the passages that answer a question, verbatim, inside a budget of tokens, each with its source."""
    if not query.strip():
        raise typer.BadParameter("a question is needed", param_hint="QUERY")
    filters = filters_of(path=path, lang=lang, version=version, source=source, kind=kind, since=since, until=until)
    found = _context(query, budget=budget, site=site, collection=collection, filters=filters, rerank=rerank)
    if not found.pieces:
        narrowed = f"; or is there nothing with {options_of(filters)} as asked for" if filters else ""
        typer.echo(f"Nothing fits: is the budget too small, or the site empty (`wrac status`){narrowed}?", err=True)
    if as_json:
        write_bytes(json_line(_record(found)))
        sys.stdout.flush()
    elif found.pieces:
        typer.echo(plain(found.text))


def _context(
    query: str, *, budget: int, site: str, collection: str, filters: Mapping[str, object], rerank: bool | None
) -> Context:
    from indexing.context import context as put_together

    with asked(collection, rerank=rerank) as held:
        return put_together(
            query,
            budget,
            store=held.store,
            embedder=held.embedder,
            sparse=held.sparse,
            site=site or None,
            filters=filters,
            ranking=held.ranking,
        )


def _record(found: Context) -> dict[str, object]:
    return {"tokens": found.tokens, "text": found.text, "pieces": [_piece(piece) for piece in found.pieces]}


def _piece(piece: Piece) -> dict[str, object]:
    return {
        "text": piece.text,
        "url": piece.url,
        "title": piece.title,
        "breadcrumb": piece.breadcrumb,
        "score": round(piece.score, 6),
        "point_ids": list(piece.point_ids),
    }
