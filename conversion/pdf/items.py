"""The list items that are open while lines become blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conversion.html.blocks import Item, ListBlock

if TYPE_CHECKING:
    from conversion.html.blocks import Block
    from conversion.pdf.markers import Marker

INDENT = 0.7
"""In sizes of type: what starts so much further right starts a paragraph or a deeper list."""
_SAME_PLACE = 6
"""Points between marks of one list."""


@dataclass(slots=True)
class _OpenItem:
    mark: Marker
    item: Item
    block: ListBlock


class OpenItems:
    """Items within items, the outermost first; blocks go into the innermost, or to the top where none is open."""

    def __init__(self, top: list[Block]) -> None:
        self._top = top
        self._items: list[_OpenItem] = []

    def __bool__(self) -> bool:
        return bool(self._items)

    @property
    def mark(self) -> Marker:
        """That of the innermost item; at least one is open."""
        return self._items[-1].mark

    @property
    def blocks(self) -> list[Block]:
        """Where the next block goes."""
        return self._items[-1].item.blocks if self._items else self._top

    def close(self) -> None:
        """None is open."""
        self._items.clear()

    def are_left_by(self, x0: float, size: float) -> bool:
        """Whether text of the size that starts at ``x0`` stands outside of the innermost item."""
        return bool(self._items) and x0 < self.mark.body_x0 - INDENT * size

    def leave(self, x0: float, size: float) -> None:
        """The items are closed that such text stands outside of."""
        while self.are_left_by(x0, size):
            self._items.pop()

    def are_followed_by(self, mark: Marker) -> bool:
        """Whether the mark is the next one of a list that is open."""
        return any(
            abs(mark.x0 - known.mark.x0) < _SAME_PLACE
            and known.mark.ordered == mark.ordered
            and (not mark.ordered or mark.value == known.mark.value + 1)
            for known in self._items
        )

    def hold(self, mark: Marker, size: float) -> bool:
        """Whether the mark stands further right than that of the innermost item."""
        return bool(self._items) and mark.x0 > self.mark.x0 + INDENT * size

    def open(self, mark: Marker, size: float) -> None:
        """An item is open, in the list that its mark belongs to or in a new one."""
        while self._items and mark.x0 < self.mark.x0 - INDENT * size:
            self._items.pop()
        last = self._items[-1] if self._items else None
        if last is None or self.hold(mark, size):
            block = self._new_list(mark)
        else:
            if last.block.ordered == mark.ordered:
                block = last.block
            else:
                self._items.pop()
                block = self._new_list(mark)
            if self._items:
                self._items.pop()
        item = Item([], number=mark.value, box=mark.box)
        block.items.append(item)
        self._items.append(_OpenItem(mark, item, block))

    def move(self, distance: float) -> None:
        """All go on in the next column, as far to the right as that stands."""
        for opened in self._items:
            mark = opened.mark
            opened.mark = replace(mark, x0=mark.x0 + distance, body_x0=mark.body_x0 + distance)

    def _new_list(self, mark: Marker) -> ListBlock:
        block = ListBlock(mark.ordered, [])
        self.blocks.append(block)
        return block
