"""Runs as the history, the schedule and the staleness check ask for them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from ingest.ledger import Ledger
from ingest.ledger.rows import RunKind, RunRow, RunState
from ingest.resume import open_run
from wrac.exit_codes import ExitCode
from wrac.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}") as opened:
        yield opened


def run(ledger: Ledger, site: str, state: RunState, exit_code: int | None = None) -> RunRow:
    recipe = Recipe("html/1", "rule/1", "minilm")
    started = ledger.runs.start(site, first=True, collection="docs", recipe=recipe, started_at="2026-01-05T08:00:00Z")
    ledger.runs.update(replace(started, state=state))
    if exit_code is not None:
        ledger.runs.record_exit(started.run_id, exit_code)
    found = ledger.runs.get(started.run_id)
    assert found is not None
    return found


def test_an_exit_code_is_kept_beside_what_the_run_wrote(ledger: Ledger) -> None:
    ended = run(ledger, "docs", RunState.INTERRUPTED, ExitCode.RESUMABLE)
    assert (ended.state, ended.exit_code, ended.sessions) == (RunState.INTERRUPTED, 6, 1)


def test_runs_of_all_sites_come_newest_first(ledger: Ledger) -> None:
    made = [run(ledger, site, RunState.FINISHED, 0) for site in ("a", "b", "a")]
    assert ledger.runs.latest() == made[::-1]
    assert ledger.runs.latest(1) == made[2:]
    assert ledger.runs.first("a") == made[0]
    assert ledger.runs.first("c") is None
    assert ledger.runs.get(99) is None


@pytest.mark.parametrize(
    ("state", "exit_code", "good"),
    [
        (RunState.FINISHED, 0, True),
        (RunState.FINISHED, 3, True),
        (RunState.FINISHED, None, True),
        (RunState.FINISHED, 4, False),
        (RunState.FINISHED, 1, False),
        (RunState.INTERRUPTED, 6, False),
        (RunState.UNPUBLISHED, 5, False),
        (RunState.HELD_BACK, 7, False),
        (RunState.RUNNING, None, False),
    ],
)
def test_a_good_run_came_to_its_end(ledger: Ledger, state: RunState, exit_code: int | None, good: bool) -> None:
    before = run(ledger, "docs", RunState.FINISHED, 0)
    last = run(ledger, "docs", state, exit_code)
    assert ledger.runs.last_good("docs") == (last if good else before)
    assert ledger.runs.last_good("other") is None


def test_an_event_is_told_once_until_its_time_comes_again_or_another_run_is_meant(ledger: Ledger) -> None:
    assert not ledger.runs.is_told("docs", "stale", 1, "2026-01-05T08:00:00+00:00")
    ledger.runs.record_notice("docs", "stale", 1, "2026-01-08T08:00:00+00:00")
    assert ledger.runs.is_told("docs", "stale", 1, "2026-01-08T07:59:59+00:00")
    assert not ledger.runs.is_told("docs", "stale", 1, "2026-01-08T08:00:00+00:00")
    assert not ledger.runs.is_told("docs", "stale", 2, "2026-01-05T08:00:00+00:00")
    assert not ledger.runs.is_told("docs", "other", 1, "2026-01-05T08:00:00+00:00")
    assert not ledger.runs.is_told("more", "stale", 1, "2026-01-05T08:00:00+00:00")
    ledger.runs.record_notice("docs", "stale", 2, "2026-01-09T08:00:00+00:00")
    assert ledger.runs.is_told("docs", "stale", 2, "2026-01-08T08:00:00+00:00")


def test_a_run_that_goes_on_has_no_exit_code_yet(ledger: Ledger) -> None:
    before = run(ledger, "docs", RunState.INTERRUPTED, ExitCode.RESUMABLE)
    recipe = Recipe("html/1", "rule/1", "minilm")
    now = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
    resumed = open_run(ledger, "docs", "docs", recipe, now=now, resume_within=timedelta(days=1))
    assert (resumed.run_id, resumed.sessions, resumed.exit_code) == (before.run_id, 2, None)
    assert ledger.runs.get(before.run_id) == resumed


@pytest.mark.parametrize(
    ("kind", "good"), [(RunKind.PUBLISH, True), (RunKind.REPLAN, False), (RunKind.ROLLBACK, False)]
)
def test_only_what_brings_new_content_makes_a_site_fresh(ledger: Ledger, kind: RunKind, good: bool) -> None:
    made = run(ledger, "docs", RunState.FINISHED)
    ledger.runs.update(replace(made, kind=kind))
    assert (ledger.runs.last_good("docs") is not None) is good
