"""Spans of time as words, worked out by hand."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from indexing.dates import date_words, words_between
from wrac.errors import ConfigError


@pytest.mark.parametrize("told", ["2026-05-12", "2026-05-12T08:30:00+02:00", "2026-05-12 08:30"])
def test_a_day_has_three_words(told: str) -> None:
    assert date_words(told) == ["2026", "2026-05", "2026-05-12"]


@pytest.mark.parametrize("told", ["", "2026", "12 May 2026", "2026-05-123"])
def test_what_is_no_day_has_no_words(told: str) -> None:
    assert date_words(told) == []


def test_a_span_is_days_then_months_then_years_and_back() -> None:
    assert words_between("2024-11-29", "2026-02-01") == [
        "2024-11-29",
        "2024-11-30",
        "2024-12",
        "2025",
        "2026-01",
        "2026-02-01",
    ]


@pytest.mark.parametrize(
    ("since", "until", "words"),
    [
        ("2026", "2026", ["2026"]),
        ("2026-02", "2026-02", ["2026-02"]),
        ("2024-02-29", "2024-02-29", ["2024-02-29"]),
        ("2026-12-31", "2027-01", ["2026-12-31", "2027-01"]),
        ("2026-05-12", "2026-05-11", []),
    ],
)
def test_periods_are_taken_whole(since: str, until: str, words: list[str]) -> None:
    assert words_between(since, until) == words


def test_a_span_may_be_open() -> None:
    assert words_between("2198-12", "") == ["2198-12", "2199"]
    assert words_between("", "1901-01-01") == ["1900", "1901-01-01"]


def test_every_day_inside_a_span_has_one_of_its_words_and_no_day_outside_has_any() -> None:
    words = set(words_between("2023-12-30", "2025-03-02"))
    day = date(2023, 11, 1)
    while day < date(2025, 5, 1):
        shared = words & set(date_words(day.isoformat()))
        assert len(shared) == (date(2023, 12, 30) <= day <= date(2025, 3, 2)), day
        day += timedelta(1)


@pytest.mark.parametrize("told", ["yesterday", "2026-13", "2026-02-30", "0000", "26", "2026-5-1"])
def test_what_is_no_date_is_refused_with_the_form_it_should_have(told: str) -> None:
    with pytest.raises(ConfigError, match="write 2026, 2026-05 or 2026-05-12"):
        words_between(told, "")
