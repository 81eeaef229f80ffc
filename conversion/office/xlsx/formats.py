"""Numbers as a sheet displays them: number formats (ECMA-376-1, 18.8.30 and 18.8.31)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from math import isfinite

BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
    14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm",
    21: "h:mm:ss", 22: "yyyy-mm-dd hh:mm", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
"""Formats that files name by number only. 14 and 22 look different in each country: they are written in ISO 8601."""

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
_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_LONGEST = 255


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class _Section:
    tokens: tuple[_Token, ...]
    condition: tuple[str, float] | None
    is_date: bool

    @property
    def is_general(self) -> bool:
        return not self.tokens or "".join(token.text for token in self.tokens).lower() == "general"


def displayed(value: float, code: str, *, from_1904: bool = False) -> str:
    """The number as the format shows it; as plain digits where the format cannot be followed."""
    if not isfinite(value):
        return str(value)
    sections = _sections(code[:_LONGEST])
    section, is_signed = _section_for(value, sections)
    if section.is_general:
        return general(value)
    try:
        if section.is_date:
            return _date(value, section, from_1904).strip() or general(value)
        number = value if is_signed else abs(value)
        return _number(number, section).strip() or ("" if len(sections) > 1 else general(value))
    except (ValueError, OverflowError, InvalidOperation, ZeroDivisionError):
        return general(value)


def general(value: float) -> str:
    """The number as a cell without a format shows it: at most eleven digits."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.10g}".replace("e", "E")


# ---------------------------------------------------------------- reading formats


@lru_cache(maxsize=512)
def _sections(code: str) -> tuple[_Section, ...]:
    if _SYSTEM_DATE.search(code):
        code = BUILT_IN[14]
    elif _SYSTEM_TIME.search(code):
        code = BUILT_IN[21]
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


def _parsed(section: str) -> _Section:
    condition = _CONDITION.search(section)
    tokens: list[_Token] = []
    is_date = False
    for match in _TOKEN.finditer(_CONDITION.sub("", section)):
        kind, text = match.lastgroup or "", match.group(match.lastgroup) if match.lastgroup else ""
        if kind in ("quoted", "escaped", "currency"):
            tokens.append(_Token("literal", text))
        elif kind == "bracket":
            if _ELAPSED.fullmatch(text):
                tokens.append(_Token("elapsed", text.lower()))
                is_date = True
        elif kind:
            tokens.append(_Token(kind, text.lower() if kind in ("date", "ampm") else text))
            is_date = is_date or kind in ("date", "ampm")
    if "".join(token.text for token in tokens).lower() == "general":
        return _Section((), None, is_date=False)
    limit = (condition.group("operator"), float(condition.group("limit"))) if condition else None
    return _Section(tuple(tokens), limit, is_date)


def _section_for(value: float, sections: tuple[_Section, ...]) -> tuple[_Section, bool]:
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


# ---------------------------------------------------------------- dates


def moment(value: float, *, from_1904: bool) -> datetime:
    """The point in time of a serial number. Serial 60 is 29 February 1900, which never was; it is read as 1 March."""
    if from_1904:
        return datetime(1904, 1, 1) + _rounded_days(value)  # noqa: DTZ001 (sheets know no zones)
    if value < 60:
        value += 1
    return datetime(1899, 12, 30) + _rounded_days(value)  # noqa: DTZ001


def _rounded_days(value: float) -> timedelta:
    return timedelta(milliseconds=round(value * 86_400_000))


def _date(value: float, section: _Section, from_1904: bool) -> str:
    has_seconds = any(token.kind == "subsecond" for token in section.tokens)
    when = moment(value, from_1904=from_1904)
    if not has_seconds:
        when = moment(round(value * 86_400) / 86_400, from_1904=from_1904)
    twelve = any(token.kind == "ampm" for token in section.tokens)
    out: list[str] = []
    tokens = section.tokens
    for index, token in enumerate(tokens):
        if token.kind == "date":
            out.append(_date_part(token.text, when, twelve=twelve, minutes=_means_minutes(tokens, index)))
        elif token.kind == "elapsed":
            out.append(_elapsed(token.text, value))
        elif token.kind == "ampm":
            half = "AM" if when.hour < 12 else "PM"
            out.append(half if "m" in token.text else half[0])
        elif token.kind == "subsecond":
            out.append(f".{when.microsecond // 1000:03d}"[: len(token.text)])
        elif token.kind != "exponent":
            out.append(token.text)
    return "".join(out)


def _means_minutes(tokens: tuple[_Token, ...], index: int) -> bool:
    """Whether an ``m`` stands for minutes: behind hours or before seconds."""
    before = next((t for t in reversed(tokens[:index]) if t.kind in ("date", "elapsed")), None)
    after = next((t for t in tokens[index + 1 :] if t.kind in ("date", "elapsed")), None)
    return (before is not None and before.text[0] == "h") or (after is not None and after.text[0] == "s")


