"""The best verbatim context for a question inside a token budget, each piece with its source."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import count, dropwhile
from typing import TYPE_CHECKING

from indexing.search import page_of, search
from wrac.errors import ConfigError
from wrac.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from indexing.reranking import Ranking
    from wrac.protocols import Embedder, SparseEncoder, Store
    from wrac.records import Hit

CANDIDATES = 40
"""Hits that a context is chosen from at most."""
MOST_MISSES = 8
"""Hits in a row that do not fit, after which a context is full."""

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")


@dataclass(frozen=True, slots=True)
class Piece:
    """Chunks that follow one another in a section, as one text."""

    text: str
    """Verbatim Markdown; headings that an earlier piece of the page has said are not said again."""
    url: str
    """With ``#anchor`` or ``#page=N`` of its first chunk."""
    title: str
    breadcrumb: str
    score: float
    """Of its best chunk."""
    point_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """What a model is given to answer from."""

    pieces: tuple[Piece, ...]
    """Pages by their best chunk, pieces of one page in its own order."""
    text: str
    """All pieces, each below ``[number] URL``."""
    tokens: int
    """Tokens of ``text``, at most the budget."""


def context(
    query: str,
    budget_tokens: int,
    *,
    store: Store,
    embedder: Embedder,
    sparse: SparseEncoder,
    site: str | None = None,
    filters: Mapping[str, object] | None = None,
    ranking: Ranking | None = None,
) -> Context:
    """The best chunks for the query that fit into ``budget_tokens`` (o200k) together with their sources.

    Raises ``ConfigError`` for a budget below 1, and what ``search`` raises.
    """
    if budget_tokens < 1:
        raise ConfigError(f"a budget of {budget_tokens} tokens holds nothing: give a larger one")
    hits = search(
        query,
        store=store,
        embedder=embedder,
        sparse=sparse,
        limit=CANDIDATES,
        site=site,
        filters=filters,
        ranking=ranking,
    )
    return fill(hits, budget_tokens)


def fill(hits: Sequence[Hit], budget_tokens: int) -> Context:
    """The best of the hits, best first, that fit together; each text once.

    Of a hit that does not fit, its nearest part is taken if that does; of the very best one, at least its beginning.
    Empty where not even that fits.
    """
    chosen: list[Hit] = []
    best = _laid_out(chosen)
    misses = 0
    for hit in _distinct(hits):
        for form in (hit, replace(hit, text=_headed(hit))) if hit.part else (hit,):
            tried = _laid_out([*chosen, form])
            if tried.tokens <= budget_tokens:
                chosen.append(form)
                best, misses = tried, 0
                break
        else:
            misses += 1
        if misses == MOST_MISSES:
            break
    return best if chosen or not hits else _beginning(hits[0], budget_tokens)


def _distinct(hits: Iterable[Hit]) -> list[Hit]:
    seen: dict[str, Hit] = {}
    for hit in hits:
        seen.setdefault(str(hit.payload.get("digest") or hit.point_id), hit)
    return list(seen.values())


def _headed(hit: Hit) -> str:
    """The nearest part below the headings that its chunk stands under."""
    heads, _ = _leading_headings(hit.text)
    part_heads, body = _leading_headings(hit.part)
    missing = [head for head in heads if head not in part_heads]
    return "\n\n".join(part for part in (*missing, *part_heads, body) if part)


def _beginning(hit: Hit, budget_tokens: int) -> Context:
    """As many of the first lines of one hit as fit."""
    lines = hit.text.split("\n")
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if _laid_out([replace(hit, text="\n".join(lines[:middle]))]).tokens <= budget_tokens:
            low = middle
        else:
            high = middle - 1
    kept = "\n".join(lines[:low]).strip("\n")
    return _laid_out([replace(hit, text=kept)] if _leading_headings(kept)[1] else [])


def _laid_out(hits: Sequence[Hit]) -> Context:
    pages: dict[str, list[Hit]] = {}
    for hit in hits:
        pages.setdefault(page_of(hit), []).append(hit)
    pieces = tuple(piece for page in pages.values() for piece in _pieces(sorted(page, key=_ordinal)))
    text = "\n\n".join(
        f"[{number}] {piece.url}\n\n{piece.text}" for number, piece in zip(count(1), pieces, strict=False)
    )
    return Context(pieces, text, count_tokens(text) if text else 0)


def _pieces(hits: Sequence[Hit]) -> list[Piece]:
    """Pieces of one page; ``hits`` in the order of the page."""
    pieces: list[Piece] = []
    opened: list[tuple[int, str]] = []
    last: Hit | None = None
    for hit in hits:
        heads, body = _leading_headings(hit.text)
        said = {head for _, head in opened}
        new = dropwhile(said.__contains__, heads)
        text = "\n\n".join(part for part in (*new, body) if part)
        opened = _opened(opened, hit.text)
        if last is not None and _continues(last, hit):
            pieces[-1] = _joined(pieces[-1], hit, text)
        else:
            pieces.append(Piece(text, hit.url, hit.title, hit.breadcrumb, hit.score, (hit.point_id,)))
        last = hit
    return pieces


def _joined(piece: Piece, hit: Hit, text: str) -> Piece:
    return replace(
        piece,
        text=f"{piece.text}\n\n{text}".strip("\n"),
        score=max(piece.score, hit.score),
        point_ids=(*piece.point_ids, hit.point_id),
    )


def _continues(one: Hit, other: Hit) -> bool:
    """Whether ``other`` is the next chunk, in the same section or below it: then one source stands for both."""
    path, below = _heading_path(one), _heading_path(other)
    return _ordinal(other) == _ordinal(one) + 1 and below[: len(path)] == path


def _ordinal(hit: Hit) -> int:
    return int(hit.payload.get("ordinal", 0))


def _heading_path(hit: Hit) -> list[str]:
    return [str(name) for name in hit.payload.get("heading_path", ())]


def _leading_headings(text: str) -> tuple[list[str], str]:
    """The heading lines that a text begins with, and the rest of it."""
    heads: list[str] = []
    rest = text
    while _HEADING.match(rest):
        head, _, rest = rest.partition("\n")
        heads.append(head)
        rest = rest.lstrip("\n")
    return heads, rest


def _opened(opened: Sequence[tuple[int, str]], text: str) -> list[tuple[int, str]]:
    """The headings that the end of a text stands under, with their levels, on a page where some were open before."""
    stack = list(opened)
    fence = ""
    for line in text.split("\n"):
        if mark := _FENCE.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence and (heading := _HEADING.match(line)):
            level = len(heading[1])
            stack = [*(item for item in stack if item[0] < level), (level, line)]
    return stack
