"""Lines in reading order to blocks: headings, lists, tables, code and paragraphs, joined over columns and pages."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conversion.html.blocks import Block, Code, Heading, Paragraph, Table
from conversion.html.marks import anchor_mark, without_anchors
from conversion.pdf.code import code_text
from conversion.pdf.continuation import continues, joined_row, mark_page
from conversion.pdf.grids import Grid, grids
from conversion.pdf.inline import Inline, Text
from conversion.pdf.items import INDENT, OpenItems
from conversion.pdf.markers import marker
from conversion.pdf.notes import without_notes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.headings import Headings
    from conversion.pdf.markers import Marker
    from conversion.pdf.records import Flow, Line
    from conversion.pdf.rows import Cell
    from conversion.pdf.typography import Typography

_SPACE = 0.3
_NEW_PARAGRAPH = 1.28
"""Times the usual leading: a wider gap parts paragraphs."""
_DIVIDED = re.compile(r"[^\W\d_][-\u2010\u00ad]$")
"""A hyphen at the end of a line, right after a letter."""
_ENDINGS = (".", "!", "?", ":", "。", "！", "？", "…")


@dataclass(slots=True)
class Builder:
    """Collects blocks; one text or code block or table is open at a time."""

    usual: Typography
    headings: Headings
    inline: Inline
    blocks: list[Block] = field(default_factory=list)
    _flow: Flow | None = None
    _notes: list[Block] = field(default_factory=list)
    """Of the page, which would divide the open paragraph."""
    _text: Text | None = None
    _lines: list[Line] = field(default_factory=list)
    """Of the open text."""
    _right: float = 0.0
    _sequences: set[tuple[str, int]] = field(default_factory=set)
    """(kind of number, number) of all marks of the flow."""
    _dashes: Counter[int] = field(default_factory=Counter)
    """How many lines of the flow begin with a dash at each x."""
    _items: OpenItems = field(init=False)
    _code: list[Line] = field(default_factory=list)
    _grid: tuple[Grid, Table] | None = None
    """The last block, where it is a table that may go on."""

    def __post_init__(self) -> None:
        self._items = OpenItems(self.blocks)

    def add(self, flow: Flow) -> None:
        """The lines of the flow, after those that were added before; notes at its end wait for the open paragraph."""
        text, notes = without_notes(flow, self.usual.body_size)
        self._add(text)
        if notes is None:
            return
        inner = Builder(self.usual, self.headings, self.inline)
        inner._add(notes)
        self._notes.extend(inner.finish())
        if not self._is_unfinished():
            self._close()
            self._place_notes()

    def _is_unfinished(self) -> bool:
        """Whether the open paragraph ends in the middle of a sentence."""
        if self._text is None or not self._lines or self._items:
            return False
        return not self._lines[-1].text.rstrip("\"'”’)").endswith(_ENDINGS)

    def _place_notes(self) -> None:
        self.blocks.extend(self._notes)
        self._notes = []

    def _add(self, flow: Flow) -> None:
        tables = {start: (end, grid) for start, end, grid in grids(flow, self.usual.leading * self.usual.body_size)}
        right = self.usual.right(flow)
        if self._flow is not None and flow.page == self._flow.page and flow.x0 >= self._flow.x1:
            self._items.move(flow.x0 - self._flow.x0)
        self._flow = flow
        marks = [mark for line in flow.lines if (mark := marker(line))]
        self._sequences = {(mark.letters, mark.value) for mark in marks if mark.ordered}
        self._dashes = Counter(round(mark.x0) for mark in marks if mark.weak and not mark.ordered)
        index = 0
        while index < len(flow.lines):
            line = flow.lines[index]
            count, level = self.headings.at(line)
            if count:
                self._heading(flow.lines[index : index + count], level)
                index += count
            elif index in tables:
                end, grid = tables[index]
                self._table(grid)
                index = end
            else:
                self._line(flow, index, right)
                index += 1

    def finish(self) -> list[Block]:
        """All blocks."""
        self._close()
        self._place_notes()
        return self.blocks

    # ------------------------------------------------------------ blocks

    def _heading(self, lines: Sequence[Line], level: int) -> None:
        self._close()
        text = Text()
        for line in lines:
            self._append(text, line)
        if words := self.inline.line(text, strong=False):
            self.blocks.append(Heading(level, anchor_mark(lines[0].page) + words))

    def _table(self, grid: Grid) -> None:
        self._close(keep_grid=True)
        rows = [
            [self._cell(cell, grid.page, strong=index >= grid.header) for cell in row]
            for index, row in enumerate(grid.rows)
        ]
        before = self._grid[1].rows if self._grid else []
        has_same_head = bool(before and rows) and rows[0] == [without_anchors(cell) for cell in before[0]]
        if self._grid and continues(self._grid[0], grid, has_same_head=has_same_head):
            rows = rows[1:] if has_same_head else rows
            mark_page(rows, grid.page)
            if rows and grid.page != self._grid[0].page and joined_row(before[-1], rows[0]):
                rows = rows[1:]
            before.extend(rows)
            self._grid = (grid, self._grid[1])
            return
        table = Table(rows, header=grid.header > 0)
        self._grid = (grid, table)
        self.blocks.append(table)
        mark_page(rows, grid.page)

    def _cell(self, cell: Cell, page: int, *, strong: bool) -> str:
        text = Text()
        for segment in cell:
            self.inline.add(text, segment.runs, page)
        return self.inline.line(text, strong=strong) if text.runs else ""

    def _line(self, flow: Flow, index: int, right: float) -> None:
        line = flow.lines[index]
        above = self._above(flow, index)
        if line.mono:
            if not self._code:
                self._close()
            self._code.append(line)
            return
        if self._code:
            self._close()
        mark = marker(line)
        if mark and self._starts_item(mark, line, above):
            self._item(mark, line)
        elif self._text is not None and (how := self._goes_on(line, above)):
            self._append(self._text, line, hard=how == "break")
        else:
            self._paragraph(line)
        self._lines.append(line)
        self._right = right

    def _above(self, flow: Flow, index: int) -> Line | None:
        """The line before in the open text; None at the beginning of a flow."""
        return flow.lines[index - 1] if index and self._lines and self._lines[-1] is flow.lines[index - 1] else None

    def _append(self, text: Text, line: Line, *, hard: bool = False) -> None:
        for place, segment in enumerate(line.segments):
            self.inline.add(text, segment.runs, line.page, hard=hard and place == 0)

    # ------------------------------------------------------------ paragraphs

    def _goes_on(self, line: Line, above: Line | None) -> str:
        """``join`` or ``break`` where the line belongs to the open text, else empty."""
        last = self._lines[-1]
        if line.rotated != last.rotated or abs(line.size - last.size) > 0.12 * max(line.size, last.size):
            return ""
        if above is not None and _DIVIDED.search(last.text) and line.text[:1].islower():
            return "join"
        left = self._left()
        full = last.x1 + _SPACE * line.size + line.segments[0].lead_width > self._right - 0.5 * line.size
        if above is None:
            ended = last.text.rstrip("\"'”’)").endswith(_ENDINGS)
            if self._items:
                return "join" if full and not ended else ""
            return "join" if full and (not ended or line.text[:1].islower()) else ""
        step = (above.base - line.base) / max(min(line.size, above.size), 1.0)
        if step > _NEW_PARAGRAPH * self.usual.leading or step < -0.5:
            return ""
        if line.x0 > left + INDENT * line.size and not self._is_hanging(line):
            return ""
        if self._items.are_left_by(line.x0, line.size):
            return ""
        if line.bold != above.bold and not full:
            return "break" if step <= 1.1 * self.usual.leading else ""
        return "join" if full else "break"

    def _left(self) -> float:
        if self._items:
            return self._items.mark.body_x0
        page = self._lines[-1].page
        lefts = [line.x0 for line in self._lines if line.page == page]
        return min(lefts)

    def _is_hanging(self, line: Line) -> bool:
        """Whether the open paragraph hangs: its first line starts further left than all others."""
        rest = self._lines[1:]
        return bool(self._lines) and (not rest or abs(rest[-1].x0 - line.x0) < 1.5) and len(self._lines) >= 2

    def _paragraph(self, line: Line) -> None:
        inside = self._item_of(line)
        self._close_text()
        if not inside:
            self._items.close()
        self._text = Text()
        self._append(self._text, line)

    def _item_of(self, line: Line) -> bool:
        """Leaves the items open that the line is indented under; whether there is one."""
        if self._items.are_left_by(line.x0, line.size):
            self._close_text()
            self._items.leave(line.x0, line.size)
        return bool(self._items) and line.page == self._lines[-1].page if self._lines else bool(self._items)

    # ------------------------------------------------------------ lists

    def _starts_item(self, mark: Marker, line: Line, above: Line | None) -> bool:
        if self._items.are_followed_by(mark):
            return True
        begins = (
            above is None
            or not self._lines
            or (above.base - line.base) > _NEW_PARAGRAPH * self.usual.leading * line.size
        )
        short = bool(self._lines) and self._lines[-1].x1 < self._right - 4 * line.size
        if mark.weak:
            left = self._left() if self._lines and self._text else line.x0
            indented = mark.x0 > left + INDENT * line.size
            if mark.ordered:
                # A letter begins a list only where the next one follows: it may be an initial, or a section's number.
                return mark.value == 1 and (mark.letters, 2) in self._sequences and (begins or indented)
            return (
                indented
                or begins
                or (self._items.hold(mark, line.size) and (short or self._dashes[round(mark.x0)] > 1))
            )
        if mark.ordered:
            return begins or short or mark.x0 > (self._left() if self._lines and self._text else 0) + INDENT * line.size
        return True

    def _item(self, mark: Marker, line: Line) -> None:
        self._close_text()
        self._items.open(mark, line.size)
        self._text = Text()
        self._append(self._text, line)
        self._text.cut_beginning(len(mark.text))

    # ------------------------------------------------------------ closing

    def _close_text(self) -> None:
        if self._text is not None and self._text.runs:
            page = self._lines[0].page if self._lines else self._text.page
            paragraphs = self.inline.paragraphs(self._text)
            made: list[Block] = [Paragraph(text) for text in paragraphs]
            if made and isinstance(made[0], Paragraph):
                made[0].text = anchor_mark(page) + made[0].text
            self._items.blocks.extend(made)
            if not self._items:
                self._place_notes()
        self._text = None
        self._lines = []

    def _close(self, *, keep_grid: bool = False) -> None:
        had_text = self._text is not None or self._code
        self._close_text()
        self._items.close()
        if self._code:
            text = code_text(self._code, self.usual.leading)
            self.blocks.append(Code(anchor_mark(self._code[0].page) + text))
            self._code = []
        if not keep_grid or had_text:
            self._grid = None
