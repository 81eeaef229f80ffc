"""Tables of Markdown, and their rows as sentences of their own: each value with the head of its column."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CELL = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r" *\|?(?: *:?-{3,}:? *\|)* *:?-{3,}:? *\|? *$")


@dataclass(frozen=True, slots=True)
class Table:
    """A pipe table; cells as they are written, rows padded to the width of the head."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    first: int
    """Its first line, and the line after its last one."""
    end: int


def tables(markdown: str) -> list[Table]:
    """The tables in order."""
    source = markdown.split("\n")
    found: list[Table] = []
    index = 0
    while index + 1 < len(source):
        if source[index].lstrip().startswith("|") and "|" in source[index + 1] and _RULE.match(source[index + 1]):
            end = index + 2
            while end < len(source) and source[end].lstrip().startswith("|"):
                end += 1
            head = _cells(source[index])
            rows = (_cells(line) for line in source[index + 2 : end])
            width = len(head)
            found.append(Table(head, tuple((row + ("",) * width)[:width] for row in rows), index, end))
            index = end
        else:
            index += 1
    return found


def sentence(head: tuple[str, ...], row: tuple[str, ...]) -> str:
    """``Plan: Basic; Fee: 10.``; empty cells are left out."""
    parts = [f"{name}: {value}" if name else value for name, value in zip(head, row, strict=True) if value]
    return "; ".join(parts) + "." if parts else ""


def as_sentences(markdown: str) -> str:
    """The Markdown with every table written as the prompt asks for it: a paragraph for each row."""
    source = markdown.split("\n")
    out: list[str] = []
    at = 0
    for table in tables(markdown):
        out += source[at : table.first]
        out.append("\n\n".join(filter(None, (sentence(table.head, row) for row in table.rows))))
        at = table.end
    return "\n".join([*out, *source[at:]])


def _cells(line: str) -> tuple[str, ...]:
    inner = line.strip().removeprefix("|")
    cells = [cell.strip() for cell in _CELL.split(inner)]
    if cells and not cells[-1]:
        cells.pop()
    return tuple(cells)
