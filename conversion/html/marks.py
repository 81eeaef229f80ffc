"""Marks that travel inside inline text until a paragraph is finished.

They are Unicode noncharacters (U+FDD0 to U+FDEF, Unicode 16 section 23.7: free for internal use, never in open
interchange). ``visible`` takes them out of the page's own text, so none can be forged.
"""

from __future__ import annotations

import re

ANCHOR_OPEN, ANCHOR_CLOSE = "\ufdd0", "\ufdd1"
BREAK = "\ufdd2"
STRONG_OPEN, STRONG_CLOSE = "\ufdd3", "\ufdd4"
EM_OPEN, EM_CLOSE = "\ufdd5", "\ufdd6"
DEL_OPEN, DEL_CLOSE = "\ufdd7", "\ufdd8"
OPAQUE_OPEN, OPAQUE_CLOSE = "\ufdd9", "\ufdda"
CODE_MARK = "\ufddb"
"""In front of a kept piece that is the text of a code span."""
LINK_OPEN = "\ufddc"
"""The bracket of a link of the page, told apart from brackets in its text."""

OPENERS = STRONG_OPEN + EM_OPEN + DEL_OPEN
CLOSERS = STRONG_CLOSE + EM_CLOSE + DEL_CLOSE

_ANCHOR = re.compile(f"{ANCHOR_OPEN}(\\d+){ANCHOR_CLOSE}")

# Soft hyphen, zero-width space, word joiner, byte order mark, directional marks and overrides, our own marks. The
# zero-width joiner and non-joiner stay: scripts and emoji need them.
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufdd0-\ufdef]")


def visible(text: str) -> str:
    """The text without characters that no reader sees (and without anything that could be taken for a mark)."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def anchor_mark(index: int) -> str:
    """Stands where anchor number ``index`` points to."""
    return f"{ANCHOR_OPEN}{index}{ANCHOR_CLOSE}"


def take_anchors(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without anchor marks, and (offset of its line, index) of each mark, in order of offset."""
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    offset = start = line = 0
    for mark in _ANCHOR.finditer(text):
        piece = text[start : mark.start()]
        pieces.append(piece)
        if "\n" in piece:
            line = offset + piece.rfind("\n") + 1
        offset += len(piece)
        start = mark.end()
        places.append((line, int(mark.group(1))))
    pieces.append(text[start:])
    return "".join(pieces), places


def without_anchors(text: str) -> str:
    """The text without anchor marks."""
    return _ANCHOR.sub("", text) if ANCHOR_OPEN in text else text
