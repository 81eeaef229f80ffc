"""Number formats taken apart: sections by sign or condition, each a run of tokens (ECMA-376-1, 18.8.31)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

SYSTEM_DATE, SYSTEM_TIME = "yyyy-mm-dd", "hh:mm:ss"
"""For formats that look different on each machine: ISO 8601."""

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_.|\*.|\[\$(?P<currency>[^\]-]*)(?:-[^\]]*)?\]|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<ampm>AM/PM|A/P)|(?P<exponent>E[+-])|(?P<date>y+|m+|d+|h+|s+)|(?P<subsecond>\.0+(?=[^0#?]|$))"
    r"|(?P<digits>[0#?](?:[0#?,]*[0#?])?)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_SYSTEM_DATE = re.compile(r"\[\$-(?:x-sysdate|F800)[^\]]*\]", re.IGNORECASE)
_SYSTEM_TIME = re.compile(r"\[\$-(?:x-systime|F400)[^\]]*\]", re.IGNORECASE)
_CONDITION = re.compile(r"\[(?P<operator><=|>=|<>|<|>|=)(?P<limit>-?\d+(?:\.\d+)?)\]")
_ELAPSED = re.compile(r"h+|m+|s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a format; ``kind`` is the name of its group in the pattern, or ``literal``."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """What one range of values is shown by."""

    tokens: tuple[Token, ...]
    condition: tuple[str, float] | None
    is_date: bool

    @property
    def is_general(self) -> bool:
        """Whether values stand as in a cell without a format."""
        return not self.tokens or "".join(token.text for token in self.tokens).lower() == "general"


@lru_cache(maxsize=512)
def sections_of(code: str) -> tuple[Section, ...]:
    """The sections of a format, at least one."""
    if _SYSTEM_DATE.search(code):
        code = SYSTEM_DATE
    elif _SYSTEM_TIME.search(code):
        code = SYSTEM_TIME
    return tuple(_parsed(section) for section in _split(code)[:4])


def _split(code: str) -> list[str]:
    parts, start, quoted, index = [], 0, False, 0
    while index < len(code):
        character = code[index]
        if character == '"':
            quoted = not quoted
        elif character == "\\" and not quoted:
            index += 1
        elif character == ";" and not quoted:
            parts.append(code[start:index])
            start = index + 1
        index += 1
    return [*parts, code[start:]]


def _parsed(section: str) -> Section:
    condition = _CONDITION.search(section)
    tokens: list[Token] = []
    is_date = False
    for match in _TOKEN.finditer(_CONDITION.sub("", section)):
        kind, text = match.lastgroup or "", match.group(match.lastgroup) if match.lastgroup else ""
        if kind in ("quoted", "escaped", "currency"):
            tokens.append(Token("literal", text))
        elif kind == "bracket":
            if _ELAPSED.fullmatch(text):
                tokens.append(Token("elapsed", text.lower()))
                is_date = True
        elif kind:
            tokens.append(Token(kind, text.lower() if kind in ("date", "ampm") else text))
            is_date = is_date or kind in ("date", "ampm")
    if "".join(token.text for token in tokens).lower() == "general":
        return Section((), None, is_date=False)
    limit = (condition.group("operator"), float(condition.group("limit"))) if condition else None
    return Section(tuple(tokens), limit, is_date)


def section_for(value: float, sections: tuple[Section, ...]) -> tuple[Section, bool]:
    """The section that the value falls under, and whether a minus sign is still to be written."""
    for section in sections[:2]:
        if section.condition and _holds(value, section.condition):
            return section, value < 0
    if any(section.condition for section in sections):
        return sections[-1], value < 0
    if len(sections) == 1:
        return sections[0], True
    if value < 0:
        return sections[1], False
    if value == 0 and len(sections) > 2:
        return sections[2], False
    return sections[0], False


def _holds(value: float, condition: tuple[str, float]) -> bool:
    operator, limit = condition
    return {
        "<": value < limit,
        ">": value > limit,
        "<=": value <= limit,
        ">=": value >= limit,
        "=": value == limit,
        "<>": value != limit,
    }[operator]
