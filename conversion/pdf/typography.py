"""What is usual in a document: its body type, leading, column edges, words; and which styles are headings."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from conversion.pdf.reading import HYPHEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conversion.pdf.records import Flow, Line

_LARGER = 1.07
"""Type so many times larger than the body's sets a heading off."""
_WORD = re.compile(r"\w+(?:-\w+)*")
_SMALLER = 0.85
"""Bold type so many times smaller than the body's is a note or a label."""
_ENOUGH_LINES = 12
"""A flow of so many lines shows its own right edge."""
_LEADING = 1.2
"""Usual leading in sizes of type, where the document shows none."""


@dataclass(frozen=True, slots=True)
class Typography:
    """Figures of one document, in points."""

    body_size: float
    body_bold: bool
    leading: float
    """Usual distance of baselines inside a paragraph, as a share of the size of type."""
    gap: float
    """Usual distance of baselines between two paragraphs, as a share of the size of type."""
    vocabulary: frozenset[str]
    """All words of the document, case folded; hyphenated ones whole and in parts."""
    rights: dict[int, float]
    """Right edge of the columns that begin near a left edge (``round(x0 / 8)``)."""

    def right(self, flow: Flow) -> float:
        """x at which lines of the flow end at most."""
        own = sorted(line.x1 for line in flow.lines)
        if len(own) >= _ENOUGH_LINES:
            return own[int(0.93 * (len(own) - 1))]
        key = round(flow.x0 / 8)
        return max((self.rights.get(k, flow.x1) for k in (key - 1, key, key + 1)), default=flow.x1)

    def stands_out(self, line: Line) -> bool:
        """Whether its type is larger than the body's, or bold where the body is not."""
        larger = line.size >= _LARGER * self.body_size
        return larger or (line.bold and not self.body_bold and line.size >= _SMALLER * self.body_size)


def typography(flows: Sequence[Flow]) -> Typography:
    """The typography of a document's flows."""
    sizes: Counter[tuple[float, bool]] = Counter()
    for flow in flows:
        for line in flow.lines:
            if not line.mono:
                sizes[round(line.size * 2) / 2, line.bold] += len(line.text)
    by_size: Counter[float] = Counter()
    for (size, _), count in sizes.items():
        by_size[size] += count
    size = max(by_size, key=lambda s: by_size[s], default=10.0)
    bold = sizes[size, True] > sizes[size, False]
    leading, gap = _leading(flows, size)
    return Typography(
        size, bold, leading, gap, vocabulary(line.text for flow in flows for line in flow.lines), _rights(flows)
    )


def vocabulary(texts: Iterable[str]) -> frozenset[str]:
    """All words of the lines; the halves of a word that a line end divides are no words of the document."""
    words: set[str] = set()
    divided = False
    for text in texts:
        found = _WORD.findall(text.casefold())
        begin, divided = (1 if divided else 0), text.endswith(("-", HYPHEN, "\u00ad"))
        for word in found[begin : len(found) - 1 if divided else None]:
            words.add(word)
            if "-" in word:
                words.update(word.split("-"))
    return frozenset(words)


def _leading(flows: Sequence[Flow], size: float) -> tuple[float, float]:
    steps: Counter[float] = Counter()
    for flow in flows:
        for a, b in pairwise(flow.lines):
            if abs(a.size - size) < 0.6 and abs(b.size - size) < 0.6 and a.bold == b.bold:
                steps[round((a.base - b.base) / size, 2)] += 1
    usual = {step: n for step, n in steps.items() if 0.9 <= step <= 2.2}
    if not usual:
        return _LEADING, 1.5 * _LEADING
    leading = max(usual, key=lambda step: sum(usual.get(round(step + d / 100, 2), 0) for d in range(-2, 3)))
    wider = [step for step, n in steps.items() if leading * 1.25 < step < leading * 2.2 for _ in range(n)]
    wider.sort()
    return leading, wider[len(wider) // 2] if wider else leading * 1.5


def _rights(flows: Sequence[Flow]) -> dict[int, float]:
    edges: defaultdict[int, list[float]] = defaultdict(list)
    for flow in flows:
        edges[round(flow.x0 / 8)].extend(line.x1 for line in flow.lines)
    rights: dict[int, float] = {}
    for key, values in edges.items():
        values.sort()
        rights[key] = values[min(len(values) - 1, int(0.97 * len(values)))]
    return rights
