"""How near a produced Markdown is to the expected one: F1 of its words, headings, cells, list items and code.

Both are read by markdown-it (CommonMark and tables), so that a structure counts as what a reader would take it for.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markdown_it.token import Token

KINDS = ("words", "headings", "cells", "items", "code")
_READER = MarkdownIt("commonmark").enable("table")
_WORD = re.compile(r"[^\W_]+")


@dataclass(slots=True)
class Structure:
    """What stands in a Markdown text, each with how often."""

    found: Mapping[str, Counter[tuple[object, ...]]] = field(
        default_factory=lambda: {kind: Counter() for kind in KINDS}
    )

    def add(self, kind: str, *what: object) -> None:
        """Counts one."""
        self.found[kind][what] += 1


@dataclass(frozen=True, slots=True)
class Agreement:
    """Counts over any number of documents."""

    expected: int = 0
    produced: int = 0
    shared: int = 0

    def __add__(self, other: Agreement) -> Agreement:
        return Agreement(self.expected + other.expected, self.produced + other.produced, self.shared + other.shared)

    @property
    def f1(self) -> float:
        """2 x shared / (expected + produced); 1 where there is nothing on both sides."""
        total = self.expected + self.produced
        return 2 * self.shared / total if total else 1.0


def agreement(expected: str, produced: str) -> dict[str, Agreement]:
    """By kind, for one document."""
    wanted, had = structure_of(expected), structure_of(produced)
    return {
        kind: Agreement(
            wanted.found[kind].total(), had.found[kind].total(), (wanted.found[kind] & had.found[kind]).total()
        )
        for kind in KINDS
    }


def structure_of(markdown: str) -> Structure:
    """Words; headings with level; cells with place; items with depth and list; code whole, with language."""
    found = Structure()
    tokens = _READER.parse(markdown)
    lists: list[str] = []
    row = column = 0
    for place, token in enumerate(tokens):
        if token.type == "table_open":
            row = -1
        elif token.type == "tr_open":
            row, column = row + 1, 0
        elif token.type in ("th_open", "td_open"):
            found.add("cells", row, column, _words(tokens[place + 1]))
            column += 1
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            lists.append(token.type)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            lists.pop()
        elif token.type == "list_item_open":
            found.add("items", len(lists), lists[-1], token.info, _words_of_item(tokens, place))
        elif token.type == "heading_open":
            found.add("headings", token.tag, _words(tokens[place + 1]))
        elif token.type in ("fence", "code_block"):
            found.add("code", token.info, token.content)
        if token.type in ("inline", "fence", "code_block"):
            for word in _words(token):
                found.add("words", word)
    return found


def _words(token: Token) -> tuple[str, ...]:
    """Words that a reader sees: link targets and images are none, alternative texts are."""
    if token.children is None:
        return tuple(_WORD.findall(token.content))
    text = " ".join(
        child.content for child in token.children if child.type in ("text", "code_inline", "image", "softbreak")
    )
    return tuple(_WORD.findall(text))


def _words_of_item(tokens: Sequence[Token], place: int) -> tuple[str, ...]:
    """Those of its first paragraph."""
    return next((_words(token) for token in tokens[place + 1 :] if token.type == "inline"), ())
