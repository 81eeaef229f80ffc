"""The loop of ``wrac schedule``: one thread that everything reports to, so that no two crawls of a site ever start.

Moments, the periodic look, the end of a child and signals are messages in one inbox. Whatever the message, ``why_due``
says which sites are due; so a moment that is missed, doubled or early does no harm.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from service.schedule.crawls import ending
from service.schedule.due import History, why_due
from wrac.errors import WracError
from wrac.exit_codes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from service.schedule.crawls import Crawl, StartCrawl
    from service.schedule.profiles import ProfileFolder, Profiles
    from wrac.config import SiteProfile

ANSWERED = (ExitCode.OK, ExitCode.INCOMPLETE, ExitCode.UNREACHABLE, ExitCode.LOSS_GUARD)
"""Ends after which a crawl is not tried again before the schedule says so."""
STOP_LOOK = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Look:
    """Profiles may have changed, and something may be due."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Somebody wants the end: at first in order, the second time at once."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A child has ended."""

    name: str
    return_code: int


Message = Look | Stop | Ended


@dataclass(slots=True)
class _Running:
    crawl: Crawl
    site: str
    started: datetime


@dataclass(frozen=True, slots=True)
class _Attempts:
    """What this process knows of a site's crawls that the ledger may not."""

    ended: datetime
    failures: int


class Supervisor:
    """Starts what is due, at most ``at_once`` crawls at a time; ``run`` returns when it was told to stop."""

    def __init__(
        self,
        folder: ProfileFolder,
        *,
        start: StartCrawl,
        histories: Callable[[Iterable[str]], Mapping[str, History]],
        clock: Callable[[], datetime],
        say: Callable[[str], None],
        plan: Callable[[Profiles], None] = lambda profiles: None,  # noqa: ARG005
        died: Callable[[str, int], None] = lambda site, return_code: None,  # noqa: ARG005
        at_once: int = 1,
        grace: timedelta = timedelta(seconds=60),
    ) -> None:
        """``histories`` is asked for sites by their names in the ledger and may raise ``WracError``.

        ``plan`` is called with profiles that changed, ``died`` with site and return code of each crawl that ended.

        ``grace`` is how long crawls get to stop in order.
        """
        self.inbox: SimpleQueue[Message] = SimpleQueue()
        self._folder = folder
        self._start, self._histories, self._clock, self._say = start, histories, clock, say
        self._plan, self._died = plan, died
        self._at_once, self._grace = at_once, grace
        self._running: dict[str, _Running] = {}
        self._attempts: dict[str, _Attempts] = {}
        self._unreadable = ""
        self._announced: set[str] = set()

    def run(self) -> ExitCode:
        """``OK`` after a stop in order; ``RESUMABLE`` where a crawl had to be killed, which loses nothing finished."""
        self._look()
        while True:
            match self.inbox.get():
                case Stop():
                    return self._stop()
                case Ended() as message:
                    self._ended(message)
            self._look()

    # ------------------------------------------------------------ what is due

    def _look(self) -> None:
        if self._folder.refresh():
            self._tell_changes()
        try:
            self._start_due()
        except WracError as error:  # the ledger; the next look asks again
            if str(error) != self._unreadable:
                self._say(f"cannot tell what is due: {error}")
            self._unreadable = str(error)
        else:
            self._unreadable = ""

    def _tell_changes(self) -> None:
        profiles = self._folder.current
        for name, problem in profiles.problems.items():
            self._say(f"{name}: its profile cannot be used, the other sites go on. {problem}")
        planned = [name for name, profile in profiles.by_name.items() if profile.schedule]
        self._say(f"timetable of {_count(planned, 'site')}{': ' + ', '.join(planned) if planned else ''}")
        # What failed may be mended now.
        self._attempts = {name: known for name, known in self._attempts.items() if not known.failures}
        self._plan(profiles)

    def _start_due(self) -> None:
        now = self._clock()
        found = []
        idle = {
            name: profile
            for name, profile in self._folder.current.by_name.items()
            if profile.schedule and name not in self._running
        }
        histories = self._histories([profile.name for profile in idle.values()])
        for name, profile in idle.items():
            due = why_due(profile, self._with_attempts(name, histories[profile.name]), now)
            if due is not None:
                found.append((due.since or now, name, profile, due))
        waiting = sorted(found, key=lambda each: each[:2])
        for _, name, profile, due in waiting[: max(self._at_once - len(self._running), 0)]:
            self._begin(name, profile, due.reason)
        self._announce({name: due.reason for _, name, _, due in waiting if name not in self._running})

    def _with_attempts(self, name: str, history: History) -> History:
        own = self._attempts.get(name)
        return history if own is None else replace(history, attempted=own.ended, attempts=own.failures)

    def _begin(self, name: str, profile: SiteProfile, reason: str) -> None:
        now = self._clock()
        try:
            crawl = self._start(name, lambda code: self.inbox.put(Ended(name, code)))
        except OSError as error:
            self._failed(name, now)
            self._say(f"{name}: could not be started: {error}")
            return
        self._running[name] = _Running(crawl, profile.name, now)
        self._say(f"{name}: started, {reason}")

    def _announce(self, waiting: dict[str, str]) -> None:
        """Says once of each site that it waits."""
        for name in waiting.keys() - self._announced:
            self._say(f"{name}: waits for its turn, {waiting[name]}")
        self._announced = set(waiting)

    # ------------------------------------------------------------ what ended

    def _ended(self, message: Ended) -> None:
        now = self._clock()
        running = self._running.pop(message.name)
        took = timedelta(seconds=round((now - running.started).total_seconds()))
        self._say(f"{message.name}: {ending(message.return_code)} after {took}")
        if message.return_code in ANSWERED:
            self._attempts[message.name] = _Attempts(now, 0)
        else:
            self._failed(message.name, now)
        self._died(running.site, message.return_code)

    def _failed(self, name: str, now: datetime) -> None:
        known = self._attempts.get(name)
        self._attempts[name] = _Attempts(now, known.failures + 1 if known else 1)

    def _stop(self) -> ExitCode:
        names = list(self._running)
        self._say(f"stopping{'; waiting for ' + ', '.join(names) if names else ''}")
        for running in self._running.values():
            running.crawl.interrupt()
        deadline = self._clock() + self._grace
        while self._running and self._clock() < deadline:
            try:
                message = self.inbox.get(timeout=STOP_LOOK.total_seconds())
            except Empty:
                continue
            match message:
                case Stop():
                    break
                case Ended():
                    self._ended(message)
        return self._kill_rest()

    def _kill_rest(self) -> ExitCode:
        if not self._running:
            self._say("stopped")
            return ExitCode.OK
        for name, running in self._running.items():
            running.crawl.kill()
            self._say(f"{name}: killed, because it did not stop in time; its next crawl goes on where it was")
        return ExitCode.RESUMABLE


def _count(names: list[str], noun: str) -> str:
    return f"{len(names)} {noun}{'' if len(names) == 1 else 's'}"
