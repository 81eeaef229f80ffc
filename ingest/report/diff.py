"""Two texts compared: by lines, then by words inside the lines that differ.

Both are anchored on what occurs once on either side (patience diff, as Bram Cohen described it); ``difflib``, whose
time grows with the cube on hostile text, sees only small gaps between two anchors, and only so many of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from ingest.report.records import Diff, Hunk, Line, Mark, Piece

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CONTEXT = 2
"""Equal lines around a change."""
_GAP = 60
"""Lines or words on either side that ``difflib`` compares; a larger gap without an anchor counts as replaced."""
_EFFORT = 300_000
"""Pairs of lines or words that ``difflib`` compares for one page; what is left then counts as replaced."""
_ALIKE = 0.4
"""Share of equal words below which a passage is easier to read as replaced than word by word."""
_WORD = re.compile(r"\n|[^\S\n]*(?:\w+|[^\w\s])|[^\S\n]+")
"""A word with the blanks before it: blanks alone would match everywhere."""
_LONGEST_PIECE = 600
"""Characters of a piece that are shown."""


def compare(before: str, after: str) -> tuple[Piece, ...]:
    """SAME and REMOVED pieces together are ``before``, SAME and ADDED ones ``after``; neighbours differ in mark."""
    aligner = _Aligner()
    pieces: list[Piece] = []
    for equal, old, new in aligner.blocks(_lines(before), _lines(after)):
        pieces += [Piece(Mark.SAME, "".join(old))] if equal else _words(aligner, "".join(old), "".join(new))
    return _joined(pieces)


def excerpt(pieces: Sequence[Piece], characters: int) -> Diff:
    """The changes with some lines around them, at most about so many characters."""
    lines = [_shortened(line) for line in _shown_lines(pieces)]
    shown = _near_changes(lines)
    hunks: list[Hunk] = []
    left_out = skipped = 0
    for number, line in enumerate(lines):
        length = sum(len(piece.text) for piece in line.pieces)
        if number not in shown:
            skipped += 1
        elif length > characters:
            characters = 0  # no shorter change further down jumps the queue
            left_out += _is_changed(line)
        else:
            characters -= length
            if skipped or not hunks:
                hunks.append(Hunk(skipped, ()))
            hunks[-1] = Hunk(hunks[-1].skipped, (*hunks[-1].lines, line))
            skipped = 0
    counts = {mark: sum(_count_words(p.text) for p in pieces if p.mark is mark) for mark in (Mark.ADDED, Mark.REMOVED)}
    return Diff(counts[Mark.ADDED], counts[Mark.REMOVED], tuple(hunks), left_out)


# ---------------------------------------------------------------- align


class _Aligner:
    """What is equal in two sequences, in time that is bounded for any input."""

    def __init__(self) -> None:
        self._effort = _EFFORT

    def blocks(self, old: list[str], new: list[str]) -> Iterator[tuple[bool, list[str], list[str]]]:
        """(whether equal, part before, part after), in order."""
        done_old = done_new = 0
        for i, j in [*_anchors(old, new), (len(old), len(new))]:
            if i < done_old or j < done_new:
                continue
            yield from self._gap(old[done_old:i], new[done_new:j])
            same = _common_length(old, new, i, j)
            if same:
                yield True, old[i : i + same], new[j : j + same]
            done_old, done_new = i + same, j + same

    def _gap(self, old: list[str], new: list[str]) -> Iterator[tuple[bool, list[str], list[str]]]:
        head = _common_length(old, new)
        tail = _common_length(old[head:][::-1], new[head:][::-1])
        if head:
            yield True, old[:head], new[:head]
        yield from self._inner(old[head : len(old) - tail], new[head : len(new) - tail])
        if tail:
            yield True, old[len(old) - tail :], new[len(new) - tail :]

    def _inner(self, old: list[str], new: list[str]) -> Iterator[tuple[bool, list[str], list[str]]]:
        pairs = len(old) * len(new)
        if not pairs or max(len(old), len(new)) > _GAP or pairs > self._effort:
            if old or new:
                yield False, old, new
            return
        self._effort -= pairs
        for tag, i, i_end, j, j_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            yield tag == "equal", old[i:i_end], new[j:j_end]


def _common_length(old: Sequence[str], new: Sequence[str], i: int = 0, j: int = 0) -> int:
    """How many items are equal from position ``i`` and ``j`` on."""
    length = 0
    while i + length < len(old) and j + length < len(new) and old[i + length] == new[j + length]:
        length += 1
    return length


def _anchors(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Positions of items that occur once in both, in the longest order that both share."""
    counts_old, counts_new = Counter(old), Counter(new)
    places = {item: j for j, item in enumerate(new) if counts_new[item] == 1 and counts_old.get(item) == 1}
    pairs = [(i, places[item]) for i, item in enumerate(old) if item in places]
    ends: list[int] = []  # the smallest last position in ``new`` of an increasing run of each length
    best: list[int] = []
    links: list[int] = []
    for number, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        ends[length : length + 1] = [j]
        best[length : length + 1] = [number]
        links.append(best[length - 1] if length else -1)
    chain: list[tuple[int, int]] = []
    number = best[-1] if best else -1
    while number >= 0:
        chain.append(pairs[number])
        number = links[number]
    return chain[::-1]


