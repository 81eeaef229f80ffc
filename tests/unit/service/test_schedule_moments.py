"""Moments of a schedule, against every minute of a calendar asked one by one, and against clocks that change."""

from __future__ import annotations

import calendar
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.schedule.moments import SiteTrigger
from wrac.config import SiteProfile
from wrac.cron import parse_cron


def moments(text: str, zone: str, first: str, last: str) -> list[str]:
    """ISO moments of a schedule from ``first`` until ``last``."""
    trigger = SiteTrigger(parse_cron(text), ZoneInfo(zone))
    found, previous = [], None
    now, end = datetime.fromisoformat(first), datetime.fromisoformat(last)
    while (moment := trigger.get_next_fire_time(previous, now)) is not None and moment <= end:
        found.append(moment.isoformat())
        previous = moment
    return found


def named(word: str, everything: range) -> set[int]:
    """Independent reading of one field of plain numbers, lists, ranges and steps."""
    found: set[int] = set()
    for item in word.split(","):
        span, _, step = item.partition("/")
        low, _, high = (f"{everything[0]}-{everything[-1]}" if span == "*" else span).partition("-")
        found |= set(range(int(low), int(high or low) + 1, int(step or 1)))
    return found


def expected_in(year: int, text: str) -> list[str]:
    """crontab(5), by its words: every day of the year is asked, its weekday by name."""
    minute, hour, day, month, weekday = text.split()
    names = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    weekdays = {names[number] for number in named(weekday, range(8))}
    days, months = named(day, range(1, 32)), named(month, range(1, 13))
    found = []
    for number in range(366 if calendar.isleap(year) else 365):
        date = datetime(year, 1, 1, tzinfo=UTC) + timedelta(days=number)
        by_day, by_weekday = date.day in days, calendar.day_name[date.weekday()] in weekdays
        either = day != "*" and weekday != "*"
        if date.month in months and ((by_day or by_weekday) if either else (by_day and by_weekday)):
            clock = [(h, m) for h in range(24) for m in range(60)]
            within = [t for t in clock if t[0] in named(hour, range(24)) and t[1] in named(minute, range(60))]
            found += [date.replace(hour=h, minute=m).isoformat() for h, m in within]
    return found


@pytest.mark.parametrize(
    "text",
    [
        "0 3 * * *",
        "0 3 * * 0",
        "0 3 * * 7",
        "0 3 * * 1",
        "0 3 * * 1-5",
        "0 3 * * 5-7",
        "0 3 13 * 5",
        "30 4 1,15 * 2",
        "*/20 3,22 * * 6",
        "15 14 1 * *",
        "0 0 29 2 *",
        "0 22 * 1-3/2 1-5",
        "5 0 31 * 0",
    ],
)
def test_the_moments_of_a_year_are_those_of_crontab(text: str) -> None:
    assert moments(text, "UTC", "2024-01-01T00:00:00+00:00", "2024-12-31T23:59:00+00:00") == expected_in(2024, text)


def test_cron_counts_weekdays_from_sunday() -> None:
    # 2026-11-29 is a Sunday.
    week = ("2026-11-28T00:00:00+00:00", "2026-12-04T23:59:00+00:00")
    assert moments("0 3 * * 0", "UTC", *week) == ["2026-11-29T03:00:00+00:00"]
    assert moments("0 3 * * 7", "UTC", *week) == ["2026-11-29T03:00:00+00:00"]
    assert moments("0 3 * * 1", "UTC", *week) == ["2026-11-30T03:00:00+00:00"]


def test_day_of_month_and_weekday_name_a_day_by_either() -> None:
    # Friday 13 November 2026 is named by both and comes once.
    assert moments("0 3 13 * 5", "UTC", "2026-11-01T00:00:00+00:00", "2026-12-14T00:00:00+00:00") == [
        f"2026-{day}T03:00:00+00:00" for day in ("11-06", "11-13", "11-20", "11-27", "12-04", "12-11", "12-13")
    ]


def test_an_hour_that_is_left_out_fires_at_its_end() -> None:
    # Berlin, 29 March 2026: 02:00 CET is 03:00 CEST.
    assert moments("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00+01:00", "2026-03-30T23:00:00+02:00") == [
        "2026-03-28T02:30:00+01:00",
        "2026-03-29T03:00:00+02:00",
        "2026-03-30T02:30:00+02:00",
    ]


