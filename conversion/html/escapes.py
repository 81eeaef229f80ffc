"""Finished inline text: white space folded, emphasis made valid, characters escaped where Markdown would read them.

Escapes are made only where a CommonMark parser (0.31) with tables, strikethrough, definition lists and footnotes
would otherwise see markup: text that needs none reads and searches as it stood.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conversion.html.emphasis import resolve_emphasis
from conversion.html.marks import BREAK, CLOSERS, OPAQUE_CLOSE, OPAQUE_OPEN, OPENERS

if TYPE_CHECKING:
    from collections.abc import Sequence

_PARAGRAPH_BREAK = re.compile(f" ?{BREAK}(?: ?{BREAK})+ ?")
_LINE_BREAK = re.compile(f" ?{BREAK} ?")
_OPAQUE = re.compile(f"{OPAQUE_OPEN}(\\d+){OPAQUE_CLOSE}")
_EMPHASIS = re.compile(f"[{OPENERS}{CLOSERS}]")

_SUSPECT = re.compile(r"[\\`*_<&~\]!]")
_HAZARD = re.compile(
    rf"\\(?=[!-/:-@\[-`{{-~{OPENERS}{CLOSERS}{OPAQUE_OPEN}]|\n|$)"
    r"|`|&(?=#?\w+;)|~(?=~)|(?<=~)~|\](?=\()|!(?=\[)"
)
_TAG_LIKE = re.compile(r"<([A-Za-z/!?][^<>]*)>")
_OPENING_UNDERSCORE = re.compile(r"(?<!\w)_+(?=[^\s_])")
_CLOSING_UNDERSCORE = re.compile(r"(?<=[^\s_])_+(?!\w)")
_OUTER_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_OPENING_STAR = re.compile(r"\*(?=[^\s*])")
_CLOSING_STAR = re.compile(r"(?<=[^\s*])\*")
_TIGHT_STAR = re.compile(r"(?<!\s)\*|\*(?!\s)")

# What would start another block at the beginning of a line.
_BLOCK_START = re.compile(
    r"(?P<number>\d{1,9})(?=[.)](?: |$))"
    r"|[-+*:~](?= |$)|#{1,6}(?= |$)|>|={1,}$|[-|:][-|: ]*$|[-_*](?: ?[-_*]){2,}$"
    r"|~{3}|<(?=[A-Za-z/!?])|\[(?=[^\]]+\]:)"
)


def finished(run: Sequence[str], opaque: Sequence[str]) -> list[str]:
    """The paragraphs of a run of inline text (two breaks in a row part them); none where it is blank."""
    text = " ".join("".join(run).split())
    if not text:
        return []
    if BREAK not in text:
        return [_guarded_lines(text, opaque)]
    parts = (_LINE_BREAK.sub("\n", part).strip() for part in _PARAGRAPH_BREAK.split(text))
    return [paragraph for part in parts if (paragraph := _guarded_lines(part, opaque))]


def finished_line(run: Sequence[str], opaque: Sequence[str]) -> str:
    """The run as one line that stands after other text of its line, so that it cannot start a block."""
    text = " ".join("".join(run).replace(BREAK, " ").split())
    return _restored(_escaped(text), opaque) if text else ""


def guarded(line: str) -> str:
    """The line, escaped where it would start a block of its own."""
    start = _BLOCK_START.match(line)
    if not start:
        return line
    if number := start.group("number"):
        return f"{number}\\{line[len(number) :]}"
    return "\\" + line


def _guarded_lines(text: str, opaque: Sequence[str]) -> str:
    escaped = _escaped(text)
    if "\n" not in escaped:
        return _restored(guarded(escaped), opaque)
    lines = (guarded(line.strip()) for line in escaped.split("\n"))
    return _restored("  \n".join(line for line in lines if line), opaque)


def _escaped(text: str) -> str:
    if _SUSPECT.search(text):
        text = _HAZARD.sub(r"\\\g<0>", text)
        if "<" in text:
            text = _TAG_LIKE.sub(r"\\<\1\\>", text)
        if "_" in text and _OPENING_UNDERSCORE.search(text) and _CLOSING_UNDERSCORE.search(text):
            text = _OUTER_UNDERSCORE.sub(r"\\_", text)
        if "*" in text and _stars_pair(text):
            text = _TIGHT_STAR.sub(r"\\*", text)
    if _EMPHASIS.search(text):
        text = resolve_emphasis(text)
    return text


def _stars_pair(text: str) -> bool:
    """Whether literal stars could open and close emphasis, alone or with that of the page."""
    if _EMPHASIS.search(text):
        return True
    opening = _OPENING_STAR.search(text)
    return bool(opening and _CLOSING_STAR.search(text, opening.end()))


def _restored(text: str, opaque: Sequence[str]) -> str:
    if OPAQUE_OPEN not in text:
        return text
    return _OPAQUE.sub(lambda mark: opaque[int(mark.group(1))], text)
