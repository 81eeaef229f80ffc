"""What is due: the table of causes, by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ingest.ledger.rows import RunRow, RunState
from service.schedule.due import Cause, History, retry_after, why_due
from wrac.config import SiteProfile

NIGHTLY = "0 3 * * *"


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"2026-11-{text}:00+00:00")


def profile(schedule: str = NIGHTLY, timezone: str = "UTC") -> SiteProfile:
    values = {"start_urls": "https://docs.example.org/", "schedule": schedule, "timezone": timezone}
    return SiteProfile.model_validate(values)


def run(started: str, finished: str = "", state: RunState = RunState.FINISHED, **more: Any) -> RunRow:
    ended = at(finished).isoformat() if finished else ""
    return RunRow(1, "docs", state, True, "docs", "recipe", at(started).isoformat(), ended, **more)


def cause(history: History, now: str, **more: str) -> Cause | None:
    found = why_due(profile(**more), history, at(now))
    return found.cause if found else None


def test_a_site_that_never_ran_is_due_with_and_without_a_schedule() -> None:
    assert cause(History(), "30T12:00") is Cause.NEVER_RAN
    assert cause(History(), "30T12:00", schedule="") is Cause.NEVER_RAN


@pytest.mark.parametrize(
    ("now", "due"), [("29T02:59", False), ("29T03:00", True), ("29T23:00", True), ("30T12:00", True)]
)
def test_a_site_is_due_from_its_moment_on(now: str, due: bool) -> None:
    history = History(run("28T03:00", "28T03:20"))
    assert (cause(history, now) is Cause.SCHEDULE) is due


def test_the_moment_is_that_of_the_zone_and_the_first_that_passed() -> None:
    found = why_due(profile(timezone="Europe/Berlin"), History(run("27T03:00", "27T03:20")), at("30T12:00"))
    assert found is not None
    assert found.since == at("28T02:00")
    assert found.reason == "0 3 * * * (Europe/Berlin) was due at 2026-11-28 03:00+01:00"


def test_after_downtime_one_crawl_catches_up_with_all_moments() -> None:
    assert cause(History(run("20T03:00", "20T03:20")), "30T12:00") is Cause.SCHEDULE
    assert cause(History(run("30T12:00", "30T12:20")), "30T12:21") is None


def test_a_crawl_under_way_counts_for_the_moments_that_pass_meanwhile() -> None:
    running = run("29T02:50", state=RunState.RUNNING)
    assert cause(History(running, is_held=True), "29T03:10") is None
    assert cause(History(run("29T02:50", "29T03:20")), "29T03:21") is None
    assert cause(History(is_held=True), "29T03:21") is None, "one that has no row yet"


def test_a_crawl_that_was_killed_is_due_again() -> None:
    killed = run("29T03:00", state=RunState.RUNNING)
    assert cause(History(killed), "29T03:14") is None
    assert cause(History(killed), "29T03:15") is Cause.BROKEN_OFF
    assert cause(History(killed), "30T03:00") is Cause.SCHEDULE


@pytest.mark.parametrize("state", [RunState.INTERRUPTED, RunState.UNPUBLISHED])
def test_each_session_that_breaks_off_is_followed_by_a_longer_rest(state: RunState) -> None:
    third = History(run("29T03:00", "29T08:00", state, sessions=3, exit_code=6))
    assert cause(third, "29T08:59") is None
    assert cause(third, "29T09:00") is Cause.BROKEN_OFF
    assert cause(third, "29T09:00", schedule="") is Cause.BROKEN_OFF


def test_rests_double_from_a_quarter_of_an_hour_up_to_a_day() -> None:
    rests = [retry_after(attempts) / timedelta(hours=1) for attempts in (0, 1, 2, 3, 7, 8, 9, 500)]
    assert rests == [0.25, 0.25, 0.5, 1, 16, 24, 24, 24]


def test_what_the_loss_guard_stopped_waits_for_a_person_or_the_next_moment() -> None:
    stopped = History(run("29T03:00", "29T03:20", RunState.HELD_BACK, exit_code=7))
    assert cause(stopped, "30T02:59") is None
    assert cause(stopped, "30T03:00") is Cause.SCHEDULE


def test_a_crawl_that_left_no_run_is_tried_again_after_a_rest() -> None:
    failed = History(attempted=at("29T03:00"), attempts=2)
    assert cause(failed, "29T03:29") is None
    assert cause(failed, "29T03:30") is Cause.BROKEN_OFF
    # The row of an earlier run does not hide that the last crawl could not start.
    failed = History(run("28T03:00", "28T03:20"), attempted=at("29T03:00"), attempts=1)
    assert cause(failed, "29T03:14") is None
    assert cause(failed, "29T03:15") is Cause.BROKEN_OFF


def test_pages_make_a_site_due_only_where_no_schedule_does() -> None:
    history = History(run("29T03:00", "29T03:20"), pages_due=1)
    found = why_due(profile(schedule=""), history, at("29T12:00"))
    assert found is not None
    assert (found.cause, found.reason) == (Cause.PAGES, "1 page is due by what changed before")
    assert cause(history, "29T12:00") is None
    assert cause(History(run("29T03:00", "29T03:20")), "30T12:00", schedule="") is None


def test_a_last_crawl_in_the_future_puts_nothing_off() -> None:
    """The clock was ahead when it ran: without this, a site waits in silence until that time comes."""
    ahead = History(run("29T03:00", "29T03:20"))
    found = why_due(profile(), ahead, at("19T12:00"))
    assert found is not None
    assert found.cause is Cause.CLOCK
    assert "2026-11-29 03:20+00:00" in found.reason
    assert cause(History(run("29T03:00", "29T03:20", RunState.INTERRUPTED)), "19T12:00", schedule="") is Cause.CLOCK
    assert cause(ahead, "29T02:50") is None, "clocks of two machines differ by minutes"
    assert cause(ahead, "19T12:00", schedule="") is None, "nothing ever makes it due by itself"


def test_the_moment_before_a_change_of_clocks_is_found_from_the_last_run() -> None:
    ended = datetime(2026, 3, 28, 1, 40, tzinfo=UTC)
    row = RunRow(1, "docs", RunState.FINISHED, True, "docs", "r", ended.isoformat(), ended.isoformat())
    berlin = profile("30 2 * * *", "Europe/Berlin")  # the clocks leave 02:30 out on 29 March
    assert why_due(berlin, History(row), datetime(2026, 3, 29, 0, 59, 59, tzinfo=UTC)) is None
    found = why_due(berlin, History(row), datetime(2026, 3, 29, 1, 0, tzinfo=UTC))
    assert found is not None
    assert found.since == datetime(2026, 3, 29, 1, 0, tzinfo=UTC)
