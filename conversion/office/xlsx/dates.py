"""Serial numbers as dates, times and durations (ECMA-376-1, 18.17.4 and 18.8.31)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conversion.office.xlsx.tokens import Section, Token

_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


def moment(value: float, *, from_1904: bool) -> datetime:
    """The point in time of a serial number. Serial 60 is 29 February 1900, which never was; it is read as 1 March."""
    if from_1904:
        return datetime(1904, 1, 1) + _rounded_days(value)  # noqa: DTZ001 (sheets know no zones)
    if value < 60:
        value += 1
    return datetime(1899, 12, 30) + _rounded_days(value)  # noqa: DTZ001


def _rounded_days(value: float) -> timedelta:
    return timedelta(milliseconds=round(value * 86_400_000))


def dated(value: float, section: Section, *, from_1904: bool) -> str:
    """The number as the date or time that the section shows."""
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


def _means_minutes(tokens: tuple[Token, ...], index: int) -> bool:
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
