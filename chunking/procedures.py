"""Procedures and lead-ins: runs of units that mean nothing apart, found before planning so that nothing parts them.

A procedure is a numbered run with imperative content or a run of "Step N"; a list interrupted by code or figures is
joined again by its numbers. Numbering alone makes no procedure: references, contents and rankings are numbered too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from chunking.headings import LEADING_KINDS
from chunking.imperatives import is_imperative, step_number
from wrac.records import Fusion, FusionKind, Unit, UnitKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from chunking.limits import WindowLimits

_NUMBERED = re.compile(r"^( {0,3})([0-9]{1,9})[.)][ \t]+(\S.*)$", re.MULTILINE)
_NUMBERED_HEADING = re.compile(r"#*\s*(?:\*\*|__)?([0-9]{1,3})[.):][ \t]*(.*)")
_LINK_ONLY = re.compile(r"\W*!?\[[^\]]*\]\([^)]*\)\W*$")
_CITATION = re.compile(r"\bdoi\b|\bIS[BS]N\b|\bet al\b|\bpp?\.\s?\d|\barXiv\b|\((?:1[89]|20)\d\d\)", re.IGNORECASE)
_LED = frozenset({UnitKind.LIST, UnitKind.ITEM, UnitKind.TABLE, UnitKind.CODE, UnitKind.FIGURE, UnitKind.QUOTE})
_LEADS = frozenset({UnitKind.PARAGRAPH, UnitKind.ITEM})
_NUMBERS = frozenset({UnitKind.LIST, UnitKind.ITEM})
_LEAD_IN = re.compile(r"[:：][*_]*$")
_MAX_INTERRUPTION = 6
"""Units between two parts of one list at most."""


class _Run(NamedTuple):
    kind: FusionKind
    first: int
    end: int


class _Step(NamedTuple):
    number: int
    text: str
    place: int = 0
    """Index of the heading that counts it."""


def is_procedure_list(text: str) -> bool:
    """Whether the text of one list is a numbered run of steps."""
    steps = _steps(text)
    return len(steps) > 1 and _are_steps(steps)


def find_fusions(text: str, units: Sequence[Unit], limits: WindowLimits) -> tuple[Fusion, ...]:
    """Procedures and lead-ins in reading order; they never share a unit.

    Steps under headings of their own are one procedure, headings included, as long as they fit into
    ``limits.maximum`` tokens: beyond that each step is a section of its own.
    """
    runs = [
        *_numbered_runs(text, units),
        *_step_runs(text, units),
        *_heading_runs(text, units, limits.maximum),
        *_lead_ins(text, units),
    ]
    return tuple(
        Fusion(run.kind, tuple(unit.id for unit in units[run.first : run.end]))
        for run in _disjoint(sorted(runs, key=_place))
    )


def _place(run: _Run) -> tuple[int, int]:
    return run.first, run.end


def _disjoint(runs: Sequence[_Run]) -> list[_Run]:
    merged: list[_Run] = []
    for run in runs:
        if merged and run.first < merged[-1].end:
            last = merged[-1]
            kind = FusionKind.PROCEDURE if FusionKind.PROCEDURE in (last.kind, run.kind) else FusionKind.LEAD_IN
            merged[-1] = _Run(kind, last.first, max(last.end, run.end))
        else:
            merged.append(run)
    return merged


def _steps(text: str) -> list[_Step]:
    matches = list(_NUMBERED.finditer(text))
    return [_Step(int(m[2]), m[3]) for m in matches if m[1] == matches[0][1]]


def _steps_of(text: str, unit: Unit) -> list[_Step]:
    """Numbered items of a list or of an item; most lists show by their first characters that they have none."""
    if unit.kind not in _NUMBERS or not text[unit.start : unit.start + 4].lstrip()[:1].isdigit():
        return []
    return _steps(text[unit.start : unit.end])


class _Tally(NamedTuple):
    """What a run of numbered items holds."""

    items: int = 0
    said: int = 0
    """Items that call themselves a step."""
    cited: int = 0
    """Bare links and citations."""
    commands: int = 0

    def plus(self, other: _Tally) -> _Tally:
        return _Tally(
            self.items + other.items,
            self.said + other.said,
            self.cited + other.cited,
            self.commands + other.commands,
        )

    def are_steps(self) -> bool:
        if self.items < 2:
            return False
        if 2 * self.said > self.items:
            return True
        if 2 * self.cited > self.items:
            return False
        return 5 * self.commands >= 3 * self.items if self.items > 2 else self.commands == self.items


def _tally(steps: Sequence[_Step]) -> _Tally:
    texts = [step.text for step in steps]
    return _Tally(
        len(texts),
        sum(step_number(text) is not None for text in texts),
        sum(bool(_LINK_ONLY.match(text) or _CITATION.search(text)) for text in texts),
        sum(map(is_imperative, texts)),
    )


def _are_steps(steps: Sequence[_Step]) -> bool:
    return _tally(steps).are_steps()


class _Part(NamedTuple):
    """One list, or one item, of a list that other units interrupt."""

    place: int
    """Index of its unit."""
    steps: list[_Step]
    coded: bool
    """Whether code stands between this part and the next."""


def _numbered_runs(text: str, units: Sequence[Unit]) -> Iterator[_Run]:
    """Numbered lists that are procedures, parts of one list joined by number."""
    index = 0
    while index < len(units):
        parts = _parts_from(text, units, index)
        yield from _runs_of(parts)
        index = parts[-1].place + 1 if parts else index + 1


def _parts_from(text: str, units: Sequence[Unit], index: int) -> list[_Part]:
    """The parts of one list of which the first is at ``index``; none where no numbered list is."""
    parts: list[_Part] = []
    found: tuple[int, list[_Step]] | None = (index, _steps_of(text, units[index]))
    while found is not None and found[1]:
        index, steps = found
        found = _next_part(text, units, index + 1, steps[-1].number + 1)
        between = units[index + 1 : found[0]] if found is not None else ()
        parts.append(_Part(index, steps, any(unit.kind is UnitKind.CODE for unit in between)))
    return parts


def _runs_of(parts: Sequence[_Part]) -> list[_Run]:
    """All parts from the first one that makes them a procedure, and parts before it that are one by themselves.

    Judged from the end, so that a long list is counted once and not once for each of its items.
    """
    runs: list[_Run] = []
    rest, coded = _Tally(), False
    for part in reversed(parts):
        own = _tally(part.steps)
        rest, coded = rest.plus(own), coded or part.coded
        if rest.items > 1 and (coded or rest.are_steps()):
            runs = [_Run(FusionKind.PROCEDURE, part.place, parts[-1].place + 1)]
        elif own.are_steps():
            runs.insert(0, _Run(FusionKind.PROCEDURE, part.place, part.place + 1))
    return runs


def _next_part(text: str, units: Sequence[Unit], start: int, number: int) -> tuple[int, list[_Step]] | None:
    """The unit that goes on counting with ``number``, and its steps; nothing beyond a heading."""
    for index in range(start, min(start + _MAX_INTERRUPTION + 1, len(units))):
        unit = units[index]
        if unit.is_heading:
            return None
        if steps := _steps_of(text, unit):
            return (index, steps) if steps[0].number == number else None
    return None


def _step_runs(text: str, units: Sequence[Unit]) -> Iterator[_Run]:
    """Paragraphs that open with "Step N", counting up, with what stands between them."""
    first = last = number = -1
    for index, unit in enumerate(units):
        if unit.kind is UnitKind.PARAGRAPH:
            found = step_number(text[unit.start : unit.start + 80])
            if found is not None and first >= 0 and found == number + 1:
                last, number = index, found
                continue
            if found is not None:
                if last > first >= 0:
                    yield _Run(FusionKind.PROCEDURE, first, _end_of_step(text, units, last))
                first, last, number = index, index, found
                continue
        if unit.is_heading:
            if last > first >= 0:
                yield _Run(FusionKind.PROCEDURE, first, _end_of_step(text, units, last))
            first = last = -1
    if last > first >= 0:
        yield _Run(FusionKind.PROCEDURE, first, _end_of_step(text, units, last))


def _end_of_step(text: str, units: Sequence[Unit], index: int) -> int:
    """The unit after the last step: a bare label takes the unit that says what to do, and any step its list or code."""
    label = text[units[index].start : units[index].end]
    end = index + 1
    if end < len(units) and not units[end].is_heading:
        bare = len(label.split()) <= 8 and "\n" not in label
        if bare or units[end].kind in _LED:
            end += 1
    return end


def _heading_runs(text: str, units: Sequence[Unit], cap: int) -> Iterator[_Run]:
    """Sibling headings that count steps, each with its whole section; headings alone are no procedure."""
    open_runs: dict[str | None, list[_Step]] = {}
    found: list[list[_Step]] = []
    for index, unit in enumerate(units):
        if not unit.is_heading:
            continue
        step = _heading_step(text[unit.start : unit.end], index)
        run = open_runs.get(unit.parent, [])
        if step and run and step.number == run[-1].number + 1 and units[run[0].place].level == unit.level:
            run.append(step)
        elif step and step.number <= 1:
            run = open_runs[unit.parent] = [step]
            found.append(run)
        else:
            open_runs.pop(unit.parent, None)
    for run in found:
        end = _end_of_section(units, run[-1].place)
        held = units[run[0].place : end]
        says_something = any(unit.kind not in LEADING_KINDS for unit in held)
        if len(run) > 1 and says_something and _are_steps(run) and sum(unit.tokens for unit in held) <= cap:
            yield _Run(FusionKind.PROCEDURE, run[0].place, end)


def _heading_step(line: str, index: int) -> _Step | None:
    if (number := step_number(line)) is not None:
        return _Step(number, line, index)
    match = _NUMBERED_HEADING.match(line)
    return _Step(int(match[1]), match[2], index) if match else None


def _end_of_section(units: Sequence[Unit], heading: int) -> int:
    level = units[heading].level
    return next((i for i in range(heading + 1, len(units)) if 0 < units[i].level <= level), len(units))


def _lead_ins(text: str, units: Sequence[Unit]) -> Iterator[_Run]:
    for index in range(len(units) - 1):
        unit = units[index]
        if unit.kind in _LEADS and units[index + 1].kind in _LED and _LEAD_IN.search(text[unit.end - 4 : unit.end]):
            yield _Run(FusionKind.LEAD_IN, index, index + 2)
