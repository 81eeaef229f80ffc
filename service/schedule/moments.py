"""From a cron expression and a time zone to moments, by APScheduler's triggers.

Wall clocks are not times: where summer time begins an hour is left out, where it ends one comes twice. A moment inside
the hour that is left out comes at its end; a moment inside the hour that comes twice comes once, at the first of both.
So the trigger counts on a calendar without such hours, and its result is mapped to the zone.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from apscheduler.triggers.base import BaseTrigger
from apscheduler.triggers.combining import OrTrigger
from apscheduler.triggers.cron import CronTrigger

from wrac.cron import CronSchedule, parse_cron, zone_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from zoneinfo import ZoneInfo

    from wrac.config import SiteProfile

# By name: APScheduler counts from Monday, cron from Sunday.
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)


class SiteTrigger(BaseTrigger):  # type: ignore[misc] # APScheduler has no types
    """The moments of one site's schedule."""

    __slots__ = ("_calendar", "_zone")

    def __init__(self, schedule: CronSchedule, zone: ZoneInfo) -> None:
        self._calendar = calendar_trigger(schedule)
        self._zone = zone

    @classmethod
    def of(cls, profile: SiteProfile) -> SiteTrigger | None:
        """The trigger of a profile; None where it has no schedule."""
        return cls(parse_cron(profile.schedule), zone_of(profile.timezone)) if profile.schedule else None

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime | None:
        """APScheduler's question: the first moment from ``now`` on, or after the previous one."""
        return self.next_after(previous_fire_time) if previous_fire_time else self._from(now)

    def next_after(self, moment: datetime) -> datetime | None:
        """The first moment later than ``moment``, in the zone of the schedule."""
        return self._from(moment + timedelta(microseconds=1))

    def _from(self, moment: datetime) -> datetime | None:
        moment = moment.astimezone(UTC)
        wall = self._calendar.get_next_fire_time(None, _first_wall(moment, self._zone))
        while wall is not None and (found := _instant(wall.replace(tzinfo=None), self._zone)) < moment:
            wall = self._calendar.get_next_fire_time(None, wall + _SECOND)
        return None if wall is None else found.astimezone(self._zone)


def calendar_trigger(schedule: CronSchedule) -> Any:
    """APScheduler's trigger on a calendar without summer time, which goes by the name of UTC."""
    time = {
        "minute": _list(schedule.minutes, 60),
        "hour": _list(schedule.hours, 24),
        "month": _list(schedule.months, 12),
        "timezone": UTC,
    }
    days = _list(schedule.days, 31)
    weekdays = "*" if len(schedule.weekdays) == len(_WEEKDAYS) else ",".join(_WEEKDAYS[n] for n in schedule.weekdays)
    if schedule.either_day:  # APScheduler fires where all fields match
        return OrTrigger([CronTrigger(day=days, **time), CronTrigger(day_of_week=weekdays, **time)])
    return CronTrigger(day=days, day_of_week=weekdays, **time)


def _list(numbers: Sequence[int], of: int) -> str:
    return "*" if len(numbers) == of else ",".join(map(str, numbers))


def _first_wall(moment: datetime, zone: ZoneInfo) -> datetime:
    """Where the calendar has to be searched from, so that no moment mapped to ``moment`` or later is passed over."""
    left_out = _offset(moment, zone) - _offset(moment - _DAY, zone)
    wall = moment.astimezone(zone).replace(tzinfo=UTC, fold=0)
    return wall - max(left_out, timedelta())


def _instant(wall: datetime, zone: ZoneInfo) -> datetime:
    """The time (UTC) at which clocks show ``wall`` first, or at which they pass over it."""
    early, late = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (1, 0))
    if late.astimezone(zone).replace(tzinfo=None) == wall:
        return late
    # Passed over (PEP 495: the earlier of both readings has the later fold): clocks change between the two.
    after = _offset(late, zone)
    while late - early > _SECOND:
        middle = early + (late - early) // 2
        early, late = (early, middle) if _offset(middle, zone) == after else (middle, late)
    return late.replace(microsecond=0)


def _offset(moment: datetime, zone: ZoneInfo) -> timedelta:
    return moment.astimezone(zone).utcoffset() or timedelta()
