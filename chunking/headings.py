"""The headings above each unit, and the three levels that every group carries.

Depth is a heading's place in the stack of headings above it, not its number: an h4 directly under an h1 is at depth 2.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from wrac.records import UnitKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wrac.records import Unit, UnitTree

_ATX = re.compile(r"\s{0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$", re.DOTALL)
_SETEXT = re.compile(r"\n[ \t]{0,3}(?:=+|-+)[ \t]*$")

LEADING_KINDS = frozenset({UnitKind.HEADING, UnitKind.BREAK})
"""Kinds that structure a text without saying anything by themselves."""

Path = tuple[int, ...]
"""Indices of the headings above a unit, outermost first; a heading's own path ends with itself."""


class Levels(NamedTuple):
    """Ids of the headings at the three levels; None where the page title stands."""

    level1: str | None
    level2: str | None
    parent: str | None


class Outline:
    """Where every unit of a tree stands."""

    def __init__(self, tree: UnitTree) -> None:
        self.tree = tree
        self.units: tuple[Unit, ...] = tree.units
        self.position = {unit.id: index for index, unit in enumerate(tree.units)}
        self.paths: tuple[Path, ...] = _paths(tree.units)
        says_something = any(unit.kind not in LEADING_KINDS for unit in tree.units)
        self._leading = LEADING_KINDS if says_something else frozenset()

    def is_content(self, index: int) -> bool:
        """Whether the unit says something: neither a heading nor a thematic break, unless there is nothing else."""
        return self.units[index].kind not in self._leading

    def path_of(self, indices: Iterable[int]) -> Path:
        """The headings that all content among ``indices`` stands under; without content, those above the last unit."""
        shared: Path | None = None
        last: Path = ()
        for index in indices:
            last = self.paths[index]
            if self.units[index].kind not in self._leading and last is not shared:
                shared = last if shared is None else common_path((shared, last))
        return last if shared is None else shared

    def levels(self, path: Path) -> Levels:
        """The three levels of a path, missing ones filled with the nearest heading above.

        The page title stands at level 1 (None) where the outermost heading is no h1 and the document has a title.
        """
        if not path:
            return Levels(None, None, None)
        ids = [self.units[i].id for i in path]
        if self.titled(path):
            return Levels(None, ids[0], ids[-1])
        return Levels(ids[0], ids[1] if len(ids) > 1 else ids[0], ids[-1])

    def titled(self, path: Path) -> bool:
        """Whether the page title, not a heading, is level 1 above this path."""
        title = _folded(self.tree.document.title)
        if not path:
            return bool(title)
        top = self.units[path[0]]
        return bool(title) and top.level > 1 and _folded(heading_text(self.tree.text_of(top))) != title


def common_path(paths: Sequence[Path]) -> Path:
    """The longest beginning that all paths share."""
    if not paths:
        return ()
    low, high = min(paths), max(paths)
    if low == high:
        return low
    length = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high)))
    return low[:length]


def heading_text(source: str) -> str:
    """A heading's own text: source without its ``#`` marks or underline."""
    match = _ATX.match(source)
    return match[1] if match else _SETEXT.sub("", source).strip()


def _paths(units: Sequence[Unit]) -> tuple[Path, ...]:
    path: Path = ()
    paths = []
    for index, unit in enumerate(units):
        if unit.is_heading:
            while path and units[path[-1]].level >= unit.level:
                path = path[:-1]
            path = (*path, index)
        paths.append(path)
    return tuple(paths)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
