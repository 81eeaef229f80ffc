"""What one conversion remembers while it walks a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversion.html.links import Links
from conversion.html.marks import OPAQUE_CLOSE, OPAQUE_OPEN, anchor_mark

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MAX_DEPTH = 40
"""Lists, quotes and tables inside one another; deeper ones are read as plain blocks, so that nothing is lost."""
MAX_INLINE_DEPTH = 80
"""Inline elements inside one another; deeper ones keep their text only."""


class State:
    """Mutable, made for one page and thrown away with it."""

    __slots__ = (
        "_by_id",
        "around_blocks",
        "depth",
        "fragments",
        "in_admonition",
        "in_link",
        "inline_depth",
        "labels",
        "links",
        "notes",
        "opaque",
        "pending",
        "plain",
        "root",
        "styles",
        "unread",
    )

    def __init__(self, root: HtmlElement, page_url: str, base_url: str) -> None:
        self.root = root
        self.links = Links(page_url, base_url)
        self.opaque: list[str] = []
        """Finished pieces that no escape may touch: link targets, images, formulas, and
        the text of code spans after a ``CODE_MARK``."""
        self.fragments: list[str] = []
        self.pending = ""
        """Id of the section that was entered, or of an empty anchor, since the last text."""
        self.labels: dict[HtmlElement, str] = {}
        """Panels of tabs and the names of their tabs."""
        self.notes: dict[HtmlElement, str] = {}
        """Elements that footnote references lead to, and their labels."""
        self.unread: set[HtmlElement] = set()
        """Elements that say nothing where they stand, e.g. a note's way back to its reference."""
        self.around_blocks: set[HtmlElement] = set()
        """Inline elements that were found to hold blocks."""
        self.depth = 0
        self.inline_depth = 0
        self.in_admonition = False
        self.in_link = False
        self.plain = False
        """Inside a heading or label: no emphasis, links or images."""
        self.styles = ""
        """Emphasis marks that are open, so that none is opened twice."""
        self._by_id: dict[str, HtmlElement] | None = None

    def keep(self, piece: str) -> str:
        """A mark for a piece that must come out exactly as it is."""
        self.opaque.append(piece)
        return f"{OPAQUE_OPEN}{len(self.opaque) - 1}{OPAQUE_CLOSE}"

    def anchor(self, fragment: str) -> str:
        """A mark where the fragment points to; empty for an empty fragment."""
        if not fragment:
            return ""
        self.fragments.append(fragment)
        return anchor_mark(len(self.fragments) - 1)

    def by_id(self, identifier: str) -> HtmlElement | None:
        """The element of the content with this id (or ``<a name>``)."""
        if self._by_id is None:
            self._by_id = {}
            for element in self.root.iter():
                if isinstance(element.tag, str) and (name := element.get("id") or element.get("name")):
                    self._by_id.setdefault(name, element)
        return self._by_id.get(identifier)
