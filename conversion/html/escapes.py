"""Finished inline text: white space folded, emphasis made valid, characters escaped where Markdown would read them.

Escapes are made only where a CommonMark parser (0.31) with tables, strikethrough, definition lists and footnotes
would otherwise see markup: text that needs none reads and searches as it stood.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conversion.html.emphasis import resolve_emphasis
from conversion.html.marks import BREAK, CLOSERS, CODE_MARK, DEL_OPEN, LINK_OPEN, OPAQUE_CLOSE, OPAQUE_OPEN, OPENERS

if TYPE_CHECKING:
    from collections.abc import Sequence

_PARAGRAPH_BREAK = re.compile(f" ?{BREAK}(?: ?{BREAK})+ ?")
_LINE_BREAK = re.compile(f" ?{BREAK} ?")
_OPAQUE_RUN = re.compile(f"(?:{OPAQUE_OPEN}\\d+{OPAQUE_CLOSE})+")
_BACKTICKS = re.compile("`+")
_OPAQUE = re.compile(f"{OPAQUE_OPEN}(\\d+){OPAQUE_CLOSE}")
_EMPHASIS = re.compile(f"[{OPENERS}{CLOSERS}]")

_ANY = OPENERS + CLOSERS
"""Marks that may be dropped, so that what stands around them touches."""

_SUSPECT = re.compile(r"[\\`*_<&~\]!^]")
_HAZARD = re.compile(
    rf"\\(?=[!-/:-@\[-`{{-~]|[ \n]*[{OPENERS}{CLOSERS}{OPAQUE_OPEN}{LINK_OPEN}]|\n|$)"
    rf"|`|&(?=#?\w+;)|~(?=~)|(?<=~)~|\](?=[{_ANY}]*\()|!(?=[{_ANY}]*{LINK_OPEN})|\^(?=[{_ANY}]*[\[{LINK_OPEN}])"
)
_HAZARD_BESIDE_DELETIONS = re.compile(_HAZARD.pattern + "|~")
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
    r"|[-+*:~](?= |$)|#{1,6}(?= |$)|>|={1,}$|[-|:][-|: ]*$|(?P<rule>[-_*])(?: ?(?P=rule)){2,}$"
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
    return _restored(_escaped(text), opaque).strip() if text else ""


def finished_term(run: Sequence[str], opaque: Sequence[str]) -> str:
    """The run as one line that begins a block, so that it is escaped where it would begin another kind of block."""
    text = " ".join("".join(run).replace(BREAK, " ").split())
    return _restored(guarded(_escaped(text).strip()), opaque) if text else ""


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
        return _restored(guarded(escaped.strip()), opaque)
    lines = (guarded(line.strip()) for line in escaped.split("\n"))
    return _restored("  \n".join(line for line in lines if line), opaque)


def _escaped(text: str) -> str:
    if _SUSPECT.search(text):
        hazard = _HAZARD_BESIDE_DELETIONS if DEL_OPEN in text else _HAZARD
        text = hazard.sub(r"\\\g<0>", text)
        if "<" in text:
            text = _TAG_LIKE.sub(r"\\<\1\\>", text)
        if "_" in text or "*" in text:
            text = _without_delimiters(text)
    if _EMPHASIS.search(text):
        text = resolve_emphasis(text)
    return text


def _without_delimiters(text: str) -> str:
    """Literal stars and underscores escaped where they could open and close emphasis, alone or with the page's own."""
    if _EMPHASIS.search(text):
        return _OUTER_UNDERSCORE.sub(r"\\_", text.replace("*", r"\*"))
    if _OPENING_UNDERSCORE.search(text) and _CLOSING_UNDERSCORE.search(text):
        text = _OUTER_UNDERSCORE.sub(r"\\_", text)
    opening = _OPENING_STAR.search(text)
    if opening and _CLOSING_STAR.search(text, opening.end()):
        text = _TIGHT_STAR.sub(r"\\*", text)
    return text


def _restored(text: str, opaque: Sequence[str]) -> str:
    if LINK_OPEN in text:
        text = text.replace(LINK_OPEN, "[")
    if OPAQUE_OPEN not in text:
        return text
    return _OPAQUE_RUN.sub(lambda run: _pieces(run.group(), opaque), text)


def _pieces(run: str, opaque: Sequence[str]) -> str:
    """Kept pieces that touch; code spans among them become one, since their backticks would run together."""
    if (alone := run[1:-1]).isdigit():
        piece = opaque[int(alone)]
        return code_span(piece[1:]) if piece.startswith(CODE_MARK) else piece
    pieces: list[str] = []
    code = ""
    for mark in _OPAQUE.finditer(run):
        piece = opaque[int(mark.group(1))]
        if piece.startswith(CODE_MARK):
            code += piece[1:]
            continue
        if code:
            pieces.append(code_span(code))
            code = ""
        pieces.append(piece)
    if code:
        pieces.append(code_span(code))
    return "".join(pieces)


def code_span(text: str) -> str:
    """The text as a code span, with more backticks around it than any run inside (CommonMark 6.1)."""
    if "`" not in text:
        return f"`{text}`"
    fence = "`" * (max(len(run) for run in _BACKTICKS.findall(text)) + 1)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{pad}{text}{pad}{fence}"
