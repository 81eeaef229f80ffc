"""Scheduled crawls as real processes: started once, stopped in order, told of when they fail."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import apscheduler.schedulers.base
import pytest
from mock_faults import generated
from mock_pages import START
from mock_site import Reply

from service.schedule.crawls import LoggedCrawls
from service.schedule.due import read_histories
from service.schedule.profiles import ProfileFolder
from service.schedule.supervisor import Look, Stop, Supervisor
from service.schedule.timetable import Timetable
from wrac.config import load_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from mock_site import MockSite, Route
    from product import Running, Workspace

PAGES = 5
KEEP = "import sys; open('told.jsonl', 'ab').write(sys.stdin.buffer.read() + b'\\n')"


@pytest.fixture
def handbook(site: MockSite, workspace: Workspace) -> MockSite:
    """A small site whose crawl is scheduled, and a hook that keeps what it is told in ``told.jsonl``."""
    site.forget()
    site.routes = generated(PAGES, sections=1)
    workspace.write_site(site.url + START, "handbook", sitemap=False, schedule="0 3 * * *")
    workspace.environment["WRAC_NOTIFY"] = json.dumps({"command": [sys.executable, "-c", KEEP], "timeout": 60})
    return site


def slowly(site: MockSite) -> None:
    def slow(route: Route) -> Route:
        return Reply(route.body, delay=0.5) if isinstance(route, Reply) else route

    site.routes = {path: slow(route) for path, route in generated(200, sections=1).items()}


def told(workspace: Workspace) -> list[dict[str, Any]]:
    file = workspace.folder / "told.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def scheduled(workspace: Workspace, *arguments: str) -> Running:
    return workspace._start("-c", "from service.cli import main; main()", "schedule", *arguments)


def output(workspace: Workspace) -> str:
    return (workspace.folder / "stdout.txt").read_text()


def runs(workspace: Workspace) -> list[tuple[Any, ...]]:
    return workspace.query("select site, state, exit_code, sessions from runs order by run_id")


def test_a_schedule_crawls_what_never_ran_and_stops_in_order(handbook: MockSite, workspace: Workspace) -> None:
    running = scheduled(workspace)
    running.wait_until(lambda: "ended with exit code" in output(workspace))
    running.process.terminate()
    ended = running.finish(60)
    assert ended.code == 0, ended
    told_lines = [line.split(" ", 1)[1] for line in ended.output.splitlines()]
    assert told_lines[0] == "timetable of 1 site: handbook"
    assert told_lines[1] == "handbook: started, no run of it is known"
    assert told_lines[2].startswith("handbook: ended with exit code 0 (OK) after 0:0")
    assert told_lines[3:] == ["stopping", "stopped"]
    assert runs(workspace) == [("handbook", "finished", 0, 1)]
    logs = list((workspace.data / "logs" / "handbook").glob("*.log"))
    assert len(logs) == 1
    assert f"{PAGES + 1} indexed" in logs[0].read_text()
    assert told(workspace) == []
    assert workspace.wrac("due").output == ""


def test_sigterm_reaches_the_crawl_which_goes_on_later(handbook: MockSite, workspace: Workspace) -> None:
    slowly(handbook)
    running = scheduled(workspace)
    running.wait_until(lambda: len(handbook.targets) > 8)
    running.process.terminate()
    ended = running.finish(120)
    assert ended.code == 0, ended
    assert "handbook: ended with exit code 6 (RESUMABLE)" in ended.output, ended
    assert runs(workspace) == [("handbook", "interrupted", 6, 1)]
    assert told(workspace) == [], "that somebody stops a crawl is no failure"


def test_a_crawl_by_hand_counts_and_a_killed_one_is_seen(handbook: MockSite, workspace: Workspace) -> None:
    slowly(handbook)
    by_hand = workspace.start_crawl("-a", "site=handbook")
    by_hand.wait_until(lambda: len(handbook.targets) > 4)
    due = workspace.wrac("due")
    assert (due.code, due.output) == (0, ""), due
    shown = json.loads(workspace.wrac("runs", "--json").output)
    assert (shown["state"], shown["exit_code"]) == ("running", None)
    by_hand.kill()
    by_hand.process.wait()
    shown = json.loads(workspace.wrac("runs", "show", "1", "--json").output)
    assert (shown["state"], shown["exit_code"], shown["finished"]) == ("killed", None, None)


def test_due_runs_one_after_the_other_and_ends_with_the_worst_code(handbook: MockSite, workspace: Workspace) -> None:
    workspace.write_site(f"{handbook.url}/nowhere/", "absent", sitemap=False)
    ended = workspace.wrac("due", "--run")
    assert ended.code == 4, ended
    assert ended.output == "absent: no run of it is known\nhandbook: no run of it is known\n"
    assert f"{PAGES + 1} indexed" in ended.errors
    lines = [line for line in ended.errors.splitlines() if ": started" in line or ": ended" in line]
    assert lines == [
        "absent: started",
        "absent: ended with exit code 4 (UNREACHABLE)",
        "handbook: started",
        "handbook: ended with exit code 0 (OK)",
    ]
    assert [(site, code) for site, _, code, _ in runs(workspace)] == [("absent", 4), ("handbook", 0)]
    said = told(workspace)
    assert [(each["event"], each["site"], each["exit_code"], each["run"]) for each in said] == [
        ("failure", "absent", 4, 1)
    ]
    assert "/nowhere/ gave nothing" in said[0]["reason"]
    assert "nothing is due" in workspace.wrac("due").errors


def test_what_the_loss_guard_stops_is_told_by_its_name(handbook: MockSite, workspace: Workspace) -> None:
    handbook.routes = generated(20, sections=1)
    assert workspace.crawl("-a", "site=handbook").code == 0
    gone = {f"/docs/p/{number}.html": Reply("gone", status=410) for number in range(10)}
    handbook.routes = {**handbook.routes, **gone}
    ended = workspace.crawl("-a", "site=handbook")
    assert ended.code == 7, ended
    said = told(workspace)
    assert [(each["event"], each["site"], each["run"], each["exit_code"]) for each in said] == [
        ("loss-guard", "handbook", 2, 7)
    ]
    assert "would lose" in said[0]["reason"]
    assert said[0]["pages"]["gone"] == 10
    assert "embedded" in said[0]["figures"]
    assert workspace.wrac("due").output == ""


def test_a_crawl_that_dies_is_told_of_by_the_one_who_started_it(handbook: MockSite, workspace: Workspace) -> None:
    slowly(handbook)
    running = workspace._start("-c", "from service.cli import main; main()", "due", "--run")
    running.wait_until(lambda: len(handbook.targets) > 4)
    lock = workspace.data / "locks" / "handbook.lock"
    os.kill(int(lock.read_text()), signal.SIGKILL)
    ended = running.finish(60)
    assert ended.code == 137, ended
    assert [(each["event"], each["exit_code"], each["reason"]) for each in told(workspace)] == [
        ("failure", 137, "the crawl was killed by SIGKILL")
    ]


def test_a_crawl_starts_at_its_moment_by_the_clock(
    handbook: MockSite, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock is set to two seconds before the moment; the children's clocks are not."""
    assert workspace.crawl("-a", "site=handbook").code == 0
    monkeypatch.chdir(workspace.folder)
    settings = load_settings(environment=workspace.environment, data_dir=workspace.data)
    real = datetime.now(UTC)
    moment = real.replace(hour=3, minute=0, second=0, microsecond=0) + timedelta(days=2)
    ahead = moment - timedelta(seconds=2) - real

    class Ahead(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) + ahead

    monkeypatch.setattr(apscheduler.schedulers.base, "datetime", Ahead)
    lines: list[tuple[datetime, str]] = []
    timetable = Timetable(lambda: supervisor.inbox.put(Look()))
    supervisor = Supervisor(
        ProfileFolder(),
        start=LoggedCrawls(workspace.data / "logs", workspace.environment, lambda: "crawl"),
        histories=lambda sites: read_histories(settings, sites, Ahead.now(UTC)),
        clock=lambda: Ahead.now(UTC),
        say=lambda line: lines.append((Ahead.now(UTC), line)),
        plan=timetable.plan,
    )
    # It was crawled today: yesterday's moment and that of tomorrow are not due until the clock says so.
    supervisor._attempts["handbook"] = _attempted(moment - timedelta(hours=1))
    thread = threading.Thread(target=supervisor.run)
    with timetable:
        thread.start()
        try:
            wait_until(lambda: any("ended" in line for _, line in lines), 120)
        finally:
            supervisor.inbox.put(Stop())
            thread.join(60)
    starts = [(when, line) for when, line in lines if "started" in line]
    assert len(starts) == 1, lines
    assert timedelta() <= starts[0][0] - moment < timedelta(seconds=20), lines
    assert "0 3 * * * (UTC) was due" in starts[0][1]
    assert len(runs(workspace)) == 2


def _attempted(moment: datetime) -> Any:
    from service.schedule.supervisor import _Attempts

    return _Attempts(moment, 0)


def wait_until(condition: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.05)
