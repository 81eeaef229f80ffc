"""Text that runs from right to left: mirrored, so that every later step sees lines that run to the right.

pdfium gives characters in logical order; places are as drawn. Words of the other direction inside a line are gathered
into phrases first, since their own order is the opposite one.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conversion.pdf.records import Word

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc]")
_LETTER = re.compile(r"[^\W_]")
_SPACE = 1.2
"""Widest gap inside a phrase, in sizes of type."""


def runs_left(words: Iterable[Word]) -> bool:
    """Whether most letters are of a script that runs from right to left."""
    left = total = 0
    for word in words:
        if word.text.isascii():
            total += len(word.text)
        else:
            left += len(_RIGHT_TO_LEFT.findall(word.text))
            total += len(_LETTER.findall(word.text))
    return 2 * left > total


def with_phrases(words: Sequence[Word], *, leftward: bool) -> list[Word]:
    """The words; neighbours that run against the page's direction become one word with spaces inside."""
    merged: list[Word] = []
    against = False
    for word in words:
        opposed = _opposes(word.text, leftward=leftward)
        if opposed and against and merged and _touches(merged[-1], word, leftward=leftward):
            last = merged[-1]
            space = "" if word.glued else " "
            merged[-1] = replace(
                last,
                text=f"{last.text}{space}{word.text}",
                x0=min(last.x0, word.x0),
                x1=max(last.x1, word.x1),
                inner=(),
            )
        else:
            merged.append(word)
        against = opposed
    return merged


def _opposes(text: str, *, leftward: bool) -> bool:
    has_left = not text.isascii() and _RIGHT_TO_LEFT.search(text) is not None
    return bool(_LETTER.search(text)) and not has_left if leftward else has_left


def _touches(last: Word, word: Word, *, leftward: bool) -> bool:
    gap = word.x0 - last.x1 if leftward else last.x0 - word.x1
    return last.style == word.style and last.base == word.base and -1 <= gap <= _SPACE * word.style.size


def mirror(words: Iterable[Word], width: float) -> None:
    """Mirrors the places of the words in a page of this width."""
    for word in words:
        word.x0, word.x1 = width - word.x1, width - word.x0
        word.inner = ()
