"""``wrac search``: ask the collection."""

from __future__ import annotations

import shutil
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
from service.cli.terminal import json_line, one_line, plain, write_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexing.search import PageHits
    from wrac.records import Hit

HITS_A_PAGE = 4
"""Hits that are asked for with ``--by-page``, for each page that may be shown."""
PREVIEW_LINES = 12
"""Lines of a hit's text that are shown unless all are asked for."""


def search(
    query: Annotated[str, typer.Argument(help="A question, or words to find.")],
    *,
    site: Site = "",
    collection: Collection = "docs",
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=1000, help="Hits (with --by-page: pages) at most.")
    ] = 5,
    path: PathBelow = None,
    lang: Lang = None,
    version: Version = None,
    source: Type = None,
    kind: Kind = None,
    since: Since = "",
    until: Until = "",
    rerank: Rerank = None,
    full: Annotated[bool, typer.Option("--full", help="Show the whole text of every hit.")] = False,
    grouped: Annotated[bool, typer.Option("--by-page", help="One entry a page, with its hits.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a hit (or page) and line.")] = False,
) -> None:
    """Find the passages that answer a question: text, breadcrumb, URL with #anchor and score."""
    if not query.strip():
        raise typer.BadParameter("a question, or words to find, is needed", param_hint="QUERY")
    wanted = limit * HITS_A_PAGE if grouped else limit
    filters = filters_of(path=path, lang=lang, version=version, source=source, kind=kind, since=since, until=until)
    hits = _hits(query, site=site, collection=collection, limit=wanted, filters=filters, rerank=rerank)
    pages = _pages(hits, limit) if grouped else []
    if as_json:
        for record in [_page_record(page) for page in pages] if grouped else [_record(hit) for hit in hits]:
            write_bytes(json_line(record))
        sys.stdout.flush()
        return
    if not hits:
        typer.echo(_no_hit(site, filters), err=True)
    width = min(shutil.get_terminal_size((100, 24)).columns, 120)
    if grouped:
        for number, page in enumerate(pages, 1):
            _show_page(number, page, width=width)
        return
    for number, hit in enumerate(hits, 1):
        _show(number, hit, width=width, full=full)


def _no_hit(site: str, filters: Mapping[str, object]) -> str:
    named = f" Is the site's name {site!r}? `wrac status` lists them." if site else ""
    return "No hit." + (f"{named} Or is there nothing with {options_of(filters)} as asked for?" if filters else named)


def _hits(
    query: str, *, site: str, collection: str, limit: int, filters: Mapping[str, object], rerank: bool | None
) -> list[Hit]:
    from indexing.search import search as ask

    with asked(collection, rerank=rerank) as held:
        return ask(
            query,
            store=held.store,
            embedder=held.embedder,
            sparse=held.sparse,
            limit=limit,
            site=site or None,
            filters=filters,
            ranking=held.ranking,
        )


def _pages(hits: Sequence[Hit], limit: int) -> list[PageHits]:
    from indexing.search import by_page

    return by_page(hits)[:limit]


def _page_record(page: PageHits) -> dict[str, object]:
    return {
        "score": round(page.score, 6),
        "url": page.url,
        "title": page.title,
        "hits": [_record(hit) for hit in page.hits],
    }


def _show_page(number: int, page: PageHits, *, width: int) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(width=width, highlight=False, markup=False, emoji=False, soft_wrap=True)
    head = Text(f"{number}. {one_line(page.title)}", style="bold")
    head.append(f"  {page.score:.3f}", style="dim")
    console.print(head)
    console.print(Text(f"   {one_line(page.url)}", style="cyan"))
    for hit in page.hits:
        line = Text(f"   - {one_line(hit.breadcrumb or hit.title)}")
        line.append(f"  {hit.score:.3f}", style="dim")
        console.print(line)
        if hit.url != page.url:
            console.print(Text(f"     {one_line(hit.url)}", style="cyan"))
    console.print()


def _record(hit: Hit) -> dict[str, object]:
    return {
        "score": round(hit.score, 6),
        "text": hit.text,
        "part": hit.part,
        "breadcrumb": hit.breadcrumb,
        "url": hit.url,
        "title": hit.title,
        "site": hit.site,
        "point_id": hit.point_id,
    }


def _show(number: int, hit: Hit, *, width: int, full: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(width=width, highlight=False, markup=False, emoji=False, soft_wrap=True)
    head = Text(f"{number}. ", style="bold")
    head.append(one_line(hit.breadcrumb or hit.title), style="bold")
    head.append(f"  {hit.score:.3f}", style="dim")
    console.print(head)
    console.print(Text(f"   {one_line(hit.url)}", style="cyan"))
    console.print()
    text = hit.text if full or not hit.part else hit.part
    lines = plain(text).strip().split("\n")
    shown = lines if full else lines[:PREVIEW_LINES]
    for line in shown:
        console.print(Text(f"   {line}"))
    if len(shown) < len(lines) or text != hit.text:
        console.print(Text("   ... (--full shows all of it)", style="dim"))
    console.print()
