"""Pieces of a paragraph: text with its looks, and what else stands in a line; written as inline HTML."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from conversion.office.page import add, add_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


def fill(parent: HtmlElement, pieces: Iterable[Piece]) -> None:
    """The pieces as inline elements behind what the parent holds."""
    for link, group in groupby(pieces, key=lambda piece: piece.link if not piece.note else ""):
        into = add(parent, "a", href=link) if link else parent
        for piece in group:
            _write(into, piece)


def _write(parent: HtmlElement, piece: Piece) -> None:
    if piece.anchor:
        add(parent, "a", id=piece.anchor)
    if piece.note:
        add(add(parent, "sup"), "a", piece.text, href=f"#{piece.note}", role="doc-noteref")
        return
    if piece.image:
        add(parent, "img", alt=piece.image, src="")
        return
    if not piece.text:
        return
    looks, into = piece.looks, parent
    if not piece.text.isspace():
        for tag, is_set in (("strong", looks.bold), ("em", looks.italic), ("del", looks.struck), ("code", looks.mono)):
            if is_set:
                into = add(into, tag)
        if looks.raised:
            into = add(into, looks.raised)
    first, *rest = piece.text.split(BREAK)
    add_text(into, first)
    for line in rest:
        add(into, "br")
        add_text(into, line)
