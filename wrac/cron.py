"""Five-field cron expressions, as crontab(5) of cronie reads them, and durations such as ``3d``.

    minute (0-59)  hour (0-23)  day of month (1-31)  month (1-12 or jan-dec)  weekday (0-7 or sun-sat; 0 and 7: Sunday)

A field is ``*``, a number, a range ``1-5`` or a list of these; ``/n`` after ``*`` or a range takes every n-th.
Where day of month and weekday are both restricted, a day that matches *either* is meant; a field that starts with
``*`` restricts nothing in this sense.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_LONGEST = timedelta(days=3660)
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_LEAP_YEAR = 2024
_MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    first: int
    last: int
    names: tuple[str, ...] = ()


_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of month", 1, 31),
    _Field("month", 1, 12, _MONTHS),
    _Field("weekday", 0, 7, _WEEKDAYS),
)


@dataclass(frozen=True, slots=True)
class CronSchedule:
    """The moments that an expression names, in no time zone yet. Weekdays are 0 (Sunday) to 6 (Saturday)."""

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: tuple[int, ...]
    months: tuple[int, ...]
    weekdays: tuple[int, ...]
    either_day: bool
    """A day that ``days`` or ``weekdays`` name is meant; otherwise both must name it."""


def parse_cron(text: str) -> CronSchedule:
    """The schedule of a five-field expression. Raises ``ValueError`` that names the field and what is wrong with it."""
    given = text.strip().lower()
    if given.startswith("@"):
        same = f'; write "{_MACROS[given]}"' if given in _MACROS else ""
        raise ValueError(f"{text!r} is no cron expression of five fields{same}")
    parts = given.split()
    if len(parts) != len(_FIELDS):
        raise ValueError(
            f"{text!r} has {len(parts)} fields; a cron expression has five: minute, hour, day of month, month, "
            'weekday, e.g. "0 3 * * 1" for Mondays at 03:00'
        )
    minutes, hours, days, months, weekdays = (
        _numbers(part, field, text) for part, field in zip(parts, _FIELDS, strict=True)
    )
    either = not parts[2].startswith("*") and not parts[4].startswith("*")
    schedule = CronSchedule(
        minutes, hours, days, months, tuple(sorted({number % 7 for number in weekdays})), either_day=either
    )
    if not either and not any(days[0] <= monthrange(_LEAP_YEAR, month)[1] for month in months):
        raise ValueError(f"{text!r} names no day that any year has (day of month {parts[2]} in month {parts[3]})")
    return schedule


def zone_of(name: str) -> ZoneInfo:
    """The IANA time zone of this name. Raises ``ValueError``."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(
            f"{name!r} is no time zone of the IANA database that this machine knows, e.g. Europe/Berlin or UTC "
            "(a machine without the database gets it by the system package or the Python package tzdata)"
        ) from error


def parse_duration(text: str) -> timedelta:
    """``90m``, ``6h``, ``3d``, ``2w`` and sums such as ``1d 12h``; more than nothing. Raises ``ValueError``."""
    given = text.strip().lower()
    if not re.fullmatch(r"(?:[0-9]{1,6}\s*[smhdw]\s*)+", given):
        raise ValueError(f'{text!r} is no duration, e.g. "90m", "6h", "3d", "2w" or "1d 12h"')
    seconds = sum(int(number) * _UNITS[unit] for number, unit in re.findall(r"([0-9]+)\s*([smhdw])", given))
    if not seconds:
        raise ValueError(f"{text!r} is no time at all; leave the key out to turn it off")
    if seconds > _LONGEST.total_seconds():
        raise ValueError(f"{text!r} is more than ten years")
    return timedelta(seconds=seconds)


def _numbers(part: str, field: _Field, text: str) -> tuple[int, ...]:
    found: set[int] = set()
    for item in part.split(","):
        span, slash, step = item.partition("/")
        first, last = _span(span, field, text)
        if slash:
            if not re.fullmatch(r"[0-9]{1,4}", step) or not int(step):
                raise ValueError(f"{text!r}: {field.name} {item!r}: after / stands a number from 1 on")
            if span != "*" and "-" not in span:
                raise ValueError(f"{text!r}: {field.name} {item!r}: / stands after * or a range, e.g. {span}-{last}/2")
        found.update(range(first, last + 1, int(step) if slash else 1))
    return tuple(sorted(found))


def _span(span: str, field: _Field, text: str) -> tuple[int, int]:
    if span == "*":
        # A weekday of 7 is Sunday once more, which would put a step out of step.
        return field.first, 6 if field.name == "weekday" else field.last
    first, dash, last = span.partition("-")
    low = _number(first, field, text)
    high = _number(last, field, text) if dash else low
    if field.name == "weekday" and dash and high == 0:
        high = 7  # fri-sun
    if low > high:
        raise ValueError(f"{text!r}: {field.name} {span!r} runs backwards; write it as two, e.g. 22-23,0-6")
    return low, high


def _number(word: str, field: _Field, text: str) -> int:
    if word in field.names:
        return field.names.index(word) + field.first
    if re.fullmatch(r"[0-9]{1,4}", word) and field.first <= int(word) <= field.last:
        return int(word)
    names = f" or {field.names[0]} to {field.names[-1]}" if field.names else ""
    raise ValueError(f"{text!r}: {field.name} {word!r} is not from {field.first} to {field.last}{names}")
