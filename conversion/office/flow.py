"""Paragraphs to nested HTML: which of them form one list, one block of code, one quotation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversion.office.page import add, add_text
from conversion.office.pieces import BREAK, Piece, fill, plain_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement


_SAME_INDENT = 90
"""Twentieths of a point by which indents of one level may differ."""
_DEEPEST_HEADING = 6


@dataclass(frozen=True, slots=True)
class Mark:
    """What stands in front of a list paragraph."""

    list_id: str
    level: int
    """From 0."""
    ordered: bool
    """Whether a plain number says all; else ``text`` is to be written out, or there is a bullet."""
    number: int
    text: str
    """The label as a reader sees it, empty for bullets."""
    blank: bool
    """Nothing is seen: the paragraph goes on with the item before it."""
    indent: int | None


@dataclass(slots=True)
class _OpenList:
    element: HtmlElement
    item: HtmlElement
    list_id: str
    level: int
    indent: int
    number: int


class Flow:
    """Writes the blocks of one container (body, cell, note) into its element."""

    def __init__(self, container: HtmlElement) -> None:
        self.container = container
        self._lists: list[_OpenList] = []
        self._code: HtmlElement | None = None
        self._blank_lines = 0
        self._quote: HtmlElement | None = None

    def blank(self) -> None:
        """An empty paragraph: a blank line where code goes on behind it, else nothing."""
        self._blank_lines += 1

    def heading(self, level: int, pieces: Sequence[Piece], anchor: str) -> None:
        """A heading; those below level 6 are of level 6."""
        self._close()
        element = add(self.container, f"h{min(level, _DEEPEST_HEADING)}")
        if anchor:
            element.set("id", anchor)
        fill(element, pieces)

    def paragraph(self, pieces: Sequence[Piece], indent: int) -> None:
        """A paragraph; part of the open list item where it is indented like its text."""
        parent = self._parent_at(indent)
        self._end_code()
        self._quote = None
        fill(add(parent, "p"), pieces)

    def quotation(self, pieces: Sequence[Piece]) -> None:
        """A paragraph of a quotation; neighbours are one."""
        if self._quote is None:
            self._close()
            self._quote = add(self.container, "blockquote")
        fill(add(self._quote, "p"), pieces)

    def code(self, pieces: Sequence[Piece], indent: int) -> None:
        """Lines of code; neighbours are one block, with the blank lines between them."""
        text = plain_text(pieces)
        parent = self._parent_at(indent)
        self._quote = None
        if self._code is None or self._code.getparent() is not parent:
            self._code = add(parent, "pre")
            add_text(self._code, text)
        else:
            add_text(self._code, BREAK * (self._blank_lines + 1) + text)
        self._blank_lines = 0

    def item(self, mark: Mark, pieces: Sequence[Piece], indent: int) -> None:
        """A list item under the list that it belongs to by its numbering and indent."""
        self._end_code()
        self._quote = None
        lists = self._lists
        while lists and _depth_below(lists[-1], mark, indent) < 0:
            lists.pop()
        if lists and not _depth_below(lists[-1], mark, indent) and not _goes_on(lists[-1], mark):
            lists.pop()
        if not lists or _depth_below(lists[-1], mark, indent):
            element = add(lists[-1].item if lists else self.container, "ol" if mark.ordered else "ul")
            lists.append(_OpenList(element, element, mark.list_id, mark.level, indent, mark.number))
        top = lists[-1]
        top.item, top.list_id, top.level = add(top.element, "li"), mark.list_id, mark.level
        top.indent, top.number = indent, mark.number
        if mark.ordered:
            top.item.set("value", str(mark.number))
        fill(add(top.item, "p"), pieces)

    def go_on(self, mark: Mark, pieces: Sequence[Piece]) -> None:
        """A paragraph of a list without a visible mark: it belongs to the item before it."""
        while len(self._lists) > 1 and self._lists[-1].level > mark.level:
            self._lists.pop()
        self._end_code()
        self._quote = None
        parent = self._lists[-1].item if self._lists else self.container
        fill(add(parent, "p"), pieces)

    def block(self, tag: str) -> HtmlElement:
        """A block of another kind, between whatever was open."""
        self._close()
        return add(self.container, tag)

    def _parent_at(self, indent: int) -> HtmlElement:
        """The item of the deepest open list whose text is indented no further; else the container, lists closed."""
        while self._lists:
            if 0 < self._lists[-1].indent <= indent + _SAME_INDENT:
                return self._lists[-1].item
            self._lists.pop()
        return self.container

    def _end_code(self) -> None:
        self._code = None
        self._blank_lines = 0

    def _close(self) -> None:
        self._lists.clear()
        self._end_code()
        self._quote = None


def _depth_below(above: _OpenList, mark: Mark, indent: int) -> int:
    """Positive where the item is deeper than the list, negative where it is less deep, 0 where it stands beside."""
    if above.list_id == mark.list_id:
        return mark.level - above.level
    distance = indent - above.indent
    return 0 if abs(distance) <= _SAME_INDENT else distance


def _goes_on(above: _OpenList, mark: Mark) -> bool:
    """Whether an item beside the items of a list is its next: programs give one list several names."""
    if (above.element.tag == "ol") != mark.ordered:
        return False
    return not mark.ordered or mark.number == above.number + 1
