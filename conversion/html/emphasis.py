"""Emphasis that a CommonMark parser reads as it was meant (spec 0.31, section 6.2, "flanking" rules)."""

from __future__ import annotations

import re
import unicodedata

from conversion.html.marks import (
    CLOSERS,
    DEL_CLOSE,
    DEL_OPEN,
    EM_CLOSE,
    EM_OPEN,
    LINK_OPEN,
    OPAQUE_CLOSE,
    OPAQUE_OPEN,
    OPENERS,
    STRONG_CLOSE,
    STRONG_OPEN,
)

_PUNCTUATION_MARKS = OPAQUE_OPEN + OPAQUE_CLOSE + LINK_OPEN
"""Code spans, link brackets and targets, and images begin and end with punctuation."""
_DELIMITER = {
    STRONG_OPEN: "**",
    STRONG_CLOSE: "**",
    EM_OPEN: "*",
    EM_CLOSE: "*",
    DEL_OPEN: "~~",
    DEL_CLOSE: "~~",
}
_PARTNER = {STRONG_CLOSE: STRONG_OPEN, EM_CLOSE: EM_OPEN, DEL_CLOSE: DEL_OPEN}
_MARK = re.compile(f"[{OPENERS}{CLOSERS}]")
_SPACE_INSIDE_OPEN = re.compile(f"([{OPENERS}]+)([ \n]+)")
_SPACE_INSIDE_CLOSE = re.compile(f"([ \n]+)([{CLOSERS}]+)")
_SPACES = re.compile(" {2,}")
_EMPTY = re.compile(f"{STRONG_OPEN}{STRONG_CLOSE}|{EM_OPEN}{EM_CLOSE}|{DEL_OPEN}{DEL_CLOSE}")
_SEAM = re.compile(f"{STRONG_CLOSE}{STRONG_OPEN}|{EM_CLOSE}{EM_OPEN}|{DEL_CLOSE}{DEL_OPEN}")


def resolve_emphasis(text: str) -> str:
    """The text with emphasis marks turned into delimiters, or dropped where no delimiter would be read as one."""
    while True:
        smoothed = _SPACE_INSIDE_OPEN.sub(r"\2\1", text)
        smoothed = _SPACE_INSIDE_CLOSE.sub(r"\2\1", smoothed)
        smoothed = _SEAM.sub("", _EMPTY.sub("", smoothed))
        if smoothed == text:
            break
        text = smoothed
    text = _SPACES.sub(" ", text)
    keep = _valid_pairs(text)
    return _MARK.sub(lambda mark: _DELIMITER[mark.group()] if mark.start() in keep else "", text)


def _valid_pairs(text: str) -> set[int]:
    keep: set[int] = set()
    open_marks: list[tuple[str, int]] = []
    for mark in _MARK.finditer(text):
        kind, place = mark.group(), mark.start()
        if kind in OPENERS:
            open_marks.append((kind, place))
            continue
        if not open_marks or open_marks[-1][0] != _PARTNER[kind]:
            continue
        _, start = open_marks.pop()
        before, first = _outer(text, start, -1), _outer(text, start, 1)
        last, after = _outer(text, place, -1), _outer(text, place, 1)
        if not (_flanks(before, first) and _flanks(after, last)):
            continue
        # Inside other emphasis, a delimiter that could also end or begin one would be paired with the outer one.
        if open_marks and (_flanks(first, before) or _flanks(last, after)):
            continue
        keep.update((start, place))
    return keep


def _outer(text: str, place: int, step: int) -> str:
    """The nearest character on one side that is no emphasis mark; empty at the edge."""
    place += step
    while 0 <= place < len(text):
        if text[place] not in _DELIMITER:
            return text[place]
        place += step
    return ""


def _flanks(outside: str, inside: str) -> bool:
    if not inside or inside.isspace():
        return False
    return not _is_punctuation(inside) or not outside or outside.isspace() or _is_punctuation(outside)


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS" or character in _PUNCTUATION_MARKS
