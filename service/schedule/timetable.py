"""The clockwork of ``wrac schedule``: APScheduler with jobs in memory."""

from __future__ import annotations

import logging
from datetime import UTC
from typing import TYPE_CHECKING, Any

from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.interval import IntervalTrigger

from service.schedule.moments import SiteTrigger

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from service.schedule.profiles import Profiles

_SITE = "site:"


class Timetable:
    """Calls ``wake`` at every moment of every schedule; also a context manager that starts and stops the clockwork.

    Calls come from threads of the clockwork. Moments that pass while the machine sleeps come as one.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._scheduler: Any = BackgroundScheduler(
            timezone=UTC, job_defaults={"coalesce": True, "misfire_grace_time": None, "max_instances": 1}
        )
        # One line per start and end of a crawl is told by the supervisor.
        logging.getLogger("apscheduler").setLevel(logging.ERROR)

    def every(self, seconds: float, action: Callable[[], None]) -> None:
        """``action`` is called again and again, never twice at a time."""
        self._scheduler.add_job(action, IntervalTrigger(seconds=seconds, timezone=UTC))

    def plan(self, profiles: Profiles) -> None:
        """The timetable is that of these profiles."""
        for job in self._scheduler.get_jobs():
            if job.id.startswith(_SITE):
                self._scheduler.remove_job(job.id)
        for name, profile in profiles.by_name.items():
            if (trigger := SiteTrigger.of(profile)) is not None:
                self._scheduler.add_job(self._wake, trigger, id=_SITE + name)

    def __enter__(self) -> Self:
        self._scheduler.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._scheduler.shutdown(wait=False)
