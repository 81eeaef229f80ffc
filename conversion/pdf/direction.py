"""Text that runs from right to left: mirrored, so that every later step sees lines that run to the right.

pdfium gives characters in logical order; places are as drawn. Words of the other direction inside a line are gathered
into phrases first, since their own order is the opposite one.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from conversion.pdf.records import Word

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc]")
_LETTER = re.compile(r"[^\W_]")
_DIGIT = re.compile(r"\d")
_BRACKET = re.compile(r"[][(){}]")
_MIRRORED = str.maketrans("()[]{}", ")(][}{")
_LINE_GAP = 1.5
"""Widest gap inside a line, in sizes of type."""
_SPACE = 1.2
"""Widest gap inside a phrase, in sizes of type."""


def runs_left(words: Iterable[Word]) -> bool:
    """Whether most letters are of a script that runs from right to left."""
    left = total = 0
    for word in words:
        if word.text.isascii():
            total += len(word.text)
        else:
            left += len(RIGHT_TO_LEFT.findall(word.text))
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


def with_turned_lines(words: Sequence[Word]) -> list[Word]:
    """The words of a page that runs to the right; its lines that run to the left are mirrored where they stand."""
    if not any(RIGHT_TO_LEFT.search(word.text) for word in words if not word.text.isascii()):
        return list(words)
    result: list[Word] = []
    for line in _lines(words):
        leftward = runs_left(line)
        with_brackets(line, leftward=leftward)
        phrases = with_phrases(line, leftward=leftward)
        if leftward:
            mirror(phrases, min(word.x0 for word in phrases) + max(word.x1 for word in phrases))
        result.extend(phrases)
    return result


def _lines(words: Sequence[Word]) -> Iterator[list[Word]]:
    """Words that follow one another on one baseline without a wide gap."""
    group: list[Word] = []
    for word in words:
        if group:
            gap = max(word.x0 - max(w.x1 for w in group), min(w.x0 for w in group) - word.x1)
            if abs(group[-1].base - word.base) > 0.5 or gap > _LINE_GAP * word.style.size:
                yield group
                group = []
        group.append(word)
    if group:
        yield group


def with_brackets(words: Sequence[Word], *, leftward: bool) -> None:
    """Turns the brackets in text from right to left, where more of them would open before they close then.

    Some files say which bracket is meant, others which is drawn; pdfium takes all for the others.
    """
    held = [word for word in words if _is_leftward(word.text, leftward=leftward) and _BRACKET.search(word.text)]
    found = "".join(bracket for word in held for bracket in _BRACKET.findall(word.text))
    if _unmatched(found.translate(_MIRRORED)) < _unmatched(found):
        for word in held:
            word.text = word.text.translate(_MIRRORED)


def _is_leftward(text: str, *, leftward: bool) -> bool:
    return RIGHT_TO_LEFT.search(text) is not None or (leftward and _LETTER.search(_DIGIT.sub("", text)) is None)


def _unmatched(brackets: str) -> int:
    """How many of them close nothing, or are not closed."""
    depth = lost = 0
    for bracket in brackets:
        if bracket in "([{":
            depth += 1
        elif depth:
            depth -= 1
        else:
            lost += 1
    return lost + depth


def _opposes(text: str, *, leftward: bool) -> bool:
    has_left = not text.isascii() and RIGHT_TO_LEFT.search(text) is not None
    return bool(_LETTER.search(text)) and not has_left if leftward else has_left


def _touches(last: Word, word: Word, *, leftward: bool) -> bool:
    gap = word.x0 - last.x1 if leftward else last.x0 - word.x1
    return last.style == word.style and last.base == word.base and -1 <= gap <= _SPACE * word.style.size


def mirror(words: Iterable[Word], width: float) -> None:
    """Mirrors the places of the words in a page of this width."""
    for word in words:
        word.x0, word.x1 = width - word.x1, width - word.x0
        word.inner = ()
