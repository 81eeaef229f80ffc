"""Which lines are headings, and of which level: by the outline, else by size, weight and space.

Where the document has an outline, styles that its titles have give other lines of that style the same level.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from conversion.pdf.grids import ruled_grids
from conversion.pdf.lines import line as line_of
from conversion.pdf.markers import marker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.outline import Outline
    from conversion.pdf.records import Flow, Line
    from conversion.pdf.typography import Typography

_MAX_LINES = 4
_MAX_LENGTH = 240
_LEVELS = 6
_COVERED = 2
"""Titles of one type that show that the outline names headings of that type."""
_LEAST_RUN_IN = 4
_TITLES = 2
"""Lines larger than all that the outline names, which are the document's title."""
_SENTENCE_END = re.compile(r"[.;,!?]['\"’”)]*$")
_LABEL_END = re.compile(r":\s*$")
_SECTION = re.compile(r"(?:\d{1,2}|[A-Z]|[IVX]{1,5})(?:\.\d{1,3})*\.?$")
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
        index, after_heading = 0, -1
        lines = flow.lines
        in_tables = _in_tables(flow)
        while index < len(lines):
            line = lines[index]
            count, level = outline.match(lines, index)
            if count:
                self._found[id(line)] = (count, min(level, _LEVELS))
                if self._typography.stands_out(line):
                    self._styles[style_key(line)][min(level, _LEVELS)] += 1
                after_heading = index + count
            elif index in in_tables:
                count = 1
            elif count := self._by_style(flow, index, below_heading=index == after_heading):
                candidates.append((line, count))
                after_heading = index + count
            elif self._runs_in(flow, index, below_heading=index == after_heading):
                lines[index : index + 1] = _parted(line)
                candidates.append((lines[index], 1))
                count = 1
            index += max(1, count)
        return candidates

    def _by_style(self, flow: Flow, index: int, *, below_heading: bool) -> int:
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
        if count > _MAX_LINES or len(text) > _MAX_LENGTH or _CAPTION.match(text) or "@" in text:
            return 0
        if len(line.segments) > 2 or (len(line.segments) == 2 and line.segments[1].text.isdigit()):
            # A row of a table, or an entry of a table of contents.
            return 0
        larger = line.size > 1.07 * usual.body_size
        if not larger and not self._stands_apart(flow, index, count, below_heading=below_heading):
            return 0
        if _SENTENCE_END.search(text) and not (larger and count == 1):
            return 0
        mark = marker(line)
        if mark and not mark.ordered:
            return 0
        return count

    def _stands_apart(self, flow: Flow, index: int, count: int, *, below_heading: bool) -> bool:
        """Whether more space stands above than between paragraphs, as above headings of the body's size."""
        lines, usual = flow.lines, self._typography
        if index + count >= len(lines):
            return False
        if index == 0:
            return True
        above = _step(lines, index, usual)
        if below_heading:
            return above > 1.25 * usual.leading and _step(lines, index + count, usual) > 1.25 * usual.leading
        # A number of a section says that it is a heading, so that less space is asked of it.
        return above > (1.25 * usual.leading if _numbered(lines[index]) else 1.15 * usual.gap)

    def _runs_in(self, flow: Flow, index: int, *, below_heading: bool) -> bool:
        """Whether the line begins with a heading that its paragraph follows on the same line, after a wide space."""
        line, usual = flow.lines[index], self._typography
        if line.rotated or len(line.segments) < 2 or usual.body_bold or line.mono or index == 0:
            return False
        first = line.segments[0]
        is_bold = all(run.style.bold for run in first.runs) and first.size >= 0.95 * usual.body_size
        if not is_bold or marker(line) or _LABEL_END.search(first.text) or len(first.text) < _LEAST_RUN_IN:
            return False
        follower = flow.lines[index + 1] if index + 1 < len(flow.lines) else None
        if follower is not None and len(follower.segments) > 1:
            return False
        return _step(flow.lines, index, usual) > (1.25 * usual.leading if below_heading else 1.15 * usual.gap)

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
            # What is set like titles of the outline and is none of them is one level below: outlines end somewhere.
            below = sum(self._styles[key].values()) >= _COVERED if key in known else False
            levels[key] = min(_LEVELS, known.get(key, last + 1) + below)
            last = max(last, known.get(key, levels[key]))
        for line, count in candidates:
            self._found[id(line)] = (count, levels[style_key(line)])


def _in_tables(flow: Flow) -> set[int]:
    """Lines of tables that rulings show: those of boxed cells, else those with several cells."""
    return {
        index
        for start, end, grid in ruled_grids(flow)
        for index in range(start, end)
        if grid.boxed or len(flow.lines[index].segments) > 1
    }


def _step(lines: Sequence[Line], index: int, usual: Typography) -> float:
    """Distance of a line's baseline from the one above, in sizes of the body's type."""
    return (lines[index - 1].base - lines[index].base) / max(usual.body_size, 1.0)


def _parted(found: Line) -> list[Line]:
    """A line as its first segment and the rest."""
    return [line_of(found.segments[:1], found.page), line_of(found.segments[1:], found.page)]


def _numbered(line: Line) -> bool:
    return bool(_SECTION.fullmatch(line.segments[0].lead))
