"""Marks of list items: bullets, and numbers with their place in a sequence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conversion.pdf.records import Line

_BULLETS = "•‣⁃◦▪▫■□●○◆◇►▶▸➢➤✓✔❖∙·∗⁎⋆★☐☑☒\uf0b7\uf0a7\uf0d8\uf0fc\uf076\uf02d"
DASHES = "-–—*o"
"""Bullets only where an indent says so: they begin lines of prose as well."""
_NUMBER = re.compile(r"\(?(?P<value>\d{1,3}|[a-z]|[ivx]{1,5})(?P<stop>[.)])(?P<rest>.*)", re.IGNORECASE)
_BOXES = {"☐": "[ ] ", "☑": "[x] ", "☒": "[x] "}
_ROMAN = {"i": 1, "v": 5, "x": 10}


@dataclass(frozen=True, slots=True)
class Marker:
    """The mark that begins a line."""

    text: str
    """As it stands."""
    ordered: bool
    value: int
    """Number of an ordered item."""
    letters: str
    """``digit``, ``letter``, ``roman``; empty for a bullet."""
    weak: bool
    """A dash, or a letter: a list only where the layout says so too."""
    box: str
    x0: float
    body_x0: float
    """Where the item's text starts."""


def marker(line: Line) -> Marker | None:
    """The mark at the line's beginning, or None where it begins with text."""
    first = line.segments[0]
    lead = first.lead
    alone = lead == first.text
    body = line.segments[1].x0 if alone and len(line.segments) > 1 else first.body_x0
    if alone and len(line.segments) == 1:
        return None
    if len(lead) == 1 and (lead in _BULLETS or lead in DASHES):
        return Marker(lead, False, 0, "", lead in DASHES, _BOXES.get(lead, ""), first.x0, body)
    if len(lead) > 1 and lead[0] in _BULLETS and lead[0] not in "·∗*":
        return Marker(lead[0], False, 0, "", False, _BOXES.get(lead[0], ""), first.x0, first.x0 + first.size * 0.5)
    found = _NUMBER.fullmatch(lead)
    if not found or found.group("rest"):
        return None
    value, kind = _value(found.group("value"))
    return Marker(lead, True, value, kind, kind != "digit", "", first.x0, body)


def is_bullet(word: str) -> bool:
    """Whether a word is a bullet that begins no line of prose and is no empty cell."""
    return len(word) == 1 and (word in _BULLETS or "\ue000" <= word <= "\uf8ff")


def is_mark(word: str) -> bool:
    """Whether a word is a bullet (symbol fonts have theirs in the private use area) or a number with a stop."""
    if len(word) == 1:
        return word in _BULLETS or word in DASHES or "\ue000" <= word <= "\uf8ff"
    found = _NUMBER.fullmatch(word)
    return found is not None and not found.group("rest")


def _value(text: str) -> tuple[int, str]:
    if text.isdigit():
        return int(text), "digit"
    low = text.lower()
    if len(low) == 1 and low not in "ivx":
        return ord(low) - 96, "letter"
    total = 0
    values = [_ROMAN[c] for c in low]
    for value, following in zip(values, [*values[1:], 0], strict=True):
        total += -value if value < following else value
    return total, "roman"
