"""What the commands that ask a collection have in common."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from indexing.reranking import Ranking
    from wrac.protocols import Embedder, SparseEncoder, Store

Site = Annotated[str, typer.Option(help="Only pages of this site.")]
Collection = Annotated[str, typer.Option(help="Collection to ask.")]
PathBelow = Annotated[list[str] | None, typer.Option(help="Only pages below this path, e.g. /guide; may be repeated.")]
Lang = Annotated[list[str] | None, typer.Option(help="Only pages in this language, e.g. en; may be repeated.")]
Version = Annotated[list[str] | None, typer.Option(help="Only pages of this version, e.g. 2.1; may be repeated.")]
Type = Annotated[
    list[str] | None, typer.Option("--type", help="Only pages made from this, e.g. html or pdf; may be repeated.")
]
Kind = Annotated[
    list[str] | None, typer.Option(help="Only chunks of this kind, e.g. procedure, table, code; may be repeated.")
]
Since = Annotated[str, typer.Option(help="Only pages that say they are from this day, month or year on: 2026-05.")]
Until = Annotated[str, typer.Option(help="Only pages that say they are from this day, month or year, or before.")]
Rerank = Annotated[
    bool | None,
    typer.Option("--rerank/--no-rerank", help="Let `reranker` put the best hits in order. [default: as `rerank` says]"),
]


@dataclass(frozen=True, slots=True)
class Asked:
    """An open collection, what its queries are encoded with, and how its hits are ranked."""

    store: Store
    embedder: Embedder
    sparse: SparseEncoder
    ranking: Ranking


@contextmanager
def asked(collection: str, *, rerank: bool | None = None) -> Iterator[Asked]:
    """The collection of the settings at hand, for as long as it is asked.

    Raises ``ConfigError`` where nothing was crawled yet or there is no reranker to be asked, ``StoreLocked``,
    ``StoreError``.
    """
    from indexing import make_embedder, make_sparse_encoder, open_store
    from indexing.reranking import make_ranking
    from service.state import require_collection
    from wrac.config import load_settings

    settings = load_settings()
    require_collection(settings)
    ranking = make_ranking(settings, rerank=rerank)
    embedder = make_embedder(settings)
    sparse = make_sparse_encoder(settings)
    with open_store(settings, collection) as store:
        yield Asked(store, embedder, sparse, ranking)


_OPTIONS = {"language": "lang", "source_kind": "type"}
"""Options of filters that have another name there."""


def filters_of(
    *,
    path: list[str] | None = None,
    lang: list[str] | None = None,
    version: list[str] | None = None,
    source: list[str] | None = None,
    kind: list[str] | None = None,
    since: str = "",
    until: str = "",
) -> dict[str, object]:
    """What narrows a search, as the options say; several of one option mean any of them."""
    given: dict[str, object] = {
        "path": path,
        "language": [tag.lower() for tag in lang or []],
        "version": version,
        "source_kind": [name.lower() for name in source or []],
        "kind": [name.lower() for name in kind or []],
        "since": since,
        "until": until,
    }
    return {key: value for key, value in given.items() if value}


def options_of(filters: Mapping[str, object]) -> str:
    """The options that ``filters_of`` was given, for a person."""
    return ", ".join(f"--{_OPTIONS.get(key, key)}" for key in filters)
