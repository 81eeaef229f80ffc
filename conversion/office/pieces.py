"""Pieces of a paragraph: text with its looks, and what else stands in a line; written as inline HTML."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conversion.office.page import add, add_text, xml_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lxml.html import HtmlElement

BREAK = "\n"


@dataclass(frozen=True, slots=True)
class Looks:
    """How a run is set, as far as Markdown can say it."""

    bold: bool = False
    italic: bool = False
    struck: bool = False
    mono: bool = False
    raised: str = ""
    """``sup``, ``sub`` or empty."""


PLAIN = Looks()


@dataclass(frozen=True, slots=True)
class Piece:
    """Text in one style; line breaks are ``BREAK``."""

    text: str = ""
    looks: Looks = PLAIN
    link: str = ""
    image: str = ""
    """Alternative text of a picture that stands here."""
    note: str = ""
    """Id of the footnote that is called here, with ``text`` as its label."""
    anchor: str = ""
    """Id of a bookmark that something leads to."""


def plain_text(pieces: Iterable[Piece]) -> str:
    """The words of the pieces, labels of notes left out."""
    return "".join(piece.image or ("" if piece.note else piece.text) for piece in pieces)


def is_blank(pieces: Iterable[Piece]) -> bool:
    """Whether a reader sees nothing."""
    return not any(piece.text.strip() or piece.image for piece in pieces)


def is_code(pieces: Sequence[Piece]) -> bool:
    """Whether all text is set in a font of fixed width."""
    texts = [piece for piece in pieces if piece.text.strip()]
    return bool(texts) and all(piece.looks.mono and not piece.note for piece in texts)


def fill(parent: HtmlElement, pieces: Sequence[Piece]) -> None:
    """The pieces as inline elements behind what the parent holds; what spans more of them stands outside."""
    _fill(parent, _joined(pieces), frozenset(_WRAPPERS))


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, neighbours that look and lead alike as one: programs cut runs anywhere."""
    joined: list[Piece] = []
    for piece in pieces:
        before = joined[-1] if joined else None
        if before is not None and before.text and not piece.note and before == replace(piece, text=before.text):
            joined[-1] = replace(before, text=before.text + piece.text)
        else:
            joined.append(piece)
    return joined


def _fill(parent: HtmlElement, pieces: Sequence[Piece], wrappers: frozenset[str]) -> None:
    start = 0
    while start < len(pieces):
        spans = {tag: _span(pieces, start, tag) for tag in _WRAPPERS if tag in wrappers}
        tag = max(spans, key=lambda name: spans[name], default="")
        if not tag or not spans[tag]:
            _write(parent, pieces[start])
            start += 1
            continue
        end = start + spans[tag]
        into = add(parent, tag)
        if tag == "a":
            into.set("href", xml_text(pieces[start].link))
        _fill(into, pieces[start:end], wrappers - {tag})
        start = end


_WRAPPERS: dict[str, Callable[[Piece], object]] = {
    "a": lambda piece: "" if piece.note else piece.link,
    "strong": lambda piece: piece.looks.bold,
    "em": lambda piece: piece.looks.italic,
    "del": lambda piece: piece.looks.struck,
}
"""Elements around pieces, by what asks for them; equal answers share one element."""


def _span(pieces: Sequence[Piece], start: int, tag: str) -> int:
    """How many pieces from ``start`` on share the element; 0 where it is not asked for."""
    asks = _WRAPPERS[tag]
    asked = asks(pieces[start])
    if not asked:
        return 0
    end = start + 1
    while end < len(pieces) and asks(pieces[end]) == asked:
        end += 1
    return end - start


def _write(parent: HtmlElement, piece: Piece) -> None:
    if piece.anchor:
        add(parent, "a", id=piece.anchor)
    if piece.note:
        add(add(parent, "sup"), "a", piece.text, href=f"#{piece.note}", role="doc-noteref")
        return
    if piece.image:
        add(parent, "img", alt=xml_text(piece.image), src="")
        return
    if not piece.text:
        return
    if piece.text.isspace():
        _add_lines(parent, piece.text)
    elif piece.looks.mono:
        # A code span is trimmed: the spaces around it stand outside.
        bare = piece.text.strip(" ")
        before, _, after = piece.text.partition(bare)
        _add_lines(parent, before)
        _add_lines(add(parent, "code"), bare)
        _add_lines(parent, after)
    else:
        _add_lines(add(parent, piece.looks.raised) if piece.looks.raised else parent, piece.text)


def _add_lines(into: HtmlElement, text: str) -> None:
    first, *rest = text.split(BREAK)
    add_text(into, first)
    for line in rest:
        add(into, "br")
        add_text(into, line)