def test_the_end_of_an_hour_that_is_left_out_is_found_by_who_asks_at_that_very_moment() -> None:
    at_the_end = "2026-03-29T03:00:00+02:00"
    assert moments("30 2 * * *", "Europe/Berlin", at_the_end, "2026-03-29T12:00:00+02:00") == [at_the_end]
    apia = "2011-12-31T00:00:00+14:00"
    assert moments("0 12 30 12 *", "Pacific/Apia", apia, "2012-01-01T00:00:00+14:00") == [apia]


def test_several_moments_of_an_hour_that_is_left_out_are_one() -> None:
    assert moments("*/15 1-3 * * *", "Europe/Berlin", "2026-03-29T01:40:00+01:00", "2026-03-29T03:20:00+02:00") == [
        "2026-03-29T01:45:00+01:00",
        "2026-03-29T03:00:00+02:00",
        "2026-03-29T03:15:00+02:00",
    ]


def test_an_hour_that_comes_twice_fires_the_first_time() -> None:
    # Berlin, 25 October 2026: 03:00 CEST is 02:00 CET.
    assert moments("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00+02:00", "2026-10-26T12:00:00+01:00") == [
        "2026-10-25T02:30:00+02:00",
        "2026-10-26T02:30:00+01:00",
    ]
    assert moments("0 * * * *", "Europe/Berlin", "2026-10-25T01:30:00+02:00", "2026-10-25T04:30:00+01:00") == [
        "2026-10-25T02:00:00+02:00",
        "2026-10-25T03:00:00+01:00",
        "2026-10-25T04:00:00+01:00",
    ]


def test_a_day_that_is_left_out_whole_fires_at_its_end() -> None:
    # Samoa went from 29 December 2011 to the 31st.
    assert moments("0 12 * * *", "Pacific/Apia", "2011-12-29T00:00:00-10:00", "2011-12-31T13:00:00+14:00") == [
        "2011-12-29T12:00:00-10:00",
        "2011-12-31T00:00:00+14:00",
        "2011-12-31T12:00:00+14:00",
    ]


def test_the_wall_clock_decides_not_utc() -> None:
    assert moments("0 3 * * *", "Europe/Berlin", "2026-07-01T00:00:00+00:00", "2026-07-01T23:00:00+00:00") == [
        "2026-07-01T03:00:00+02:00"
    ]
    assert moments("0 3 * * 1", "Asia/Kolkata", "2026-11-29T00:00:00+00:00", "2026-11-30T00:00:00+00:00") == [
        "2026-11-30T03:00:00+05:30"  # still Sunday in UTC
    ]


@given(
    st.sampled_from(["30 2 * * *", "*/7 * * * *", "0 0 * * 0", "59 23 31 * *", "0 2,3 25 10 *", "15 2 29 3 *"]),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"]),
    st.integers(0, 3 * 365 * 86_400).map(lambda second: datetime(2025, 1, 1, tzinfo=UTC) + timedelta(seconds=second)),
)
def test_the_next_moment_is_later_and_nothing_lies_between(text: str, zone: str, moment: datetime) -> None:
    trigger = SiteTrigger(parse_cron(text), ZoneInfo(zone))
    following = trigger.next_after(moment)
    assert following is not None
    assert following > moment
    assert trigger.get_next_fire_time(None, following) == following
    between = moment + (following - moment) / 2
    assert trigger.next_after(between) == following or between == following


def test_a_profile_without_schedule_has_no_moments() -> None:
    profile = {"start_urls": "https://docs.example.org/"}
    assert SiteTrigger.of(SiteProfile.model_validate(profile)) is None
    with_schedule = SiteTrigger.of(
        SiteProfile.model_validate({**profile, "schedule": "0 3 * * *", "timezone": "Asia/Tokyo"})
    )
    assert with_schedule is not None
    assert with_schedule.next_after(datetime(2026, 1, 1, tzinfo=UTC)) == datetime(2026, 1, 1, 18, tzinfo=UTC)
