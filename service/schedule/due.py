"""What is due: a pure function of profile, last run, site lock and time; and how the ledger is asked for these.

A crawl that is under way, or that ended after the schedule's moment, counts for it, whoever started it. So after
downtime a site is due once, however many moments passed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from ingest.changes import timestamp
from ingest.ledger.rows import UNFINISHED, RunKind
from ingest.site_lock import is_held
from service.schedule.moments import SiteTrigger
from service.state import known_ledger

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ingest.ledger import Ledger
    from ingest.ledger.rows import RunRow
    from wrac.config import Settings, SiteProfile

RETRY_FIRST = timedelta(minutes=15)
RETRY_LAST = timedelta(days=1)
CLOCK_TOLERANCE = timedelta(hours=1)
"""A crawl that ended further in the future than this ended by a wrong clock."""


class Cause(StrEnum):
    """Why a site is due."""

    NEVER_RAN = "never ran"
    SCHEDULE = "schedule"
    BROKEN_OFF = "broken off"
    PAGES = "pages due"
    CLOCK = "clock"


@dataclass(frozen=True, slots=True)
class Due:
    """A site that is to be crawled now."""

    cause: Cause
    reason: str
    """The cause in words, with its figures."""
    since: datetime | None = None
    """Since when; None where it was always so."""


@dataclass(frozen=True, slots=True)
class History:
    """What is known about the crawls of one site."""

    run: RunRow | None = None
    """The newest crawl."""
    is_held: bool = False
    """A process of this machine crawls the site now."""
    pages_due: int = 0
    """Pages whose own due date has passed."""
    attempted: datetime | None = None
    """When a crawl ended that may have left no run."""
    attempts: int = 0
    """Such crawls in a row that failed."""

    @property
    def ended(self) -> datetime | None:
        """When the last crawl ended; of one that was killed, when it began."""
        run = self.run
        times = [datetime.fromisoformat(text) for text in (run.started_at, run.finished_at) if text] if run else []
        return max([*times, *([self.attempted] if self.attempted else [])], default=None)

    @property
    def is_broken_off(self) -> bool:
        """Whether the last crawl ended early in a way that trying again may mend by itself."""
        return self.attempts > 0 or (self.run is not None and self.run.state in UNFINISHED)


def why_due(profile: SiteProfile, history: History, now: datetime) -> Due | None:
    """Whether the site is due at ``now``, and why; the first cause that applies. A site that is crawled is not due."""
    ended = history.ended
    if history.is_held:
        return None
    if ended is None:
        return Due(Cause.NEVER_RAN, "no run of it is known")
    trigger = SiteTrigger.of(profile)
    if ended > now + CLOCK_TOLERANCE and (trigger is not None or profile.recheck[1] or history.is_broken_off):
        # Its dates are wrong by as much, so nothing would be due before then.
        return Due(Cause.CLOCK, f"its last crawl ended at {_clock(ended)}, which is yet to come: the clock was wrong")
    if trigger is not None:
        moment = trigger.next_after(ended)
        if moment is not None and moment <= now:
            return Due(Cause.SCHEDULE, f"{profile.schedule} ({profile.timezone}) was due at {_clock(moment)}", moment)
    if history.is_broken_off:
        sessions = history.run.sessions if history.run else 0
        again = ended + retry_after(history.attempts or sessions)
        reason = f"the last crawl was broken off; tried again since {_clock(again)}"
        return Due(Cause.BROKEN_OFF, reason, again) if again <= now else None
    if trigger is None and history.pages_due:
        pages = "1 page is" if history.pages_due == 1 else f"{history.pages_due} pages are"
        return Due(Cause.PAGES, f"{pages} due by what changed before")
    return None


def retry_after(attempts: int) -> timedelta:
    """How long a crawl that was broken off for the ``attempts``-th time rests before it goes on."""
    return min(RETRY_FIRST * (1 << min(max(attempts, 1) - 1, 10)), RETRY_LAST)


def read_histories(settings: Settings, sites: Iterable[str], now: datetime) -> dict[str, History]:
    """What the ledger and the site locks say, by site. Raises ``StoreError``, ``ConfigError``."""
    with known_ledger(settings) as ledger:
        return {site: _history(ledger, settings, site, now) for site in sites}


def _history(ledger: Ledger | None, settings: Settings, site: str, now: datetime) -> History:
    held = is_held(settings.data_dir, site)
    if ledger is None:
        return History(is_held=held)
    due = ledger.pages.count_due(site, timestamp(now.astimezone(UTC)))
    return History(ledger.runs.last(site, RunKind.CRAWL), held, due)


def _clock(moment: datetime) -> str:
    return moment.isoformat(sep=" ", timespec="minutes")
