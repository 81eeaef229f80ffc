"""Blocks to Markdown text, kept apart so that each is read back as what it was."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conversion.html.blocks import Block, Code, Definition, Heading, ListBlock, Note, Paragraph, Quote, Rule, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

_BACKTICKS = re.compile("`{3,}")
_CLOSING_HASHES = re.compile(r"(^|\s)(#+)$")
_BARE_PIPE = re.compile(r"\|")


def written(blocks: Sequence[Block]) -> str:
    """The blocks, a blank line between any two."""
    parts: list[str] = []
    previous: Block | None = None
    marker = 0
    for block in blocks:
        # Two lists in a row would be read as one: the second takes the other marker.
        marker = 1 - marker if _would_merge(previous, block) else 0
        text = _text(block, marker)
        if text:
            parts.append(text)
            previous = block
    return "\n\n".join(parts)


def _would_merge(previous: Block | None, block: Block) -> bool:
    return isinstance(previous, ListBlock) and isinstance(block, ListBlock) and previous.ordered == block.ordered


def _text(block: Block, marker: int) -> str:
    match block:
        case Paragraph(text):
            return text
        case Heading(level, text):
            return f"{'#' * level} {_CLOSING_HASHES.sub(_escaped_hash, text)}"
        case Code():
            return _fenced(block)
        case ListBlock():
            return _list(block, marker)
        case Table():
            return _table(block)
        case Quote(inner):
            return "\n".join(f"> {line}" if line else ">" for line in written(inner).split("\n"))
        case Definition(terms, definitions):
            return _definition(terms, definitions)
        case Note(label, text):
            return f"[^{label}]: {_indented(text, '    ')}"
        case Rule():
            return "***"


def _escaped_hash(match: re.Match[str]) -> str:
    return f"{match.group(1)}\\{match.group(2)}"


def _fenced(block: Code) -> str:
    longest = max((len(run) for run in _BACKTICKS.findall(block.text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{block.language}\n{block.text}\n{fence}"


def _list(block: ListBlock, marker: int) -> str:
    bullet = "-*"[marker]
    stop = ".)"[marker]
    loose = any(_is_loose(item.blocks) for item in block.items)
    items: list[str] = []
    for item in block.items:
        lead = f"{item.number}{stop} " if block.ordered else f"{bullet} "
        text = _item(item.blocks, item.box)
        items.append(lead + _indented(text, " " * len(lead)))
    return ("\n\n" if loose else "\n").join(items)


def _is_loose(blocks: Sequence[Block]) -> bool:
    return not (
        len(blocks) == 1
        or (
            len(blocks) == 2
            and isinstance(blocks[0], Paragraph)
            and isinstance(blocks[1], ListBlock)
            and _is_tight(blocks[1])
        )
    )


def _is_tight(block: ListBlock) -> bool:
    # Only a list that starts at 1 may follow a paragraph without a blank line (CommonMark 5.2).
    return (not block.ordered or block.items[0].number == 1) and not any(_is_loose(i.blocks) for i in block.items)


def _item(blocks: Sequence[Block], box: str) -> str:
    if len(blocks) == 2 and not _is_loose(blocks):
        return f"{box}{_text(blocks[0], 0)}\n{_text(blocks[1], 0)}"
    return box + written(blocks)


def _indented(text: str, indent: str) -> str:
    if "\n" not in text:
        return text
    first, *rest = text.split("\n")
    return "\n".join([first, *(indent + line if line else "" for line in rest)])


def _definition(terms: Sequence[str], definitions: Sequence[str]) -> str:
    if not definitions:
        return "\n".join(_standing_out(term) for term in terms)
    lines = [*terms, *(f": {_indented(text, '  ')}" for text in definitions)]
    return "\n".join(lines)


def _standing_out(term: str) -> str:
    """A term that blocks follow: bold, unless it is code, emphasised, or leads in with a colon."""
    return term if term.endswith(("`", ":")) or "*" in term else f"**{term}**"


def _table(block: Table) -> str:
    rows = [[_BARE_PIPE.sub(r"\\|", cell) for cell in row] for row in block.rows]
    if not block.header:
        rows.insert(0, [""] * len(rows[0]))
    lines = [_row(row) for row in rows]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
