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
        tag = "ol" if mark.ordered else "ul"
        parent = self._parent_of_item(mark, indent)
        above = self._lists[-1] if self._lists else None
        if (
            above is not None
            and above.list_id == mark.list_id
            and above.level == mark.level
            and above.element.tag == tag
        ):
            above.item = add(above.element, "li")
            above.indent = indent
        else:
            if above is not None and above.item is not parent:
                self._lists.pop()
            element = add(parent, tag)
            self._lists.append(_OpenList(element, add(element, "li"), mark.list_id, mark.level, indent))
        item = self._lists[-1].item
        if mark.ordered:
            item.set("value", str(mark.number))
        fill(add(item, "p"), pieces)

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

    def _parent_of_item(self, mark: Mark, indent: int) -> HtmlElement:
        """Where the item's list stands; lists that ended are closed."""
        lists = self._lists
        same = next((i for i in reversed(range(len(lists))) if lists[i].list_id == mark.list_id), None)
        if same is not None:
            while lists[-1].list_id != mark.list_id or lists[-1].level > mark.level:
                if len(lists) == 1 and lists[0].list_id == mark.list_id:
                    break
                lists.pop()
                if not any(entry.list_id == mark.list_id for entry in lists):
                    return self._parent_of_item(mark, indent)
            top = lists[-1]
            if top.level < mark.level:
                return top.item
        else:
            while lists and lists[-1].indent > indent + _SAME_INDENT:
                lists.pop()
            if lists and lists[-1].indent < indent - _SAME_INDENT:
                return lists[-1].item
        return lists[-2].item if len(lists) > 1 else self.container

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
