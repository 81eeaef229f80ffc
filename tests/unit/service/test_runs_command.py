"""``wrac runs`` and ``wrac due`` tell what ledger, locks and profiles say, and make nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from ingest.ledger import Ledger
from ingest.ledger.rows import RunState
from ingest.site_lock import SiteLock
from service.cli.app import app
from wrac.config import load_settings
from wrac.exit_codes import ExitCode
from wrac.recipe import Recipe

if TYPE_CHECKING:
    from pathlib import Path

STARTED, FINISHED = "2026-01-02T03:04:05+00:00", "2026-01-02T04:05:06+00:00"


def wrac(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sites").mkdir()
    return tmp_path


def ran(site: str, state: RunState = RunState.FINISHED, **more: Any) -> int:
    settings = load_settings()
    settings.data_dir.mkdir(exist_ok=True)
    with Ledger(settings.ledger_url) as ledger:
        recipe = Recipe("html/1", "rule/1", "minilm")
        run = ledger.runs.start(site, first=True, collection="docs", recipe=recipe, started_at=STARTED)
        ledger.runs.update(replace(run, state=state, **more))
        return run.run_id


def finished(site: str) -> int:
    return ran(
        site, finished_at=FINISHED, counts={"indexed": 3, "gone": 1}, figures={"embedded": 12.0, "seconds_embed": 0.25},
        exit_code=3,
    )  # fmt: skip


def records(*arguments: str) -> list[dict[str, Any]]:
    result = wrac("runs", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


# ---------------------------------------------------------------- runs


def test_runs_of_all_sites_or_of_one_are_listed_newest_first(folder: Path) -> None:
    one, two, three = finished("docs"), finished("other"), finished("docs")
    assert [each["run"] for each in records()] == [three, two, one]
    assert [each["run"] for each in records("docs")] == [three, one]
    assert [each["run"] for each in records("--limit", "1")] == [three]
    lines = wrac("runs", "other").stdout.splitlines()
    assert lines == [f"    {two}  other  crawl  finished, exit code 3, 4 pages, started {STARTED}, 1:01:01"]


def test_a_run_is_shown_with_all_that_is_known(folder: Path) -> None:
    number = finished("docs")
    report = folder / ".wrac" / "reports" / "docs" / str(number) / "report.json"
    report.parent.mkdir(parents=True)
    report.write_text("{}")
    shown = wrac("runs", "show", str(number)).stdout
    for expected in ("exit code 3 (INCOMPLETE)", "3 indexed, 1 gone", "1:01:01", "embedded 12", "seconds_embed 0.25"):
        assert expected in shown
    assert f".wrac/reports/docs/{number}/report.json" in shown
    record = records("show", str(number))[0]
    assert record["exit_code"] == 3
    assert record["seconds"] == 3661
    assert record["pages"] == {"indexed": 3, "gone": 1}
    assert record["figures"] == {"embedded": 12.0, "seconds_embed": 0.25}


def test_the_site_lock_tells_a_run_that_goes_on_from_one_that_was_killed(folder: Path) -> None:
    # Resumed: what the session before wrote is not the end of this one.
    number = ran("docs", RunState.RUNNING, exit_code=6, finished_at=FINISHED, sessions=2)
    lock = SiteLock(load_settings().data_dir, "docs")
    running = records()[0]
    assert (running["state"], running["exit_code"], running["finished"]) == ("running", None, None)
    assert running["seconds"] > 3600
    lock.release()
    killed = records()[0]
    assert (killed["run"], killed["state"], killed["exit_code"], killed["seconds"]) == (number, "killed", None, None)


def test_only_the_newest_run_of_a_site_can_go_on(folder: Path) -> None:
    ran("docs", RunState.RUNNING)
    ran("docs", RunState.RUNNING)
    lock = SiteLock(load_settings().data_dir, "docs")
    assert [each["state"] for each in records()] == ["running", "killed"]
    lock.release()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "99"), "no run 99"),
        (("show",), "which run"),
        (("show", "docs"), "which run"),
        (("docs", "other"), "one site"),
    ],
)
def test_a_wrong_argument_says_what_to_write(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    finished("docs")
    result = wrac("runs", *arguments)
    assert result.exit_code == ExitCode.USAGE
    assert message in result.output


def test_where_nothing_ran_nothing_is_made(folder: Path) -> None:
    assert wrac("runs").exit_code == ExitCode.USAGE
    assert [file.name for file in folder.iterdir()] == ["sites"]


# ---------------------------------------------------------------- due


def site(folder: Path, name: str, *lines: str) -> None:
    (folder / "sites" / f"{name}.toml").write_text(
        "\n".join(['start_urls = ["https://docs.example.org/"]', *lines]) + "\n"
    )


def test_sites_that_are_due_are_listed_with_their_reasons(folder: Path) -> None:
    site(folder, "docs", 'schedule = "0 3 * * *"', 'timezone = "Europe/Berlin"')
    site(folder, "fresh", 'schedule = "0 3 1 1 *"')
    site(folder, "new")
    finished("docs")
    result = wrac("due", "--json")
    assert result.exit_code == 0
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(each["site"], each["cause"], each["since"]) for each in found] == [
        ("docs", "schedule", "2026-01-03T03:00:00+01:00"),
        ("fresh", "never ran", None),
        ("new", "never ran", None),
    ]
    text = wrac("due").stdout
    assert "docs: 0 3 * * * (Europe/Berlin) was due at 2026-01-03 03:00+01:00" in text
    assert "new: no run of it is known" in text


def test_a_site_that_is_being_crawled_is_not_due(folder: Path) -> None:
    site(folder, "docs")
    lock = SiteLock(load_settings().data_dir, "docs")
    result = wrac("due")
    lock.release()
    assert (result.exit_code, result.stdout) == (0, "")
    assert "nothing is due" in result.stderr


def test_a_broken_profile_is_told_of_and_the_others_are_listed(folder: Path) -> None:
    site(folder, "broken", 'schedule = "61 * * * *"')
    site(folder, "docs")
    result = wrac("due")
    assert result.exit_code == ExitCode.USAGE
    assert result.stdout == "docs: no run of it is known\n"
    assert "minute '61' is not from 0 to 59" in result.stderr
    assert not (folder / ".wrac").exists()
