"""Notes at the foot of a page or column: smaller type below the text, beginning with the mark of a note."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conversion.pdf.records import Flow

_SMALLER = 0.92
"""Of the body's size: type of notes is no larger."""
_CELLS = 2
"""Segments of a note's first line at most: its mark and its text; a row of a table has more."""
_MARK = re.compile(r"(?:\(?\d{1,3}[.)]?|[*†‡§¶]{1,3})(?=\D|$)")


def without_notes(flow: Flow, body_size: float) -> tuple[Flow, Flow | None]:
    """The flow without the notes at its end, and those as a flow of their own; None where there are none."""
    lines = flow.lines
    start = len(lines)
    while start and lines[start - 1].size <= _SMALLER * body_size and not lines[start - 1].rotated:
        start -= 1
    if not len(lines) - start <= start < len(lines) or not _MARK.match(lines[start].text):
        return flow, None
    if len(lines[start].segments) > _CELLS:
        return flow, None
    return replace(flow, lines=lines[:start]), replace(flow, lines=lines[start:])
