"""``wrac schedule``: crawls every site when its profile says so, until it is told to stop."""

from __future__ import annotations

import os
import signal
import sys
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.terminal import one_line

if TYPE_CHECKING:
    from service.schedule.profiles import ProfileFolder
    from service.schedule.supervisor import Supervisor
    from service.schedule.timetable import Timetable
    from wrac.config import Settings

LOOK_SECONDS = 30
"""How soon a changed profile, a run that is to go on and a stale site are seen."""


def schedule(
    *,
    at_once: Annotated[int, typer.Option(min=1, help="Crawls that may run at the same time.")] = 1,
    grace: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="How long crawls get to stop in order at the end.")
    ] = 60.0,
) -> None:
    """Crawl the sites of sites/*.toml at the moments of their `schedule`, until SIGTERM or Ctrl-C."""
    from service.schedule.profiles import ProfileFolder
    from service.schedule.supervisor import Look
    from service.schedule.timetable import Timetable
    from wrac.config import load_settings

    settings, folder = load_settings(), ProfileFolder()
    # Bound late: the supervisor plans the timetable, and the timetable wakes the supervisor.
    timetable = Timetable(lambda: supervisor.inbox.put(Look()))
    supervisor = _supervisor(settings, folder, timetable, at_once, timedelta(seconds=grace))
    _stop_by_signal(supervisor)
    timetable.every(LOOK_SECONDS, lambda: supervisor.inbox.put(Look()))
    timetable.every(LOOK_SECONDS, lambda: _tell_stale(settings, folder))
    with timetable:
        code = supervisor.run()
    raise typer.Exit(code)


def _supervisor(
    settings: Settings, folder: ProfileFolder, timetable: Timetable, at_once: int, grace: timedelta
) -> Supervisor:
    from service.schedule.crawls import LoggedCrawls
    from service.schedule.due import read_histories
    from service.schedule.supervisor import Supervisor

    return Supervisor(
        folder,
        start=LoggedCrawls(settings.data_dir / "logs", os.environ, lambda: f"{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}"),
        histories=lambda sites: read_histories(settings, sites, datetime.now(UTC)),
        clock=lambda: datetime.now(UTC),
        say=_say,
        plan=timetable.plan,
        died=lambda site, code: _tell_of_the_dead(settings, site, code),
        at_once=at_once,
        grace=grace,
    )


def _stop_by_signal(supervisor: Supervisor) -> None:
    from service.schedule.supervisor import Stop

    for number in (signal.SIGTERM, signal.SIGINT):
        # A SimpleQueue may be put to from a signal handler that interrupts its own ``get``.
        signal.signal(number, lambda *_: supervisor.inbox.put(Stop()))


def _tell_of_the_dead(settings: Settings, site: str, return_code: int) -> None:
    """By a thread: a hook may take its time, and the supervisor has none."""
    from service.schedule.telling import tell_of_the_dead

    def tell() -> None:
        for problem in tell_of_the_dead(settings, site, return_code, datetime.now(UTC), os.environ):
            _say(problem)

    Thread(target=tell).start()


def _tell_stale(settings: Settings, folder: ProfileFolder) -> None:
    from service.schedule.telling import tell_stale

    sites = [profile.name for profile in folder.current.by_name.values()]
    for line in tell_stale(settings, sites, datetime.now(UTC), os.environ):
        _say(line)


def _say(line: str) -> None:
    """One line with its time on standard output, at once."""
    sys.stdout.write(f"{datetime.now().astimezone().isoformat(timespec='seconds')} {one_line(line)}\n")
    sys.stdout.flush()
