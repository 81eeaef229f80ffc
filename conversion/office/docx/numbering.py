"""Numbering: which number or mark stands in front of a paragraph (ECMA-376-1, 17.9)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversion.office.docx.names import W, attribute, flag, value, whole
from conversion.office.flow import Mark

if TYPE_CHECKING:
    from lxml import etree

    from conversion.office.docx.styles import Styles

_PLACEHOLDER = re.compile(r"%([1-9])")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_LARGEST = 999_999_999
_LEVELS = 9


@dataclass(frozen=True, slots=True)
class Level:
    """One of the nine levels of a list."""

    format: str
    text: str
    """With ``%1`` to ``%9`` for the numbers of the levels."""
    start: int
    restart: int | None
    """The level, from 1, after which it starts anew; None for any higher one, 0 for never."""
    indent: int | None
    legal: bool
    """Whether all numbers are written in digits."""


class Numbering:
    """The lists of a document with their counters; to be asked once for each paragraph, in order."""

    def __init__(self, root: etree._Element | None, styles: Styles) -> None:
        self._styles = styles
        self._abstract: dict[str, etree._Element] = {}
        self._lists: dict[str, etree._Element] = {}
        self._counters: dict[str, list[int | None]] = {}
        self._started: set[tuple[str, int]] = set()
        self._levels: dict[tuple[str, int], Level | None] = {}
        if root is not None:
            self._abstract = {e.get(W + "abstractNumId", ""): e for e in root.iter(W + "abstractNum")}
            self._lists = {e.get(W + "numId", ""): e for e in root.iter(W + "num")}
        self._style_levels = self._levels_of_styles()

    def mark(self, properties: etree._Element | None, style: str | None) -> Mark | None:
        """The mark of the next paragraph; None for one without numbering. Counts it."""
        list_id, depth = self._place(properties, style)
        level = self._level(list_id, depth)
        if level is None:
            return None
        number = self._count(list_id, depth, level)
        if level.format == "bullet":
            blank = not level.text.strip()
            return Mark(list_id, depth, False, number, "", blank, level.indent)
        text = self._label(list_id, level) if level.format != "none" else _PLACEHOLDER.sub("", level.text)
        ordered = level.format != "none" and _is_plain(level.text, depth)
        return Mark(list_id, depth, ordered, number, text.strip(), not text.strip(), level.indent)

    def _place(self, properties: etree._Element | None, style: str | None) -> tuple[str, int]:
        own = properties.find(W + "numPr") if properties is not None else None
        inherited = self._styles.numbering(style)
        list_id = value(own, "numId") or value(inherited, "numId") or ""
        depth = whole(value(own, "ilvl"))
        if depth is None and own is None and style is not None:
            depth = self._style_levels.get((self._abstract_id(list_id), style))
        if depth is None:
            depth = whole(value(inherited, "ilvl"))
        return list_id, min(max(depth or 0, 0), _LEVELS - 1)

    def _levels_of_styles(self) -> dict[tuple[str, str], int]:
        """Which level of which list a paragraph style stands for (17.9.23)."""
        return {
            (identifier, style): attribute(level, "ilvl") or 0
            for identifier, abstract in self._abstract.items()
            for level in abstract.iter(W + "lvl")
            if (style := value(level, "pStyle"))
        }

    def _abstract_id(self, list_id: str) -> str:
        identifier = value(self._lists.get(list_id), "abstractNumId") or ""
        linked = value(self._abstract.get(identifier), "numStyleLink")
        if linked:
            for style in self._styles.chain("numbering", linked):
                number = value(style.element.find(f"{W}pPr/{W}numPr"), "numId")
                if number and number != list_id:
                    return value(self._lists.get(number), "abstractNumId") or identifier
        return identifier

    def _level(self, list_id: str, depth: int) -> Level | None:
        if list_id in ("", "0"):
            return None
        key = list_id, depth
        if key not in self._levels:
            self._levels[key] = self._read_level(list_id, depth)
        return self._levels[key]

    def _read_level(self, list_id: str, depth: int) -> Level | None:
        abstract = self._abstract.get(self._abstract_id(list_id))
        if abstract is None:
            return None
        override = self._override(list_id, depth)
        own = override.find(W + "lvl") if override is not None else None
        element = own if own is not None else _child_level(abstract, depth)
        if element is None:
            return None
        start = whole(value(element, "start"))
        indent = element.find(f"{W}pPr/{W}ind")
        return Level(
            value(element, "numFmt") or "decimal",
            value(element, "lvlText") or "",
            1 if start is None else start,
            whole(value(element, "lvlRestart")),
            attribute(indent, "start", "left"),
            bool(flag(element, "isLgl")),
        )

    def _override(self, list_id: str, depth: int) -> etree._Element | None:
        return _child_level(self._lists.get(list_id), depth, "lvlOverride")

    def _count(self, list_id: str, depth: int, level: Level) -> int:
        # Lists of one abstract definition share their counters: that is how numbering goes on after a break.
        counters = self._counters.setdefault(self._abstract_id(list_id), [None] * _LEVELS)
        start = whole(value(self._override(list_id, depth), "startOverride"))
        if start is not None and (list_id, depth) not in self._started:
            counters[depth] = start
        else:
            before = counters[depth]
            counters[depth] = level.start if before is None else min(before + 1, _LARGEST)
        self._started.add((list_id, depth))
        for deeper in range(depth + 1, _LEVELS):
            below = self._level(list_id, deeper)
            restart = None if below is None else below.restart
            if restart is None or 0 < depth + 1 <= restart:
                counters[deeper] = None
        for higher in range(depth):
            if counters[higher] is None:
                above = self._level(list_id, higher)
                counters[higher] = 1 if above is None else above.start
        return counters[depth] or 0

    def _label(self, list_id: str, level: Level) -> str:
        counters = self._counters[self._abstract_id(list_id)]

        def number(placeholder: re.Match[str]) -> str:
            depth = int(placeholder.group(1)) - 1
            other = self._level(list_id, depth)
            style = "decimal" if level.legal or other is None else other.format
            return written_number(counters[depth] or 0, style)

        return _PLACEHOLDER.sub(number, level.text)


def _child_level(parent: etree._Element | None, depth: int, tag: str = "lvl") -> etree._Element | None:
    children = parent.iterchildren(W + tag) if parent is not None else ()
    return next((child for child in children if (attribute(child, "ilvl") or 0) == depth), None)


def _is_plain(text: str, depth: int) -> bool:
    """Whether a label is nothing but the number of its own level, with a point or brackets."""
    return re.fullmatch(rf"\W*%{depth + 1}\W*", text) is not None


def written_number(number: int, style: str) -> str:
    """The number as a list format writes it (17.18.59); in digits where the format is not known."""
    if style in ("lowerLetter", "upperLetter") and number > 0:
        # After z come aa, bb: the letter is repeated (17.18.59).
        text = chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 10)
    elif style in ("lowerRoman", "upperRoman") and 0 < number < 4000:
        text = ""
        for size, letters in _ROMAN:
            text += letters * (number // size)
            number %= size
    elif style == "decimalZero":
        return f"{number:02d}"
    elif style == "ordinal":
        tail = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 not in (11, 12, 13) else 0, "th")
        return f"{number}{tail}"
    else:
        return str(number)
    return text.upper() if style.startswith("upper") else text
