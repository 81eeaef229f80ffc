"""One sheet, read as a stream: filled cells as text, what is merged, hidden, linked, filtered (ECMA-376-1, 18.3)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conversion.office.docx.names import whole
from conversion.office.package import relation_id
from conversion.office.xlsx.formats import displayed
from conversion.office.xlsx.workbook import GENERAL, CellFormat, S, Workbook, stream, string_text

if TYPE_CHECKING:
    from lxml import etree

_REFERENCE = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})")
_LARGEST_MERGE = 10_000
_TAGS = tuple(
    S + name for name in ("row", "cols", "mergeCell", "autoFilter", "hyperlink", "pane", "tablePart", "sheetProtection")
)


@dataclass(frozen=True, slots=True)
class Cell:
    """A filled cell as a reader sees it."""

    text: str
    is_number: bool = False
    """Numbers, dates and truth values: what the head of a column seldom is."""
    bold: bool = False
    link: str = ""


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of cells; all four bounds belong to it, counted from 1."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(slots=True)
class Sheet:
    """What is left of a sheet once it was read: filled cells only, however far apart they stand."""

    rows: dict[int, dict[int, Cell]] = field(default_factory=dict)
    """Cells by row and column, from 1."""
    merged: list[Area] = field(default_factory=list)
    heads: list[Area] = field(default_factory=list)
    """Areas that the author declared as tables or filters: their first row names the columns."""
    frozen_rows: int = 0
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    cells: int = 0
    left_out: int = 0
    """Filled cells beyond the bounds."""


class SheetReader:
    """Reads one sheet within bounds."""

    def __init__(self, workbook: Workbook, part: str, *, max_cells: int, max_columns: int) -> None:
        self._workbook = workbook
        self._part = part
        self._max_cells = max_cells
        self._max_columns = max_columns
        self._sheet = Sheet()
        self._hidden_rows: set[int] = set()
        self._filters: list[Area] = []
        self._links: list[tuple[Area, str]] = []
        self._row = 0

    def read(self) -> Sheet:
        """The sheet. Raises ``ConversionFailed`` where its XML is broken."""
        handlers = {
            S + "row": self._read_row,
            S + "cols": self._read_columns,
            S + "mergeCell": self._read_merge,
            S + "autoFilter": self._read_filter,
            S + "hyperlink": self._read_link,
            S + "pane": self._read_pane,
            S + "tablePart": self._read_table,
        }
        for element in stream(self._workbook.package, self._part, *_TAGS):
            handler = handlers.get(element.tag)
            if handler is not None:
                handler(element)
        sheet = self._sheet
        # Rows that a filter hides are a view on the table, as a closed fold is on a page: they stay.
        sheet.hidden_rows = {
            row for row in self._hidden_rows if not any(area.top <= row <= area.bottom for area in self._filters)
        }
        sheet.heads += self._filters
        self._spread_merged()
        self._set_links()
        return sheet

    # ------------------------------------------------------------ cells

    def _read_row(self, element: etree._Element) -> None:
        row = whole(element.get("r"))
        self._row = self._row + 1 if row is None else row
        if element.get("hidden") in ("1", "true"):
            self._hidden_rows.add(self._row)
        column = 0
        for cell in element.iterchildren(S + "c"):
            place = _REFERENCE.match(cell.get("r", ""))
            column = _column(place.group(1)) if place else column + 1
            value = self._value(cell)
            if value is None:
                continue
            if column > self._max_columns or self._sheet.cells >= self._max_cells:
                self._sheet.left_out += 1
                continue
            self._sheet.rows.setdefault(self._row, {})[column] = value
            self._sheet.cells += 1

    def _value(self, cell: etree._Element) -> Cell | None:
        kind = cell.get("t", "n")
        style = self._format(cell.get("s", ""))
        if kind == "inlineStr":
            inline = cell.find(S + "is")
            text, is_number = string_text(inline) if inline is not None else "", False
        else:
            raw = cell.findtext(S + "v")
            if raw is None or (not raw and kind == "n"):
                formula = (cell.findtext(S + "f") or "").strip()
                return Cell(f"={formula}", is_number=True, bold=style.bold) if formula else None
            text, is_number = self._text(kind, raw, style)
        text = text.replace("_x000D_", "").strip()
        return Cell(text, is_number, style.bold) if text else None

    def _text(self, kind: str, raw: str, style: CellFormat) -> tuple[str, bool]:
        if kind == "s":
            strings = self._workbook.strings
            index = whole(raw)
            return (strings[index] if index is not None and 0 <= index < len(strings) else ""), False
        if kind == "b":
            return ("TRUE" if raw.strip() == "1" else "FALSE"), True
        if kind == "d":
            return raw.replace("T00:00:00", ""), True
        if kind in ("str", "e"):
            return raw, kind == "e"
        try:
            value = float(raw)
        except ValueError:
            return raw, False
        return displayed(value, style.code, from_1904=self._workbook.from_1904), True

    def _format(self, style: str) -> CellFormat:
        formats = self._workbook.formats
        return formats[int(style)] if style.isdigit() and int(style) < len(formats) else GENERAL

    # ------------------------------------------------------------ around the cells

    def _read_columns(self, element: etree._Element) -> None:
        for column in element.iterchildren(S + "col"):
            if column.get("hidden") in ("1", "true"):
                first, last = whole(column.get("min")) or 1, whole(column.get("max")) or 1
                self._sheet.hidden_columns.update(range(first, min(last, self._max_columns) + 1))

    def _read_merge(self, element: etree._Element) -> None:
        if (area := area_of(element.get("ref", ""))) is not None:
            self._sheet.merged.append(area)

    def _read_filter(self, element: etree._Element) -> None:
        if (area := area_of(element.get("ref", ""))) is not None:
            self._filters.append(area)

    def _read_pane(self, element: etree._Element) -> None:
        if element.get("state") in ("frozen", "frozenSplit"):
            self._sheet.frozen_rows = whole(element.get("ySplit")) or 0

    def _read_table(self, element: etree._Element) -> None:
        relation = self._workbook.package.relations(self._part).get(relation_id(element))
        root = self._workbook.package.parse(relation.target) if relation and not relation.external else None
        if root is None:
            return
        area = area_of(root.get("ref", ""))
        if area is not None and root.get("headerRowCount", "1") != "0":
            self._sheet.heads.append(area)
            if root.find(S + "autoFilter") is not None:
                self._filters.append(area)

    def _read_link(self, element: etree._Element) -> None:
        relation = self._workbook.package.relations(self._part).get(relation_id(element))
        area = area_of(element.get("ref", ""))
        if relation is not None and relation.external and area is not None:
            self._links.append((area, relation.target))

    def _set_links(self) -> None:
        for area, target in self._links:
            cells = self._sheet.rows.get(area.top, {})
            if (cell := cells.get(area.left)) is not None:
                cells[area.left] = Cell(cell.text, cell.is_number, cell.bold, target)

    def _spread_merged(self) -> None:
        """A cell merged over several rows stands in each of them, as a reader sees it beside each."""
        for area in self._sheet.merged:
            cell = self._sheet.rows.get(area.top, {}).get(area.left)
            if cell is None or area.bottom - area.top > _LARGEST_MERGE:
                continue
            for row in range(area.top + 1, area.bottom + 1):
                # Only beside other cells: a merged block of its own is one text.
                if any(not area.left <= column <= area.right for column in self._sheet.rows.get(row, {})):
                    self._sheet.rows[row].setdefault(area.left, cell)


def area_of(reference: str) -> Area | None:
    """The area of a reference such as ``A1:C9``; None for anything else."""
    first, _, last = reference.partition(":")
    start, end = _REFERENCE.fullmatch(first), _REFERENCE.fullmatch(last or first)
    if start is None or end is None:
        return None
    return Area(int(start.group(2)), _column(start.group(1)), int(end.group(2)), _column(end.group(1)))


def _column(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number
