"""Tables: a grid of cell texts; layout tables are unwrapped; tables of line numbers are code."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from conversion.html import inline
from conversion.html.blocks import Block, Code, Definition, Heading, ListBlock, Note, Paragraph, Quote, Table
from conversion.html.code_tables import code_table
from conversion.html.escapes import code_span, finished, finished_line
from conversion.html.marks import visible
from conversion.html.tags import BLOCKS, holds, text_of
from conversion.html.walk import blocks_of, flow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

    from conversion.html.state import State

    Row = list[HtmlElement]

_LONGEST_DETAIL = 1_500
"""Characters, white space left out, up to which a table inside a cell is read as lines of that cell."""
_MOST_DETAILS = 200
_MAX_COLUMNS = 1_000
"""Reached by spans in one row; the limit that HTML sets to a colspan (section 4.9.12.1)."""
_MAX_CELLS = 1_000_000
"""Made by spans and by filling up short rows in one table."""
_MAX_REPEATED = 1_000_000
"""Characters of cells over several rows that are written again in the rows below."""
_HARD_BREAK = re.compile(r" *\\?\n *")


def table(state: State, element: HtmlElement, out: list[Block]) -> None:
    """Appends the table, its caption before it."""
    if code := code_table(element):
        out.append(code)
        return
    rows, head, others = _rows(element)
    for other in others:
        if other.tag == "caption":
            run: list[str] = []
            inline.content(state, other, run)
            out.extend(Paragraph(text) for text in finished(run, state.opaque))
        else:
            out.extend(flow(state, other))
    beside_icon = state.in_admonition and _is_beside_icon(rows)
    if beside_icon or _is_layout(element, rows) or (state.in_admonition and len(rows) == 1):
        for row in rows:
            for cell in row:
                if not beside_icon or text_of(cell).strip():
                    out.extend(blocks_of(state, cell))
        return
    grid = _trimmed(_grid(state, rows))
    if grid:
        out.append(Table(grid, header=_has_header(rows, head)))


def _rows(element: HtmlElement) -> tuple[list[Row], int, list[HtmlElement]]:
    """The table's own rows, footer last; how many of them are in ``thead``; and what else stands in the table."""
    head: list[Row] = []
    body: list[Row] = []
    foot: list[Row] = []
    others: list[HtmlElement] = []

    def collect(parent: HtmlElement, into: list[Row]) -> None:
        for child in parent:
            tag = child.tag
            if tag == "tr":
                into.append([cell for cell in child if cell.tag in ("td", "th")])
            elif tag in ("thead", "tbody", "tfoot"):
                collect(child, {"thead": head, "tfoot": foot}.get(tag, body))
            elif tag in ("td", "th"):
                into.append([child])
            elif isinstance(tag, str) and tag not in ("colgroup", "col"):
                others.append(child)

    collect(element, body)
    head = [row for row in head if row]
    return [*head, *(row for row in body if row), *(row for row in foot if row)], len(head), others


def _is_layout(element: HtmlElement, rows: list[Row]) -> bool:
    if element.get("role") in ("presentation", "none"):
        return True
    if any(cell.tag == "th" for row in rows for cell in row):
        return False
    if len(rows) < 2 or max(len(row) for row in rows) < 2:
        if len(rows) < 2 and max((len(row) for row in rows), default=0) < 2:
            return True
        return any(_holds_blocks(cell) for row in rows for cell in row)
    return any(_holds_headings(cell) for row in rows for cell in row) or _is_frame(rows)


def _is_beside_icon(rows: list[Row]) -> bool:
    """Whether title and text stand beside an icon that is as high as both, as DocBook lays notes out."""
    if [len(row) for row in rows] != [2, 1]:
        return False
    icon = rows[0][0]
    return holds(icon, "img") and not text_of(icon).strip()


def _is_frame(rows: list[Row]) -> bool:
    """Whether inner tables are what the table is there for, rather than a detail of some of its cells."""
    inner = list(islice((found for row in rows for cell in row for found in cell.iter("table")), _MOST_DETAILS))
    if not inner or len(inner) == _MOST_DETAILS:
        return bool(inner)
    lengths = [len("".join(text_of(found).split())) for found in inner]
    if max(lengths) > _LONGEST_DETAIL or any(holds(found, "th", "pre") for found in inner):
        return True
    plain = sum(not any(holds(cell, "table") for cell in row) for row in rows)
    return plain == 0 and any(len(row) < 2 for row in rows)


def _holds_blocks(cell: HtmlElement) -> bool:
    return any(inner.tag in BLOCKS and inner.tag not in ("p", "div") for inner in cell.iter() if inner is not cell)


