"""Dates as words that any store can filter by: a day, its month and its year.

A date filter of a store needs ISO dates in every point and another kind of index; the words of a day are keywords like
any others, and a span of time is a few of them.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING

from wrac.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST, LAST = date(1900, 1, 1), date(2199, 12, 31)
"""Where a span without a beginning begins, and one without an end ends."""

_PERIOD = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")


def date_words(told: str) -> list[str]:
    """Year, month and day of an ISO date or time, widest first: ``2026``, ``2026-05``, ``2026-05-12``; else nothing."""
    if _DAY.match(told) is None:
        return []
    return [told[:4], told[:7], told[:10]]


def words_between(since: str, until: str) -> list[str]:
    """The fewest words of which every day from ``since`` to ``until`` has exactly one.

    Both are periods (``2026``, ``2026-05``, ``2026-05-12``), taken whole; empty for no bound. Raises ``ConfigError``
    for what is no period.
    """
    first = period(since)[0] if since else FIRST
    last = period(until)[1] if until else LAST
    return list(_words(max(first, FIRST), min(last, LAST)))


def period(told: str) -> tuple[date, date]:
    """First and last day of a year, a month or a day. Raises ``ConfigError``."""
    match = _PERIOD.fullmatch(told.strip())
    year, month, day = (int(part or 0) for part in match.groups()) if match else (0, 0, 0)
    try:
        first = date(year, month or 1, day or 1)
    except ValueError as error:
        raise ConfigError(f"{told!r} is no date: write 2026, 2026-05 or 2026-05-12") from error
    if day:
        return first, first
    return first, _month_end(first) if month else date(first.year, 12, 31)


def _words(first: date, last: date) -> Iterator[str]:
    day = first
    while day <= last:
        if (day.month, day.day) == (1, 1) and date(day.year, 12, 31) <= last:
            yield f"{day.year:04}"
            day = date(day.year + 1, 1, 1)
        elif day.day == 1 and _month_end(day) <= last:
            yield f"{day:%Y-%m}"
            day = _month_end(day) + timedelta(1)
        else:
            yield day.isoformat()
            day += timedelta(1)


def _month_end(day: date) -> date:
    return date(day.year + day.month // 12, day.month % 12 + 1, 1) - timedelta(1)