# ---------------------------------------------------------------- lines and words


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _words(aligner: _Aligner, before: str, after: str) -> list[Piece]:
    blocks = list(aligner.blocks(_WORD.findall(before), _WORD.findall(after)))
    equal = sum(_visible("".join(old)) for is_equal, old, _ in blocks if is_equal)
    if equal < _ALIKE * max(_visible(before), _visible(after)):
        return [Piece(Mark.REMOVED, before), Piece(Mark.ADDED, after)]
    pieces: list[Piece] = []
    for is_equal, old, new in blocks:
        if is_equal:
            pieces.append(Piece(Mark.SAME, "".join(old)))
        else:
            pieces += [Piece(Mark.REMOVED, "".join(old)), Piece(Mark.ADDED, "".join(new))]
    return pieces


def _visible(text: str) -> int:
    return sum(not character.isspace() for character in text)


def _joined(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Between two SAME pieces at most one REMOVED and one ADDED, in this order, and none is empty."""
    done: list[Piece] = []
    texts = {Mark.SAME: "", Mark.REMOVED: "", Mark.ADDED: ""}

    def put(*marks: Mark) -> None:
        for mark in marks:
            if texts[mark]:
                done.append(Piece(mark, texts[mark]))
                texts[mark] = ""

    for piece in pieces:
        if piece.text:
            put(*((Mark.REMOVED, Mark.ADDED) if piece.mark is Mark.SAME else (Mark.SAME,)))
            texts[piece.mark] += piece.text
    put(Mark.SAME, Mark.REMOVED, Mark.ADDED)
    return tuple(done)


# ---------------------------------------------------------------- to read


def _shown_lines(pieces: Sequence[Piece]) -> Iterator[Line]:
    """Lines as they are read: a line of both versions where words differ, else one of either version."""
    current: list[Piece] = []
    for piece in pieces:
        for number, part in enumerate(piece.text.split("\n")):
            if number:
                # An ended line is shown even when it is empty, so that added blank lines are seen.
                yield Line(tuple(current) or (Piece(piece.mark, ""),))
                current = []
            if part:
                current.append(Piece(piece.mark, part))
    if current:
        yield Line(tuple(current))


def _shortened(line: Line) -> Line:
    return Line(tuple(Piece(piece.mark, _short(piece.text)) for piece in line.pieces))


def _short(text: str) -> str:
    half = _LONGEST_PIECE // 2
    return text if len(text) <= _LONGEST_PIECE else f"{text[:half]} … {text[-half:]}"


def _near_changes(lines: Sequence[Line]) -> set[int]:
    near: set[int] = set()
    for number, line in enumerate(lines):
        if _is_changed(line):
            near.update(range(max(0, number - CONTEXT), min(len(lines), number + CONTEXT + 1)))
    return near


def _is_changed(line: Line) -> bool:
    return any(piece.mark is not Mark.SAME for piece in line.pieces)


def _count_words(text: str) -> int:
    return len(re.findall(r"\w+", text))