def _holds_headings(cell: HtmlElement) -> bool:
    return holds(cell, "h1", "h2", "h3", "h4")


def _has_header(rows: list[Row], head: int) -> bool:
    if head:
        return True
    filled = [row for row in rows if any(_has_text(cell) for cell in row)]
    first = [cell for cell in filled[0] if _has_text(cell)] if filled else []
    if all(cell.tag == "th" for cell in filled[0]):
        return True
    return len(filled) > 1 and all(_is_bold(cell) for cell in first)


def _is_bold(cell: HtmlElement) -> bool:
    """Whether all text of the cell stands in one bold element: a heading cell by its looks."""
    if cell.tag == "th":
        return True
    inner = cell
    while len(inner) == 1 and not (inner.text or "").strip() and not (inner[0].tail or "").strip():
        inner = inner[0]
        if inner.tag in ("b", "strong"):
            return True
    return False


def _has_text(cell: HtmlElement) -> bool:
    return bool(text_of(cell).strip()) or holds(cell, "img")


def _grid(state: State, rows: list[Row]) -> list[list[str]]:
    """Texts by row and column; a cell over several rows stands in each of them, one over several columns once.

    At most ``_MAX_CELLS`` cells more than the table has: past that spans end, and a row's last cells share a column.
    """
    widest = max(_MAX_CELLS // max(len(rows), 1), -(-sum(map(len, rows)) // max(len(rows), 1)))
    repeatable = _MAX_REPEATED
    grid: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}
    for index, row in enumerate(rows):
        texts: list[str] = []
        last_hanging = max(hanging, default=-1)
        cells = iter(row)
        cell = next(cells, None)
        while cell is not None or len(texts) <= last_hanging:
            column = len(texts)
            if column in hanging:
                left, text = hanging.pop(column)
                texts.append(text)
                if left > 1:
                    hanging[column] = (left - 1, text)
                continue
            if cell is None:
                texts.append("")
                continue
            text = cell_text(state, cell)
            cell, spanning = next(cells, None), cell
            if column >= widest:
                texts[-1] = f"{texts[-1]} {text}".strip()
                continue
            width, height = _spans(spanning, min(_MAX_COLUMNS, widest) - column, len(rows) - index)
            repeatable -= len(text) * (height - 1)
            for offset in range(width):
                if height > 1:
                    hanging[column + offset] = (height - 1, text if offset == 0 and repeatable >= 0 else "")
                texts.append(text if offset == 0 else "")
        grid.append(texts)
    width = max((len(texts) for texts in grid), default=0)
    return [texts + [""] * (width - len(texts)) for texts in grid]


def _spans(cell: HtmlElement, columns: int, rows: int) -> tuple[int, int]:
    """Columns and rows that the cell takes of those that are left; a rowspan of 0 takes all of them."""
    width, height = _span(cell.get("colspan")), _span(cell.get("rowspan")) or rows
    return max(min(width, columns), 1), min(height, rows)


def _span(value: str | None) -> int:
    match = re.match(r"\s*(\d{1,6})", value or "")
    return int(match.group(1)) if match else 1


def _trimmed(grid: list[list[str]]) -> list[list[str]]:
    """The grid without blank rows and without columns that are blank throughout."""
    rows = [row for row in grid if any(row)]
    used = [any(row[column] for row in rows) for column in range(len(rows[0]) if rows else 0)]
    return [[text for text, keep in zip(row, used, strict=True) if keep] for row in rows]


def cell_text(state: State, cell: HtmlElement) -> str:
    """The cell's content on one line: its blocks parted by ``<br>``."""
    if not len(cell):
        return finished_line([visible(cell.text or "")], state.opaque)
    return "<br>".join(_lines(blocks_of(state, cell)))


def _lines(blocks: Iterable[Block]) -> list[str]:
    lines: list[str] = []
    for block in blocks:
        match block:
            case Paragraph(text):
                lines.extend(_HARD_BREAK.split(text))
            case Heading(_, text):
                lines.append(text)
            case Code(text):
                lines.extend(code_span(line.strip()) for line in text.split("\n") if line.strip())
            case ListBlock(ordered, items):
                for item in items:
                    first, *rest = _lines(item.blocks) or [""]
                    lines.append(f"{f'{item.number}.' if ordered else '-'} {item.box}{first}")
                    lines.extend(rest)
            case Quote(inner):
                lines.extend(_lines(inner))
            case Note(label, text):
                lines.append(f"[^{label}]: {text}")
            case Definition(terms, definitions):
                lines.extend([*terms, *definitions])
            case Table(rows):
                lines.extend(", ".join(filter(None, row)) for row in rows)
            case _:
                pass
    return lines
