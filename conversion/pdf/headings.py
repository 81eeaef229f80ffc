"""Which lines are headings, and of which level: by the outline, else by size, weight and space.

Where the document has an outline, styles that its titles have give other lines of that style the same level.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from conversion.pdf.markers import marker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.outline import Outline
    from conversion.pdf.records import Flow, Line
    from conversion.pdf.typography import Typography

_MAX_LINES = 4
_MAX_LENGTH = 240
_LEVELS = 6
_TITLES = 2
"""Lines larger than all that the outline names, which are the document's title."""
_SENTENCE_END = re.compile(r"[.;,!?]['\"’”)]*$")
_SECTION = re.compile(r"(?:\d{1,2}|[A-Z])(?:\.\d{1,3})*\.?$")
_CAPTION = re.compile(r"(?:figure|fig\.|table|abbildung|tabelle|listing)\s*\d", re.IGNORECASE)

StyleKey = tuple[float, bool]


def style_key(line: Line) -> StyleKey:
    """What headings of one level share."""
    return round(line.size * 2) / 2, line.bold


class Headings:
    """The headings of a document: for each first line, how many lines it has and its level."""

    def __init__(self, flows: Sequence[Flow], typography: Typography, outline: Outline) -> None:
        self._typography = typography
        self._found: dict[int, tuple[int, int]] = {}
        self._styles: defaultdict[StyleKey, Counter[int]] = defaultdict(Counter)
        candidates: list[tuple[Line, int]] = []
        for flow in flows:
            candidates.extend(self._in_flow(flow, outline))
        self._level(candidates)

    def at(self, line: Line) -> tuple[int, int]:
        """(lines, level) of the heading that starts with the line; (0, 0) where none does."""
        return self._found.get(id(line), (0, 0))

    def _in_flow(self, flow: Flow, outline: Outline) -> list[tuple[Line, int]]:
        candidates: list[tuple[Line, int]] = []
        index = 0
        lines = flow.lines
        while index < len(lines):
            line = lines[index]
            count, level = outline.match(lines, index)
            if count:
                self._found[id(line)] = (count, min(level, _LEVELS))
                if self._typography.stands_out(line):
                    self._styles[style_key(line)][min(level, _LEVELS)] += 1
            elif count := self._by_style(flow, index):
                candidates.append((line, count))
            index += max(1, count)
        return candidates

    def _by_style(self, flow: Flow, index: int) -> int:
        """Lines of the heading that type and space show at ``index``; 0 where they show none."""
        lines, usual = flow.lines, self._typography
        line = lines[index]
        if line.rotated or line.mono or not usual.stands_out(line) or not any(c.isalpha() for c in line.text):
            return 0
        count = 1
        while index + count < len(lines) and count <= _MAX_LINES:
            above, below = lines[index + count - 1], lines[index + count]
            step = (above.base - below.base) / max(line.size, 1.0)
            if style_key(below) != style_key(line) or step > usual.leading * 1.25 or _numbered(below):
                break
            count += 1
        text = " ".join(part.text for part in lines[index : index + count])
        if (
            count > _MAX_LINES
            or len(text) > _MAX_LENGTH
            or len(line.segments) > 2
            or _CAPTION.match(text)
            or "@" in text
        ):
            return 0
        larger = line.size > 1.07 * usual.body_size
        if not larger and not self._stands_apart(flow, index, count):
            return 0
        if _SENTENCE_END.search(text) and not (larger and count == 1):
            return 0
        mark = marker(line)
        if mark and not mark.ordered:
            return 0
        return count

    def _stands_apart(self, flow: Flow, index: int, count: int) -> bool:
        """Whether more space stands above than between paragraphs, as above headings of the body's size."""
        lines, usual = flow.lines, self._typography
        if index + count >= len(lines):
            return False
        if index == 0:
            return True
        above = (lines[index - 1].base - lines[index].base) / max(usual.body_size, 1.0)
        return above > 1.15 * usual.gap

    def _level(self, candidates: Sequence[tuple[Line, int]]) -> None:
        """Levels of the headings that the outline does not name: those of its titles in the same type, else by rank."""
        known = {key: max(counts, key=lambda level: (counts[level], -level)) for key, counts in self._styles.items()}
        if known and 0 < sum(style_key(line) > max(known) for line, _ in candidates) <= _TITLES:
            # A title above the outline: its entries are one level down.
            known = {key: level + 1 for key, level in known.items()}
            self._found = {line: (count, min(level + 1, _LEVELS)) for line, (count, level) in self._found.items()}
        levels: dict[StyleKey, int] = {}
        last = 0
        for key in sorted({style_key(line) for line, _ in candidates} | set(known), reverse=True):
            levels[key] = min(_LEVELS, known.get(key, last + 1))
            last = max(last, levels[key])
        for line, count in candidates:
            self._found[id(line)] = (count, levels[style_key(line)])


def _numbered(line: Line) -> bool:
    return bool(_SECTION.fullmatch(line.segments[0].lead))