def _date_part(part: str, when: datetime, *, twelve: bool, minutes: bool) -> str:
    kind, width = part[0], len(part)
    if kind == "y":
        return f"{when.year:04d}" if width > 2 else f"{when.year % 100:02d}"
    if kind == "d" or (kind == "m" and not minutes):
        if kind == "d":
            number, name = when.day, _DAYS[when.weekday()]
        else:
            number, name = when.month, _MONTHS[when.month - 1]
        if width > 2:
            return name[:3] if width == 3 else name[0] if width == 5 else name
        return f"{number:0{width}d}"
    number = {"m": when.minute, "s": when.second}.get(kind, when.hour)
    if kind == "h" and twelve:
        number = number % 12 or 12
    return f"{number:0{min(width, 2)}d}"


def _elapsed(part: str, value: float) -> str:
    seconds = round(value * 86_400)
    whole = {"h": seconds // 3600, "m": seconds // 60, "s": seconds}[part[0]]
    return f"{whole:0{len(part)}d}"


# ---------------------------------------------------------------- numbers


def _number(value: float, section: _Section) -> str:
    tokens = section.tokens
    text = "".join(token.text for token in tokens if token.kind != "literal")
    if "@" in text and not any(token.kind == "digits" for token in tokens):
        return "".join(general(value) if t.kind == "other" and t.text == "@" else t.text for t in tokens)
    if any(token.kind == "other" and token.text == "/" for token in tokens):
        return _fraction(value, tokens)
    amount = Decimal(repr(value)) * (100 ** sum(t.kind == "other" and t.text == "%" for t in tokens))
    if any(token.kind == "exponent" for token in tokens):
        return _scientific(amount, tokens)
    return _fixed(amount, tokens)


def _fixed(amount: Decimal, tokens: tuple[_Token, ...]) -> str:
    whole, decimals, thousands = _layout(tokens)
    amount = amount / (1000**thousands)
    rounded = abs(amount).quantize(Decimal(1).scaleb(-len(decimals)), rounding=ROUND_HALF_UP)
    digits, _, part = f"{rounded:f}".partition(".")
    least = sum(character == "0" for character in whole)
    digits = digits.lstrip("0").rjust(least, "0")
    if "," in whole:
        digits = f"{int(digits):,}" if digits else ""
    kept = len(decimals) - len(re.search(r"[#?]*$", decimals).group())  # type: ignore[union-attr]
    part = part[:kept] + part[kept:].rstrip("0")
    number = digits + (f".{part}" if part else "")
    sign = "-" if amount < 0 and rounded else ""
    return sign + _placed(number, tokens)


def _layout(tokens: tuple[_Token, ...]) -> tuple[str, str, int]:
    """Placeholders before and behind the point, and how many times the number is divided by a thousand."""
    whole = decimals = ""
    thousands, behind = 0, False
    for token in tokens:
        if token.kind == "digits" and not behind:
            whole += token.text
        elif token.kind == "digits":
            decimals += token.text.replace(",", "")
        elif token.kind == "subsecond":
            decimals += token.text[1:]
            behind = True
        elif token.kind == "other" and token.text == ".":
            behind = True
        elif token.kind == "other" and token.text == "," and (whole or decimals):
            thousands += 1
    return whole, decimals, thousands


def _placed(number: str, tokens: tuple[_Token, ...]) -> str:
    """The number where its placeholders stand; literals among them (telephone numbers) part its digits."""
    groups = [i for i, token in enumerate(tokens) if token.kind == "digits"]
    point = next((i for i, t in enumerate(tokens) if t.kind == "subsecond" or (t.kind, t.text) == ("other", ".")), None)
    if point is None and len(groups) > 1:
        return _parted_by_literals(number, tokens, groups)
    out: list[str] = []
    is_written = False
    for token in tokens:
        if token.kind in ("digits", "subsecond") or (token.kind == "other" and token.text in ".,"):
            if not is_written:
                out.append(number)
                is_written = True
        else:
            out.append(token.text)
    return "".join(out)


def _parted_by_literals(number: str, tokens: tuple[_Token, ...], groups: list[int]) -> str:
    out = [token.text for token in tokens]
    for place in reversed(groups[1:]):
        width = len(tokens[place].text)
        out[place], number = number[-width:], number[:-width]
    out[groups[0]] = number
    return "".join(out)


def _scientific(amount: Decimal, tokens: tuple[_Token, ...]) -> str:
    place = next(i for i, token in enumerate(tokens) if token.kind == "exponent")
    _, decimals, _ = _layout(tokens[:place])
    mantissa, _, exponent = f"{amount:.{len(decimals)}E}".partition("E")
    width = sum(len(token.text) for token in tokens[place + 1 :] if token.kind == "digits")
    sign = "-" if exponent.startswith("-") else "+" if tokens[place].text.endswith("+") else ""
    return f"{mantissa}E{sign}{abs(int(exponent)):0{max(width, 1)}d}"


def _fraction(value: float, tokens: tuple[_Token, ...]) -> str:
    place = next(i for i, token in enumerate(tokens) if token.kind == "other" and token.text == "/")
    below = next((token.text for token in tokens[place + 1 :] if token.kind == "digits"), "?")
    whole = int(abs(value))
    part = Fraction(abs(value) - whole).limit_denominator(10 ** min(len(below), 4) - 1)
    sign = "-" if value < 0 else ""
    if part == 1:
        return f"{sign}{whole + 1}"
    if not part:
        return f"{sign}{whole}"
    return f"{sign}{f'{whole} ' if whole else ''}{part.numerator}/{part.denominator}"
