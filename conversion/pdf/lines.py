"""Words to segments (no wide gap inside) and segments to lines (one baseline)."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from conversion.pdf.records import Line, Run, Segment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conversion.pdf.records import Word

WIDE_GAP = 0.85
"""In sizes of type: a wider gap parts cells, columns and bullets from text; spaces have 0.2 to 0.6."""
_STRETCHED = 1.7
"""A gap up to so many times the line's usual one comes from justification, however wide it is."""
_SAME_BASE = 0.22
_SCRIPT_BASE = 0.6
"""In sizes of type: how far a superscript or subscript stands from the baseline at most."""
_SAME_PLACE = 0.15
"""In sizes of type: a word that starts so near to a column's edge starts a cell."""
_EXACT = 0.03
"""The same inside a word, which runs on into the next column."""
_SCRIPT_SIZE = 0.9
_SCRIPT_RISE = 0.15
"""In sizes of type: how small and how high a superscript is at least."""
_TOUCHING = 0.1
"""In sizes of type: a gap that is no space, beside a superscript."""
_RAISED = re.compile(r"[-−\u2010+]?\d{1,4}(?:,\d{1,3})*|[-−\u2010+]")
_CJK = ("\u2e80", "\uffef")


def segments(words: Sequence[Word]) -> list[Segment]:
    """The words of a page in the order of the file, gathered into segments in that order."""
    groups: list[list[Word]] = []
    for word in words:
        if groups and _continues(groups[-1][-1], word, groups[-1][0]):
            groups[-1].append(word)
        else:
            groups.append([word])
    groups = _joined_across(groups)
    return [_segment(group, order) for order, group in enumerate(groups)]


def _continues(last: Word, word: Word, first: Word) -> bool:
    size = max(last.style.size, word.style.size)
    gap = word.x0 - last.x1
    if word.glued and abs(word.base - last.base) <= _SCRIPT_BASE * size and -size < gap < WIDE_GAP * size:
        return True
    if not -0.5 * size <= gap <= WIDE_GAP * size:
        return False
    if abs(word.base - last.base) <= _SAME_BASE * size or abs(word.base - first.base) <= _SAME_BASE * size:
        return True
    smaller = min(last.style.size, word.style.size) < 0.9 * size
    return smaller and gap <= 0.35 * size and abs(word.base - last.base) <= _SCRIPT_BASE * size


def _joined_across(groups: list[list[Word]]) -> list[list[Word]]:
    """Groups that touch on one baseline though other text stands between them in the file; stretched gaps closed."""
    rows: dict[int, list[int]] = {}
    for index, group in enumerate(groups):
        key = round(group[0].base)
        # A row of neighbours: baselines that differ by less than a point are the same line.
        key = next((near for near in (key, key - 1, key + 1) if near in rows), key)
        rows.setdefault(key, []).append(index)
    gone: set[int] = set()
    for row in rows.values():
        if len(row) < 2:
            continue
        row.sort(key=lambda i: groups[i][0].x0)
        usual = _usual_gap([groups[i] for i in row])
        target = row[0]
        for index in row[1:]:
            last, word = groups[target][-1], groups[index][0]
            gap, size = word.x0 - last.x1, max(last.style.size, word.style.size)
            same = abs(last.base - word.base) <= _SAME_BASE * size
            if same and -0.5 * size <= gap <= max(WIDE_GAP * size, min(_STRETCHED * usual, 3 * size)):
                groups[target].extend(groups[index])
                gone.add(index)
            else:
                target = index
    return [group for index, group in enumerate(groups) if index not in gone]


def _usual_gap(row: Sequence[Sequence[Word]]) -> float:
    gaps = [b.x0 - a.x1 for group in row for a, b in pairwise(group) if not b.glued]
    return median(gaps) if len(gaps) >= 3 else 0.0


def _segment(group: list[Word], order: int) -> Segment:
    base, size = _main_base(group)
    runs: list[Run] = []
    pieces: list[str] = []
    starts: list[tuple[int, float]] = []
    offset = 0
    last: Word | None = None
    for word in group:
        if last is not None and (word.style != last.style or word.link != last.link):
            runs.append(Run("".join(pieces), last.style, last.link))
            pieces = []
        if last is not None and (between := _between(last, word, base, size)):
            pieces.append(between)
            offset += 1
        starts.append((offset, word.x0))
        starts.extend((offset + i, x) for i, x in enumerate(word.inner) if i)
        pieces.append(word.text)
        offset += len(word.text)
        last = word
    runs.append(Run("".join(pieces), group[-1].style, group[-1].link))
    end = 1
    while end < len(group) and group[end].glued:
        end += 1
    return Segment(
        x0=min(word.x0 for word in group),
        x1=max(word.x1 for word in group),
        y0=min(word.y0 for word in group),
        y1=max(word.y1 for word in group),
        base=base,
        size=size,
        runs=runs,
        order=order,
        lead="".join(word.text for word in group[:end]),
        lead_width=group[end - 1].x1 - group[0].x0,
        body_x0=group[end].x0 if end < len(group) else group[-1].x1,
        starts=starts,
    )


