"""The loop of ``wrac schedule``, driven message by message; crawls are stand-ins that end when the test says so."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from ingest.ledger.rows import RunRow, RunState
from service.schedule.due import History
from service.schedule.profiles import ProfileFolder
from service.schedule.supervisor import Ended, Look, Message, Stop, Supervisor
from wrac.errors import StoreError
from wrac.exit_codes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

START = datetime(2026, 11, 29, 2, 0, tzinfo=UTC)


@dataclass
class FakeCrawl:
    name: str
    ended: Callable[[int], None]
    stops: bool = True
    said: list[str] = field(default_factory=list)

    def interrupt(self) -> None:
        self.said.append("interrupted")
        if self.stops:
            self.ended(ExitCode.RESUMABLE)

    def kill(self) -> None:
        self.said.append("killed")


class World:
    """Profiles, a clock, a ledger and crawls that a test moves by hand."""

    def __init__(self, folder: Path, at_once: int = 1, grace: float = 0.3) -> None:
        self.folder, self.now = folder, START
        self.runs: dict[str, RunRow] = {}
        self.held: set[str] = set()
        self.started: list[FakeCrawl] = []
        self.lines: list[str] = []
        self.deaths: list[tuple[str, int]] = []
        self.planned: list[list[str]] = []
        self.ledger_fails = False
        self.cannot_start = ""
        self.script: list[Callable[[], Message]] = []
        self.supervisor = Supervisor(
            ProfileFolder(folder),
            start=self.start,
            histories=self.histories,
            clock=lambda: self.now,
            say=self.lines.append,
            plan=lambda profiles: self.planned.append(list(profiles.by_name)),
            died=lambda site, code: self.deaths.append((site, code)),
            at_once=at_once,
            grace=timedelta(seconds=grace),
        )

        self.inbox = self.supervisor.inbox

    def site(self, name: str, schedule: str = "0 3 * * *", site: str = "") -> None:
        named = f'name = "{site}"\n' if site else ""
        text = f'start_urls = ["https://docs.example.org/"]\nschedule = "{schedule}"\n{named}'
        (self.folder / f"{name}.toml").write_text(text)

    def ran(self, site: str, ended: datetime) -> None:
        text = ended.isoformat()
        self.runs[site] = RunRow(1, site, RunState.FINISHED, True, "docs", "recipe", text, text, exit_code=0)

    def start(self, name: str, ended: Callable[[int], None]) -> FakeCrawl:
        if self.cannot_start:
            raise OSError(self.cannot_start)
        self.started.append(FakeCrawl(name, ended))
        return self.started[-1]

    def histories(self, sites: Iterable[str]) -> dict[str, History]:
        if self.ledger_fails:
            raise StoreError("the ledger is locked")
        return {site: History(self.runs.get(site), site in self.held) for site in sites}

    def then(self, *steps: Callable[[], Message]) -> World:
        """Messages that come one by one, each made when all before it are dealt with."""
        self.script += steps
        return self

    def run(self) -> ExitCode:
        """Runs the script, then stops."""
        inbox, steps = self.inbox, iter(self.script)

        class Inbox:
            def get(self, timeout: float | None = None) -> Message:
                if timeout is not None or not inbox.empty():
                    return inbox.get(timeout=timeout)
                step = next(steps, None)
                return Stop() if step is None else step()

            def put(self, message: Message) -> None:
                inbox.put(message)

        self.supervisor.inbox = Inbox()  # type: ignore[assignment]
        return self.supervisor.run()

    @property
    def names(self) -> list[str]:
        return [crawl.name for crawl in self.started]

    def wait(self, **time: float) -> Callable[[], Message]:
        def pass_time() -> Message:
            self.now += timedelta(**time)
            return Look()

        return pass_time

    def end(self, name: str, code: int = 0) -> Callable[[], Message]:
        """The crawl ends; one that came so far leaves a run."""

        def ended() -> Message:
            if code in (0, 3):
                self.ran(name, self.now)
            return Ended(name, code)

        return ended


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_a_site_is_crawled_at_its_moment_and_once_a_day(world: World) -> None:
    world.site("docs")
    world.ran("docs", START - timedelta(hours=1))
    world.then(world.wait(minutes=59, seconds=59)).run()
    assert world.names == []
    world.script = []
    world.then(world.wait(seconds=1), world.wait(minutes=5), world.end("docs"), world.wait(hours=23)).run()
    assert world.names == ["docs"]
    assert world.deaths == [("docs", 0)]


def test_downtime_is_caught_up_once(world: World) -> None:
    world.site("docs")
    world.ran("docs", START - timedelta(days=30))
    world.then(world.wait(minutes=1), world.end("docs"), world.wait(minutes=1), world.wait(minutes=10)).run()
    assert world.names == ["docs"]


def test_a_crawl_is_not_started_beside_another_of_the_same_site(world: World) -> None:
    world.site("docs", "* * * * *")
    world.ran("docs", START - timedelta(days=1))
    world.then(*[world.wait(minutes=1)] * 5).run()
    assert world.names == ["docs"], "one that this process started"
    world.started.clear()
    world.script = []
    world.held = {"docs"}
    world.then(*[world.wait(minutes=1)] * 5).run()
    assert world.names == [], "one that somebody started by hand"


@pytest.mark.parametrize("at_once", [1, 2])
def test_no_more_crawls_run_at_once_than_allowed_and_the_longest_overdue_comes_first(
    tmp_path: Path, at_once: int
) -> None:
    world = World(tmp_path, at_once)
    for number, name in enumerate(["a", "b", "c"]):
        world.site(name)
        world.ran(name, START - timedelta(days=1 + number))
    world.then(Look, world.end("c"), world.wait(minutes=1)).run()
    assert world.names == ["c", "b", "a"][: at_once + 1]
    waits = [line for line in world.lines if "waits for its turn" in line]
    assert len(waits) == len(set(waits)) == 3 - at_once


def test_a_broken_profile_stops_no_other_and_comes_back_when_it_is_mended(world: World) -> None:
    world.site("docs", "0 3 * *")
    world.site("more")

    def mend() -> Message:
        world.site("docs")
        return Look()

    world.then(world.end("more"), mend, world.end("docs")).run()
    assert world.names == ["more", "docs"]
    assert world.planned == [["more"], ["docs", "more"]]
    assert any("docs: its profile cannot be used" in line and "has 4 fields" in line for line in world.lines)


def test_a_site_without_schedule_is_not_crawled(world: World) -> None:
    world.site("docs", "")
    world.then(world.wait(days=3)).run()
    assert world.names == []


def test_a_crawl_that_leaves_no_run_is_not_started_again_at_once(world: World) -> None:
    world.site("docs")
    fails = world.end("docs", ExitCode.USAGE)
    world.then(fails, world.wait(minutes=14), world.wait(minutes=1), fails, world.wait(minutes=29)).run()
    assert world.names == ["docs", "docs"]
    world.script = []
    world.then(world.wait(minutes=1)).run()
    assert world.names == ["docs"] * 3


def test_a_changed_profile_is_tried_at_once(world: World) -> None:
    world.site("docs")

    def mend() -> Message:
        world.site("docs", "0 4 * * *")
        return Look()

    world.then(world.end("docs", ExitCode.USAGE), world.wait(minutes=1), mend).run()
    assert world.names == ["docs", "docs"]


def test_a_crawl_that_cannot_be_started_is_told_and_tried_later(world: World) -> None:
    world.site("docs")
    world.cannot_start = "no memory"
    world.then(world.wait(minutes=1)).run()
    assert [line for line in world.lines if "could not be started: no memory" in line] == world.lines[1:2]
    world.cannot_start = ""
    world.script = []
    world.then(world.wait(minutes=15)).run()
    assert world.names == ["docs"]


def test_a_ledger_that_cannot_be_read_is_told_once_and_asked_again(world: World) -> None:
    world.site("docs")
    world.ledger_fails = True

    def mend() -> Message:
        world.ledger_fails = False
        return Look()

    world.then(world.wait(minutes=1), world.wait(minutes=1), mend).run()
    assert world.names == ["docs"]
    assert len([line for line in world.lines if "the ledger is locked" in line]) == 1


def test_start_and_end_are_one_line_each(world: World) -> None:
    world.site("docs")
    world.then(world.wait(minutes=90), world.end("docs", 3)).run()
    told = [line for line in world.lines if line.startswith("docs")]
    assert told == ["docs: started, no run of it is known", "docs: ended with exit code 3 (INCOMPLETE) after 1:30:00"]


def test_a_stop_interrupts_the_crawls_and_waits_for_them(world: World) -> None:
    world.site("docs")
    assert world.run() is ExitCode.OK
    assert world.started[0].said == ["interrupted"]
    assert world.lines[-2:] == ["docs: ended with exit code 6 (RESUMABLE) after 0:00:00", "stopped"]


@pytest.mark.parametrize("impatient", [False, True])
def test_a_crawl_that_does_not_stop_is_killed_after_the_grace_or_a_second_signal(
    tmp_path: Path, impatient: bool
) -> None:
    world = World(tmp_path, grace=3600 if impatient else 0)
    world.site("docs")

    def stubborn() -> Message:
        world.started[0].stops = False
        if impatient:
            world.supervisor.inbox.put(Stop())
        return Stop()

    assert world.then(stubborn).run() is ExitCode.RESUMABLE
    assert world.started[0].said == ["interrupted", "killed"]


def test_a_profile_may_name_its_site_otherwise_than_its_file(world: World) -> None:
    world.site("file", site="tenant")
    world.ran("tenant", START - timedelta(hours=1))
    world.then(world.wait(minutes=1)).run()
    assert world.names == []
    world.script = []
    world.then(world.wait(hours=1), world.end("file")).run()
    assert world.names == ["file"]
    assert world.deaths == [("tenant", 0)]
