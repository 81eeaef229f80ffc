"""Stale sites are told of once in a while, dead crawls at once."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from ingest.ledger import Ledger
from ingest.ledger.rows import RunState
from service.schedule.telling import find_stale, tell_of_the_dead, tell_stale
from wrac.config import Settings
from wrac.recipe import Recipe

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
KEEP = "import sys; open(sys.argv[1], 'ab').write(sys.stdin.buffer.read() + b'\\n')"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    command = [sys.executable, "-c", KEEP, str(tmp_path / "told")]
    values = {"data_dir": tmp_path / "data", "notify": {"command": command, "stale_after": "3d"}}
    (tmp_path / "data").mkdir()
    return Settings.model_validate(values)


def told(settings: Settings) -> list[dict[str, Any]]:
    file = settings.data_dir.parent / "told"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def ran(
    settings: Settings, days_ago: float, state: RunState = RunState.FINISHED, code: int | None = 0, **more: Any
) -> None:
    moment = (NOW - timedelta(days=days_ago)).isoformat()
    with Ledger(settings.ledger_url) as ledger:
        recipe = Recipe("html/1", "rule/1", "minilm")
        run = ledger.runs.start("docs", first=True, collection="docs", recipe=recipe, started_at=moment)
        ledger.runs.update(replace(run, state=state, finished_at=moment, exit_code=code, **more))


def stale(settings: Settings) -> bool:
    with Ledger(settings.ledger_url) as ledger:
        return find_stale(ledger, "docs", timedelta(days=3), NOW) is not None


def tell(settings: Settings, now: datetime = NOW) -> list[str]:
    return list(tell_stale(settings, ["docs", "new"], now, {}))


def test_nothing_is_stale_and_nothing_made_where_nothing_ran(settings: Settings) -> None:
    assert tell(settings) == []
    assert list(settings.data_dir.iterdir()) == []


@pytest.mark.parametrize(("days", "is_stale"), [(2.9, False), (3, False), (3.1, True)])
def test_a_site_is_stale_when_its_last_good_crawl_is_older(settings: Settings, days: float, is_stale: bool) -> None:
    ran(settings, days)
    assert stale(settings) is is_stale


@pytest.mark.parametrize(
    ("state", "code"), [(RunState.INTERRUPTED, 6), (RunState.HELD_BACK, 7), (RunState.FINISHED, 4)]
)
def test_bad_crawls_do_not_make_a_site_fresh(settings: Settings, state: RunState, code: int) -> None:
    ran(settings, 5)
    ran(settings, 1, state, code, note="the reason why")
    assert stale(settings)
    lines = tell(settings)
    assert len(lines) == 1
    assert "docs is stale: its last good crawl ended at 2026-11-25T03:00:00+00:00; the last one, run 2" in lines[0]
    assert [(each["event"], each["site"], each["run"], each["exit_code"]) for each in told(settings)] == [
        ("stale", "docs", 1, code)
    ]
    assert "the reason why" in told(settings)[0]["reason"]


def test_a_site_that_never_had_a_good_crawl_is_stale_after_its_first(settings: Settings) -> None:
    ran(settings, 2, RunState.INTERRUPTED, 6)
    assert not stale(settings)
    with Ledger(settings.ledger_url) as ledger:
        found = find_stale(ledger, "docs", timedelta(days=1), NOW)
    assert found is not None
    assert "no crawl of it ever came to a good end" in found.reason


def test_a_stale_site_is_told_of_again_only_after_as_long_again(settings: Settings) -> None:
    ran(settings, 4)
    for hours in (0, 1, 71, 72, 73):
        tell(settings, NOW + timedelta(hours=hours))
    assert [each["at"] for each in told(settings)] == ["2026-11-30T03:00:00+00:00", "2026-12-03T03:00:00+00:00"]


def test_a_hook_that_fails_is_tried_again_after_an_hour(settings: Settings) -> None:
    ran(settings, 4)
    broken = settings.model_copy(update={"notify": settings.notify.model_copy(update={"command": ("/nowhere/x",)})})
    assert any("cannot be started" in line for line in tell(broken))
    assert tell(settings, NOW + timedelta(minutes=59)) == []
    assert len(tell(settings, NOW + timedelta(minutes=60))) == 1
    assert len(told(settings)) == 1


def test_without_stale_after_nothing_is_stale(settings: Settings) -> None:
    ran(settings, 400)
    silent = settings.model_copy(update={"notify": settings.notify.model_copy(update={"stale_after": ""})})
    assert tell(silent) == []


def test_a_killed_crawl_is_told_of_with_its_run(settings: Settings) -> None:
    ran(settings, 0, RunState.RUNNING, None)
    assert tell_of_the_dead(settings, "docs", -9, NOW, {}) == []
    found = told(settings)
    assert [(each["event"], each["run"], each["exit_code"]) for each in found] == [("failure", 1, 137)]
    assert found[0]["reason"] == "the crawl was killed by SIGKILL"


@pytest.mark.parametrize(("code", "times"), [(0, 0), (3, 0), (4, 0), (6, 0), (7, 0), (2, 1), (1, 1), (-11, 1)])
def test_what_a_crawl_tells_itself_is_not_told_twice(settings: Settings, code: int, times: int) -> None:
    tell_of_the_dead(settings, "docs", code, NOW, {})
    assert len(told(settings)) == times


def test_a_fault_that_the_crawl_lived_to_write_down_is_not_told_twice(settings: Settings) -> None:
    ran(settings, 0, RunState.INTERRUPTED, 1)
    tell_of_the_dead(settings, "docs", 1, NOW, {})
    assert told(settings) == []
