"""Long running text cut into pieces at sentence ends; where there are none, at lines, words, and at last anywhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wrac.tokens import count_each

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from chunking.limits import WindowLimits

_Spans = list[tuple[int, int]]
_Counted = tuple[int, int, int]
"""Start, end, and tokens without the white space at the end."""

# A full stop before a lower-case word is an abbreviation more often than an end; CJK ends need no space.
_SENTENCE_END = re.compile(r"""[.!?…]["'”’)\]*_]*\s+(?=[^\sa-z])|[。！？]["”’」』）]*\s*""")
_CUTS = (_SENTENCE_END, re.compile(r"\n+"), re.compile(r"\s+"))


def cut_at_sentences(text: str, start: int, end: int, limits: WindowLimits) -> _Spans:
    """Spans that cover all non-blank text between ``start`` and ``end``, none above ``limits.maximum`` tokens.

    Sentences are joined up to ``limits.target`` tokens; a sentence above the maximum is cut further.
    """
    return _packed(text, _cut(text, start, end, limits, _CUTS), limits)


def _cut(text: str, start: int, end: int, limits: WindowLimits, cuts: Sequence[re.Pattern[str]]) -> list[_Counted]:
    """Pieces with their tokens. What no cut divides is not counted again: counting is what takes the time."""
    for level, cut in enumerate(cuts, 1):
        spans = list(_between(start, end, (match.end() for match in cut.finditer(text, start, end))))
        if len(spans) == 1:
            continue
        pieces: list[_Counted] = []
        for first, last, count in _counted(text, spans):
            if count <= limits.maximum:
                pieces.append((first, last, count))
            else:
                pieces += _cut(text, first, last, limits, cuts[level:])
        return pieces
    # A character is at most four bytes, and a token at least one.
    step = max(1, limits.maximum // 4)
    return _counted(text, [(at, min(at + step, end)) for at in range(start, end, step)])


def _counted(text: str, spans: _Spans) -> list[_Counted]:
    counts = count_each(text[first:last].rstrip() for first, last in spans)
    return [(first, last, count) for (first, last), count in zip(spans, counts, strict=True)]


def _between(start: int, end: int, ends: Iterable[int]) -> Iterable[tuple[int, int]]:
    for cut in ends:
        if start < cut < end:
            yield start, cut
            start = cut
    yield start, end


def _packed(text: str, pieces: Iterable[_Counted], limits: WindowLimits) -> _Spans:
    packed: _Spans = []
    size = 0
    for first, last, count in pieces:
        if packed and size + count <= limits.target:
            packed[-1] = (packed[-1][0], last)
            size += count
        else:
            packed.append((first, last))
            size = count
    trimmed = ((first, first + len(text[first:last].rstrip())) for first, last in packed)
    return [(first, last) for first, last in trimmed if first < last]
