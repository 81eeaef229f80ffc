"""``convert_xlsx``: a workbook, one section a sheet."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from conversion.office.package import Package
from conversion.office.page import add, add_text, converted, new
from conversion.office.properties import core_properties, name_of
from conversion.office.records import OfficeConversion, OfficeOptions, Removals
from conversion.office.xlsx.heads import SheetTable, taken_apart
from conversion.office.xlsx.regions import Region, regions
from conversion.office.xlsx.sheet import Sheet, SheetReader
from conversion.office.xlsx.workbook import SheetPart, Workbook
from wrac.ids import digest
from wrac.records import MarkdownDocument, PageSpan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

    from conversion.office.xlsx.sheet import Cell

CONVERTER = "xlsx/2"
_DEFAULTS = OfficeOptions()
_LONGEST_HEADING = 120
# What programs call the first sheet; alone in a workbook it says nothing.
_DEFAULT_NAME = re.compile(
    r"(?:sheet|tabelle|feuil|feuille|hoja|foglio|planilha|blad|ark|arkusz|лист)[ _]?1", re.IGNORECASE
)
_NEAR = 3
"""Rows between a title and its table at most."""


def convert_xlsx(data: bytes, url: str, options: OfficeOptions = _DEFAULTS) -> OfficeConversion:
    """An Excel workbook as Markdown.

    Each sheet is a section of level 2 (but a single one without a name of its own); each block of cells a table under
    its column heads, long ones as several tables of at most ``options.table_rows`` rows that repeat the heads. Values
    stand as the sheet displays them, formulas by their cached results. Hidden sheets, rows and columns and what passes
    the bounds are left out and recorded; rows that a filter hides stay. Pages are sheets, hidden ones counted too.
    Raises ``ConversionFailed``, and ``NothingExtracted`` where no cell is filled.
    """
    return _Conversion(Package(data, url, options.max_part), options).convert()


class _Conversion:
    def __init__(self, package: Package, options: OfficeOptions) -> None:
        self._package = package
        self._options = options
        self._workbook = Workbook(package)
        self._removals = Removals()
        self._cells_left = options.max_cells

    def convert(self) -> OfficeConversion:
        parts: list[str] = []
        spans: list[PageSpan] = []
        length = 0
        visible = [sheet for sheet in self._workbook.sheets if not sheet.hidden]
        for number, sheet in enumerate(self._workbook.sheets, start=1):
            read = self._read(sheet)
            if sheet.hidden:
                self._removals.add("office.hidden-sheet", f"sheet {sheet.name}", _all_text(read))
                continue
            self._leave_out_hidden(sheet, read)
            written = list(self._written(read))
            if written:
                name = "" if len(visible) == 1 and _DEFAULT_NAME.fullmatch(sheet.name) else sheet.name
                heading = converted(_heading(name, 2), self._package.url, "") if name else None
                written = [*([heading.text] if heading else []), *written]
                spans.append(PageSpan(length, number))
                length += sum(len(part) + 1 for part in written)
                parts += written
        if not parts:
            raise self._package.without_text("holds no filled cells in visible sheets")
        text = "\n".join(parts)
        stated = core_properties(self._package)
        title = stated.title or name_of(self._package.url)
        document = MarkdownDocument(text, title, "xlsx", CONVERTER, digest(text), pages=tuple(spans))
        sheets = len(self._workbook.sheets)
        return OfficeConversion(document, replace(stated, title=title), self._removals.done(), sheets)

    def _read(self, sheet: SheetPart) -> Sheet:
        options = self._options
        reader = SheetReader(self._workbook, sheet.part, max_cells=self._cells_left, max_columns=options.max_columns)
        read = reader.read()
        self._cells_left -= read.cells
        if read.left_out:
            self._removals.add(
                "office.beyond-bounds",
                f"sheet {sheet.name}",
                f"{read.left_out:,} cells beyond {options.max_cells:,} cells or {options.max_columns} columns",
            )
        return read

    def _leave_out_hidden(self, part: SheetPart, sheet: Sheet) -> None:
        hidden = [
            (row, column)
            for row, cells in sheet.rows.items()
            for column in cells
            if row in sheet.hidden_rows or column in sheet.hidden_columns
        ]
        for row, column in hidden:
            cell = sheet.rows[row].pop(column)
            rule = "office.hidden-row" if row in sheet.hidden_rows else "office.hidden-column"
            self._removals.add(rule, f"sheet {part.name}", cell.text)
            if not sheet.rows[row]:
                del sheet.rows[row]

    # ------------------------------------------------------------ writing

    def _written(self, sheet: Sheet) -> Iterator[str]:
        found = regions(sheet.rows, sheet.heads)
        for index, region in enumerate(found):
            below = found[index + 1] if index + 1 < len(found) else None
            table = taken_apart(region, sheet)
            for root in self._roots(table, is_title=below is not None and _heads(region, below)):
                document = converted(root, self._package.url, "")
                if document is not None:
                    yield document.text

    def _roots(self, table: SheetTable, *, is_title: bool) -> Iterator[HtmlElement]:
        """A block as HTML in pieces of bounded size: lines above, tables, lines below."""
        yield from _lines(table.above, is_title=bool(table.rows))
        if table.rows and len(table.rows[0]) == 1 and not table.head:
            yield from _lines([cell for row in table.rows for cell in row if cell], is_title=is_title)
        else:
            for rows in self._portions(table.rows):
                yield _table(table.head, rows)
        yield from _lines(table.below, is_title=False)

    def _portions(self, rows: list[list[Cell | None]]) -> Iterator[list[list[Cell | None]]]:
        """The rows in runs within the bounds of one table."""
        portion: list[list[Cell | None]] = []
        size = 0
        for row in rows:
            length = sum(len(cell.text) for cell in row if cell)
            if portion and (len(portion) >= self._options.table_rows or size + length > self._options.table_characters):
                yield portion
                portion, size = [], 0
            portion.append(row)
            size += length
        if portion:
            yield portion


def _heads(region: Region, below: Region) -> bool:
    """Whether a block is one line over the table below."""
    return (
        len(region.rows) == len(region.columns) == 1
        and below.width > 1
        and 0 < below.rows[0] - region.rows[0] <= _NEAR
        and below.columns[0] <= region.columns[0] <= below.columns[-1]
    )


def _lines(cells: Sequence[Cell], *, is_title: bool) -> Iterator[HtmlElement]:
    """Paragraphs; the first is a heading where it is the title of a table."""
    for index, cell in enumerate(cells):
        if is_title and index == 0 and len(cell.text) <= _LONGEST_HEADING and not cell.text.endswith("."):
            yield _heading(cell.text, 3)
        else:
            root = new("div")
            _fill(add(root, "p"), cell)
            yield root


def _heading(text: str, level: int) -> HtmlElement:
    root = new("div")
    add(root, f"h{level}", text)
    return root


def _table(head: Sequence[str], rows: Sequence[Sequence[Cell | None]]) -> HtmlElement:
    root = new("div")
    table = add(root, "table")
    if any(head):
        names = add(add(table, "thead"), "tr")
        for name in head:
            add(names, "th", name)
    body = add(table, "tbody")
    for row in rows:
        out = add(body, "tr")
        for cell in row:
            into = add(out, "td")
            if cell is not None:
                _fill(into, cell)
    return root


def _fill(parent: HtmlElement, cell: Cell) -> None:
    into = add(parent, "a", href=cell.link) if cell.link else parent
    first, *rest = cell.text.split("\n")
    add_text(into, first)
    for line in rest:
        add(into, "br")
        add_text(into, line)


def _all_text(sheet: Sheet) -> str:
    return " ".join(cell.text for cells in sheet.rows.values() for cell in cells.values())
