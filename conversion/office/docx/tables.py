"""Tables: grid spans, vertical merges, and which rows are the head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import etree

from conversion.office.docx.names import W, flag, text_in, value, whole
from conversion.office.page import add

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lxml.html import HtmlElement

    from conversion.office.docx.styles import Styles
    from conversion.office.records import Removals

_MOST_COLUMNS = 1_000
_FIRST_ROW = 0x0020
"""Bit of ``w:tblLook`` that asks for the looks of the first row (17.4.55)."""


@dataclass(slots=True)
class _Cell:
    source: etree._Element
    column: int
    width: int
    continues: bool
    """Whether it is merged with the cell above."""
    height: int = 1


class TableWriter:
    """Writes tables into HTML; contents of cells are written by ``read_cell``."""

    def __init__(
        self, styles: Styles, removals: Removals, read_cell: Callable[[etree._Element, HtmlElement], None]
    ) -> None:
        self._styles = styles
        self._removals = removals
        self._read_cell = read_cell

    def write(self, table: etree._Element, element: HtmlElement) -> None:
        """The table's rows, merged cells as spans, head rows in ``thead``."""
        rows = [row for row in _children(table, "tr") if not self._is_left_out(row)]
        cells = [list(_cells(row)) for row in rows]
        _join_down(cells)
        head = self._head_rows(table, rows)
        thead = add(element, "thead") if head else element
        tbody = add(element, "tbody")
        for index, row in enumerate(cells):
            out = add(thead if index < head else tbody, "tr")
            self._write_row(out, row, "th" if index < head else "td", rows[index])

    def _write_row(self, out: HtmlElement, row: list[_Cell], tag: str, source: etree._Element) -> None:
        skipped = whole(value(source.find(W + "trPr"), "gridBefore")) or 0
        for _ in range(min(skipped, _MOST_COLUMNS)):
            add(out, tag)
        for cell in row:
            if cell.continues:
                continue
            into = add(out, tag)
            if cell.width > 1:
                into.set("colspan", str(cell.width))
            if cell.height > 1:
                into.set("rowspan", str(cell.height))
            self._read_cell(cell.source, into)
            if tag == "th":
                # Bold says no more than that this is the head.
                etree.strip_tags(into, "strong")

    def _is_left_out(self, row: etree._Element) -> bool:
        properties = row.find(W + "trPr")
        if properties is None:
            return False
        if properties.find(W + "del") is not None:
            self._removals.add("office.deleted", "body", text_in(row))
            return True
        if flag(properties, "hidden"):
            self._removals.add("office.hidden", "body", text_in(row))
            return True
        return False

    def _head_rows(self, table: etree._Element, rows: list[etree._Element]) -> int:
        """Leading rows that repeat on each page; else the first one, where style or paragraphs set it apart."""
        count = 0
        while count < len(rows) and flag(rows[count].find(W + "trPr"), "tblHeader"):
            count += 1
        if count:
            return count if count < len(rows) else min(count, 1)
        if len(rows) < 2:
            return 0
        paragraphs = [p for p in rows[0].iter(W + "p") if any((t.text or "").strip() for t in p.iter(W + "t"))]
        if paragraphs and all(self._styles.is_table_heading(value(p.find(W + "pPr"), "pStyle")) for p in paragraphs):
            return 1
        properties = table.find(W + "tblPr")
        asked = _asks_for_head(properties.find(W + "tblLook")) if properties is not None else False
        return int(asked and self._styles.head_row_is_set_apart(value(properties, "tblStyle")))


def _asks_for_head(look: etree._Element | None) -> bool:
    if look is None:
        return False
    stated = look.get(W + "firstRow")
    if stated is not None:
        return stated in ("1", "true", "on")
    try:
        return bool(int(look.get(W + "val", "0"), 16) & _FIRST_ROW)
    except ValueError:
        return False


def _children(parent: etree._Element, name: str) -> Iterator[etree._Element]:
    """Children of this name, also those wrapped in content controls, custom XML and insertions."""
    for child in parent:
        if child.tag == W + name:
            yield child
        elif child.tag in (W + "sdt", W + "sdtContent", W + "customXml", W + "ins", W + "moveTo"):
            yield from _children(child, name)


def _cells(row: etree._Element) -> Iterator[_Cell]:
    column = min(whole(value(row.find(W + "trPr"), "gridBefore")) or 0, _MOST_COLUMNS)
    for cell in _children(row, "tc"):
        properties = cell.find(W + "tcPr")
        if properties is not None and properties.find(W + "cellDel") is not None:
            continue
        width = min(max(whole(value(properties, "gridSpan")) or 1, 1), _MOST_COLUMNS)
        merge = value(properties, "vMerge")
        yield _Cell(cell, column, width, continues=merge is not None and merge != "restart")
        column += width


def _join_down(rows: list[list[_Cell]]) -> None:
    """Gives each merged run its height; a continuation with nothing above it is a cell of its own."""
    above: dict[int, _Cell] = {}
    for row in rows:
        here: dict[int, _Cell] = {}
        for cell in row:
            start = above.get(cell.column)
            if cell.continues and start is not None:
                start.height += 1
                here[cell.column] = start
            else:
                cell.continues = False
                here[cell.column] = cell
        above = here