def divided(segment: Segment, places: Sequence[float], *, after: bool = False) -> list[Segment]:
    """The segment cut in front of the words that start at one of the places (x), as a table's columns do.

    With ``after``, in front of the first word after each place: a ruling stands there.
    """
    text = segment.text
    if after:
        words = [(offset, x) for offset, x in segment.starts[1:] if text[offset - 1] == " "]
        inside = (p for p in places if segment.x0 < p < segment.x1)
        cuts = sorted({start for p in inside if (start := next((w for w in words if w[1] >= p - 1), None))})
    else:
        cuts = [
            (offset, x)
            for offset, x in segment.starts[1:]
            if any(abs(x - p) <= (_SAME_PLACE if text[offset - 1] == " " else _EXACT) * segment.size for p in places)
        ]
    if not cuts:
        return [segment]
    bounds = [(0, segment.x0), *cuts, (len(text), segment.x1)]
    return [_part(segment, text, a, b) for a, b in pairwise(bounds)]


def _part(segment: Segment, text: str, begin: tuple[int, float], end: tuple[int, float]) -> Segment:
    runs: list[Run] = []
    offset = 0
    for run in segment.runs:
        piece = run.text[max(0, begin[0] - offset) : max(0, end[0] - offset)]
        offset += len(run.text)
        if piece:
            runs.append(Run(piece, run.style, run.link))
    lead = text[begin[0] : end[0]].split(" ", maxsplit=1)[0]
    width = (end[1] - begin[1]) * len(lead) / max(1, end[0] - begin[0])
    starts = [(at - begin[0], x) for at, x in segment.starts if begin[0] <= at < end[0]]
    return replace(
        segment,
        x0=begin[1],
        x1=end[1],
        runs=runs,
        lead=lead,
        lead_width=width,
        body_x0=starts[1][1] if len(starts) > 1 else end[1],
        starts=starts,
    )


def _between(last: Word, word: Word, base: float, size: float) -> str:
    """What stands between two words of a line: a space, nothing, or the mark of a raised number.

    Without a mark, an exponent or the number of a note would be a further digit of what it stands at.
    """
    touching = word.glued or abs(word.x0 - last.x1) <= _TOUCHING * size
    if touching and _is_raised(word, base, size):
        # What stands no higher than the word before goes on in an exponent, or is an index inside it.
        return "^" if word.base > last.base else ""
    if touching and _is_raised(last, base, size):
        # pdfium sees a space where type falls back to the baseline.
        return " " if word.text[0].isalnum() else ""
    return "" if word.glued or _no_space(last, word) else " "


def _is_raised(word: Word, base: float, size: float) -> bool:
    """Whether the word is a number above the baseline of its line, in smaller type."""
    small = word.style.size <= _SCRIPT_SIZE * size and word.base - base >= _SCRIPT_RISE * size
    return small and _RAISED.fullmatch(word.text) is not None


def _no_space(last: Word, word: Word) -> bool:
    """Whether a gap between words is no space: CJK text has none, and pdfium puts one at every object's end."""
    if word.x0 - last.x1 > 0.5 * word.style.size:
        return False
    return is_cjk(last.text[-1]) and is_cjk(word.text[0])


def is_cjk(character: str) -> bool:
    """Whether the character is of a script that is written without spaces."""
    return _CJK[0] <= character <= _CJK[1] and not "\uac00" <= character <= "\ud7af"


def _main_base(group: Sequence[Word]) -> tuple[float, float]:
    if len(group) == 1:
        return group[0].base, group[0].style.size
    sizes: Counter[float] = Counter()
    for word in group:
        sizes[word.style.size] += len(word.text)
    size = max(sizes, key=lambda s: (sizes[s], s))
    return next(word.base for word in group if word.style.size == size), size


def lines(found: Iterable[Segment], page: int) -> list[Line]:
    """Segments of one column as lines, from top to bottom, each from left to right."""
    rows: list[list[Segment]] = []
    for segment in sorted(found, key=lambda s: -s.base):
        if rows and _same_line(rows[-1], segment):
            rows[-1].append(segment)
        else:
            rows.append([segment])
    return [line(row, page) for row in rows]


def _same_line(row: list[Segment], segment: Segment) -> bool:
    size = min(max(row[0].size, segment.size), 40.0)
    if abs(row[0].base - segment.base) > 0.3 * size:
        return False
    return all(segment.x0 >= other.x1 - 0.5 * size or segment.x1 <= other.x0 + 0.5 * size for other in row)


def line(row: Sequence[Segment], page: int) -> Line:
    """One line of the segments, which stand on one baseline."""
    row = sorted(row, key=lambda s: s.x0)
    sizes: Counter[float] = Counter()
    total = bold = mono = 0
    for segment in row:
        for run in segment.runs:
            length = len(run.text)
            sizes[run.style.size] += length
            total += length
            bold += length if run.style.bold else 0
            mono += length if run.style.mono else 0
    return Line(
        page=page,
        segments=list(row),
        x0=row[0].x0,
        x1=max(segment.x1 for segment in row),
        y0=min(segment.y0 for segment in row),
        y1=max(segment.y1 for segment in row),
        base=row[0].base,
        size=max(sizes, key=lambda s: (sizes[s], s)),
        bold=bold >= 0.95 * total,
        mono=mono >= 0.95 * total,
    )
