"""Top-level blocks of Markdown by line span: the common shapes read by a few regular expressions.

A full block parser visits every nested line several times; a page needs its top-level spans only. Each reader here
recognises a shape whose extent needs no look inside, and answers None for everything else, which then goes to
markdown-it-py (``chunking.tree``). A property test holds both ways to the same spans.

Lines are given without their line break; a line is blank if it holds only spaces and tabs (CommonMark 0.31, 2.1).
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from wrac.records import UnitKind

if TYPE_CHECKING:
    from collections.abc import Sequence


class Block(NamedTuple):
    """One top-level block."""

    kind: UnitKind
    first: int
    """Its first line."""
    end: int
    """The line after its last."""
    level: int = 0
    """Heading level, 0 for anything else."""


HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`]*)$")
BREAK = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
IMAGE_ONLY = re.compile(
    r"(?:\[?!\[(?:[^\[\]]++|\[[^\[\]]*\])*+\](?:\([^()]*+(?:\([^()]*\)[^()]*+)*+\)|\[[^\[\]]*\])(?:\]\([^()]*\))?\s*+)++"
)

# Opens no other block: any character but a marker; or a marker that the next characters disarm.
_PLAIN = (
    r"(?:[^\s0-9#>\-+*_=~:|<\[`]"
    r"|\*{1,2}[^\s*]"
    r"|_{1,2}[^\s_]"
    r"|`{1,2}[^`]"
    r"|[0-9]+[.)]?[^\s0-9.)]"
    r"|[0-9]+[ ][^\s|:\-]"
    r"|\[[^\[\]\\^]+\](?:[^:]|$))"
)
_OPENS_PARAGRAPH = re.compile(r" {0,3}" + _PLAIN)
_CONTINUES = re.compile(r" {4}| {0,3}\t| {0,3}" + _PLAIN)
_BULLET = re.compile(r"([-+*])( {1,4})(?=[^\s])")
_NUMBER = re.compile(r"[0-9]{1,9}([.)])( {1,4})(?=[^\s])")
_BULLET_INTERRUPTS = re.compile(r"[-+*] {1,4}[^\s\-+*_=~|:]")
_MARKER = re.compile(r"(?:[-+*]|[0-9]{1,9}[.)])(?:\s|$)")
_DEFINES = re.compile(r": {1,3}" + _PLAIN)
_DEFINITION_MARK = re.compile(r"[ \t]*[:~]")
_NOTE = re.compile(r"\[\^[^\]\s]+\]: {1,3}" + _PLAIN)
_DELIMITERS = re.compile(r"\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$")


def is_blank(line: str) -> bool:
    """Whether a line holds only spaces and tabs."""
    return not line.strip(" \t")


def read_block(lines: Sequence[str], first: int) -> Block | None:
    """The block that starts on the non-blank line ``first``, or None where only a full parser can tell."""
    line = lines[first]
    if match := HEADING.match(line):
        return Block(UnitKind.HEADING, first, first + 1, len(match[1]))
    if _OPENS_PARAGRAPH.match(line):
        return _read_paragraph(lines, first)
    if match := FENCE.match(line):
        return _read_fence(lines, first, match[1])
    if BREAK.match(line):
        return Block(UnitKind.BREAK, first, first + 1)
    lead = line[0]
    if lead == "|":
        return _read_table(lines, first)
    if lead == ">":
        return _read_quote(lines, first)
    if lead == "[":
        return _read_note(lines, first)
    return _read_list(lines, first)


def items_at_margin(lines: Sequence[str], block: Block) -> list[Block]:
    """Items of a list whose every line at its margin opens one, or terms with their definitions; empty for others."""
    inner = dedented(lines[block.first : block.end], indentation(lines[block.first]))
    if not inner or (inner[0] != lines[block.first] and not _is_one_list(inner)):
        return []
    margin = [i for i, line in enumerate(inner) if line[:1] not in ("", " ", "\t")]
    if len(margin) > 1 and _DEFINES.match(inner[margin[1]]):
        starts = [i for i in margin if i == 0 or is_blank(inner[i - 1])]
    elif all(_MARKER.match(inner[i]) for i in margin):
        starts = margin
    else:
        return []
    bounds = [block.first + start for start in starts] + [block.end]
    return [Block(UnitKind.ITEM, first, end) for first, end in pairwise(bounds)]


def blocks_of_item(lines: Sequence[str], item: Block) -> list[Block]:
    """Blocks inside a bullet item, which tile its lines; empty where only a full parser can tell."""
    edge = indentation(lines[item.first])
    opening = _BULLET.match(lines[item.first], edge)
    inner = dedented(lines[item.first + 1 : item.end], opening.end()) if opening else []
    if not opening or not inner:
        return []
    inner.insert(0, lines[item.first][opening.end() :])
    found: list[Block] = []
    line = 0
    while line < len(inner):
        if is_blank(inner[line]):
            line += 1
            continue
        block = read_block(inner, line)
        if block is None or (block.kind is UnitKind.LIST and inner[line][0].isdigit()):
            return []
        found.append(block._replace(first=item.first + line, level=0))
        line = block.end
    ends = [*(block.first for block in found[1:]), item.end]
    return [block._replace(end=end) for block, end in zip(found, ends, strict=True)]


def dedented(lines: Sequence[str], width: int) -> list[str]:
    """The lines without that many spaces in front; empty where one has fewer and is not blank."""
    if not all(line.startswith(" " * width) or is_blank(line) for line in lines):
        return []
    return [line[width:] for line in lines]


def indentation(line: str) -> int:
    """Spaces in front of the text of a line."""
    return len(line) - len(line.lstrip(" "))


def _is_one_list(lines: Sequence[str]) -> bool:
    whole = _read_list(lines, 0)
    return whole is not None and all(map(is_blank, lines[whole.end :]))


def _read_paragraph(lines: Sequence[str], first: int) -> Block | None:
    line, count = first + 1, len(lines)
    if line < count and _DEFINES.match(lines[line]):
        return _read_definitions(lines, first)
    if line < count and lines[line][:1] in (" ", "\t") and _DEFINITION_MARK.match(lines[line]):
        return None
    # Below a second line a definition mark marks nothing.
    while line < count and (_CONTINUES.match(lines[line]) or (line > first + 1 and _DEFINES.match(lines[line]))):
        line += 1
    if line == count or is_blank(lines[line]):
        alone = line == first + 1 and line + 1 < count
        may_be_term = alone and _DEFINITION_MARK.match(lines[line + 1])
        return None if may_be_term else Block(UnitKind.PARAGRAPH, first, line)
    after = lines[line]
    if _BULLET_INTERRUPTS.match(after) or HEADING.match(after) or FENCE.match(after):
        return Block(UnitKind.PARAGRAPH, first, line)
    return None


def _read_definitions(lines: Sequence[str], first: int) -> Block | None:
    """Terms of one line, each with paragraphs marked by a colon on the next line."""
    line, count = first + 1, len(lines)
    while True:
        while line < count and (_CONTINUES.match(lines[line]) or _DEFINES.match(lines[line])):
            line += 1
        if line < count and not is_blank(lines[line]):
            return None
        last = line
        while line < count and is_blank(lines[line]):
            line += 1
        if line == count:
            return Block(UnitKind.LIST, first, last)
        if lines[line][0] in " \t:~":
            return None
        if line + 1 < count and _OPENS_PARAGRAPH.match(lines[line]) and _DEFINES.match(lines[line + 1]):
            continue
        if any(_DEFINITION_MARK.match(below) for below in lines[line + 1 : line + 3]):
            return None
        return Block(UnitKind.LIST, first, last)


def _read_note(lines: Sequence[str], first: int) -> Block | None:
    if not _NOTE.match(lines[first]):
        return None
    line, count = first + 1, len(lines)
    while line < count and _CONTINUES.match(lines[line]):
        line += 1
    last = line
    while line < count and is_blank(lines[line]):
        line += 1
    if line < count and (line == last or lines[line][0] in " \t"):
        return None
    return Block(UnitKind.DEFINITION, first, last)


def _read_fence(lines: Sequence[str], first: int, fence: str) -> Block:
    closing = re.compile(rf" {{0,3}}{fence[0]}{{{len(fence)},}}[ \t]*$")
    for line in range(first + 1, len(lines)):
        if closing.match(lines[line]):
            return Block(UnitKind.CODE, first, line + 1)
    return Block(UnitKind.CODE, first, len(lines))


def _read_table(lines: Sequence[str], first: int) -> Block | None:
    head = lines[first].rstrip(" \t")
    if first + 1 >= len(lines) or "\\" in head or not head.endswith("|") or not _DELIMITERS.match(lines[first + 1]):
        return None
    if head.count("|") != lines[first + 1].count("|"):
        return None
    line = first + 2
    while line < len(lines) and lines[line].startswith("|"):
        line += 1
    if line < len(lines) and not is_blank(lines[line]):
        return None
    return Block(UnitKind.TABLE, first, line)


def _read_quote(lines: Sequence[str], first: int) -> Block | None:
    line = first
    while line < len(lines) and lines[line].startswith(">"):
        line += 1
    if line < len(lines) and not is_blank(lines[line]):
        return None
    return Block(UnitKind.QUOTE, first, line)


def _read_list(lines: Sequence[str], first: int) -> Block | None:
    opening = _BULLET.match(lines[first]) or _NUMBER.match(lines[first])
    if not opening:
        return None
    marker, width, last = opening[1], opening.end(), first
    pattern = _NUMBER if marker in ".)" else _BULLET
    for line in range(first + 1, len(lines)):
        text = lines[line]
        if is_blank(text):
            continue
        if text.startswith(" " * width):
            last = line
            continue
        if text[0] in " \t":
            return None
        if (match := pattern.match(text)) and match[1] == marker and not BREAK.match(text):
            width, last = match.end(), line
        elif last < line - 1 and not (_MARKER.match(text) and (marker in ".)") == text[0].isdigit()):
            break  # after a blank line, what stands at the margin and is no item ends the list
        else:
            return None
    return Block(UnitKind.LIST, first, last + 1)
