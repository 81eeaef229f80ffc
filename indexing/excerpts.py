"""The Markdown behind a part of an embed_text.

Windows are cut out of embed_texts, which say a table's rows as sentences and leave out Markdown's marks; what is shown
is the chunk's own Markdown. The two say the same words in the same order, so the part is found by its words.
"""

from __future__ import annotations

import re
from collections import Counter

_WORD = re.compile(r"[^\W_]+")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_TARGET = re.compile(r"\]\([^()\s]*\)")
_ROW = re.compile(r"\s*\|")


def excerpt(text: str, part: str) -> str:
    """The run of whole lines of ``text`` that agrees best with ``part``; all of ``text`` where no line does.

    A run that starts inside a table has the table's head above it, and one that starts or ends inside a code block the
    block's fences around it: every line is a line of ``text``.
    """
    lines = text.split("\n")
    first, end = _best_run(_agreement(lines, set(_words(part))))
    if first == end:
        return text
    above, below = _around(lines, first, end)
    return "\n".join([*above, *lines[first:end], *below]).strip("\n")


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _agreement(lines: list[str], wanted: set[str]) -> list[float]:
    """For each line how much of it is in the part, less what is not; words of many lines tell little."""
    said: list[set[str]] = [set() if _FENCE.match(line) else set(_words(_TARGET.sub("]", line))) for line in lines]
    spread = Counter(word for words in said for word in words)
    # Sorted, since sums of floats hang on their order and that of a set is another in each process.
    return [sum((1 if word in wanted else -1) / spread[word] for word in sorted(words)) for words in said]


def _best_run(values: list[float]) -> tuple[int, int]:
    """The run with the largest sum (Kadane, 1984), ``first == end`` where no value is above 0."""
    best, run, start = 0.0, 0.0, 0
    first = end = 0
    for place, value in enumerate(values):
        if run <= 0:
            run, start = 0.0, place
        run += value
        if run > best:
            best, first, end = run, start, place + 1
    return first, end


def _around(lines: list[str], first: int, end: int) -> tuple[list[str], list[str]]:
    """What has to stand above and below the run for its table or code to be read."""
    opened = _open_fence(lines[:first])
    if opened is not None:
        return [lines[opened]], _closing(lines, end) if _open_fence(lines[:end]) == opened else []
    below = _closing(lines, end) if _open_fence(lines[:end]) is not None else []
    top = first
    while top > 0 and _ROW.match(lines[top - 1]) and _ROW.match(lines[first]):
        top -= 1
    return lines[top : min(top + 2, first)], below


def _open_fence(lines: list[str]) -> int | None:
    """Number of the line that opens the code block in which the lines end."""
    opened: int | None = None
    fence = ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark and opened is None:
            opened, fence = number, mark[1]
        elif mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
            opened = None
    return opened


def _closing(lines: list[str], end: int) -> list[str]:
    return next(([line] for line in lines[end:] if _FENCE.match(line)), [])
