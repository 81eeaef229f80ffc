"""GFM tables as rows of cells and as sentences that name every value by its column.

A row torn from its table means nothing to an embedder; "Model: Edge; Price: 12" does (D-RAC calls it table prose).
Sentences are for embedding only: what is stored stays the table as written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_CELL = re.compile(r"(?<!\\)\|")
_DELIMITER = re.compile(r"[ \t]*:?-+:?[ \t]*")


@dataclass(frozen=True, slots=True)
class Table:
    """A parsed table; every row has as many cells as the header, cells are stripped and keep their inline Markdown."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def parse_table(text: str) -> Table | None:
    """The GFM table that ``text`` is (0.29, 4.10), or None where its second line is no delimiter row."""
    lines = [line.strip(" \t\r") for line in text.split("\n")]
    lines = [line for line in lines if line]
    if len(lines) < 2 or not all(_DELIMITER.fullmatch(cell) for cell in _cells(lines[1])):
        return None
    header = _cells(lines[0])
    width = len(header)
    rows = ((*cells[:width], *[""] * (width - len(cells))) for cells in map(_cells, lines[2:]))
    return Table(tuple(header), tuple(rows))


def row_sentences(table: Table) -> list[str]:
    """One sentence a row: ``header: value; header: value``; empty cells and empty rows are left out.

    A cell without a header stands alone.
    """
    sentences = []
    for row in table.rows:
        parts = [f"{name}: {value}" if name else value for name, value in zip(table.header, row, strict=True) if value]
        if parts:
            sentences.append("; ".join(parts))
    return sentences


def _cells(line: str) -> list[str]:
    line = line.removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    parts = _CELL.split(line) if "\\|" in line else line.split("|")
    return [part.strip(" \t").replace("\\|", "|") for part in parts]
