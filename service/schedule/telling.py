"""Notifications that only a bystander can send: of a site grown stale, of a crawl that died before it could tell."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from ingest.changes import timestamp
from ingest.ledger.rows import RunKind
from ingest.notify import Event, Notification, event_of, notify
from service.schedule.crawls import ending, shell_code
from service.state import known_ledger
from wrac.cron import parse_duration
from wrac.errors import WracError
from wrac.exit_codes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ingest.ledger import Ledger
    from wrac.config import Settings

AGAIN_AFTER_FAILURE = timedelta(hours=1)
"""How long a hook that failed is left alone."""


def tell_stale(
    settings: Settings, sites: Iterable[str], now: datetime, environment: Mapping[str, str]
) -> Iterator[str]:
    """Each site that is stale was told of, once in each ``stale_after``; yields what was said and what went wrong."""
    if not settings.notify.stale_after:
        return
    limit = parse_duration(settings.notify.stale_after)
    try:
        with known_ledger(settings) as ledger:
            if ledger is None:
                return
            for site in sites:
                found = find_stale(ledger, site, limit, now)
                if found is None or ledger.runs.is_told(site, found.event, found.run or 0, found.at):
                    continue
                yield f"{site} is stale: {found.reason}"
                problems = notify(settings.notify, found, environment)
                yield from problems
                again = now.astimezone(UTC) + (AGAIN_AFTER_FAILURE if problems else limit)
                ledger.runs.record_notice(site, found.event, found.run or 0, timestamp(again))
    except WracError as error:
        yield f"cannot tell what is stale: {error}"


def find_stale(ledger: Ledger, site: str, limit: timedelta, now: datetime) -> Notification | None:
    """What is to be said of a site whose last good crawl ended longer ago than ``limit``; None where none is.

    A site that no crawl ever met is new, not stale; one that never had a good crawl is stale ``limit`` after its first.
    """
    good = ledger.runs.last_good(site)
    since = good or ledger.runs.first(site)
    if since is None:
        return None
    moment = datetime.fromisoformat(since.finished_at if good and since.finished_at else since.started_at)
    if now - moment <= limit:
        return None
    last = ledger.runs.last(site, RunKind.CRAWL) or since
    what = f"its last good crawl ended at {timestamp(moment)}" if good else "no crawl of it ever came to a good end"
    if last.run_id != since.run_id:
        what += f"; the last one, run {last.run_id}, is {last.state}{': ' + last.note if last.note else ''}"
    return Notification(
        Event.STALE,
        site,
        timestamp(now.astimezone(UTC)),
        what,
        run=since.run_id,
        exit_code=last.exit_code,
        figures=last.figures,
        pages=last.counts,
    )


def tell_of_the_dead(
    settings: Settings, site: str, return_code: int, now: datetime, environment: Mapping[str, str]
) -> list[str]:
    """A crawl that could not tell of its own end was told of; returns what went wrong.

    A crawl tells of its end itself unless it was killed, or failed before it was one.
    """
    event = event_of(return_code)
    if event is None or (return_code > 0 and return_code not in (ExitCode.USAGE, ExitCode.UNEXPECTED)):
        return []
    try:
        with known_ledger(settings) as ledger:
            last = ledger.runs.last(site, RunKind.CRAWL) if ledger is not None else None
    except WracError:
        last = None
    if return_code == ExitCode.UNEXPECTED and last is not None and last.exit_code == return_code:
        return []  # it lived to write that down
    said = Notification(
        event,
        site,
        timestamp(now.astimezone(UTC)),
        f"the crawl {ending(return_code)}",
        run=last.run_id if last is not None and return_code < 0 else None,
        exit_code=shell_code(return_code),
    )
    return notify(settings.notify, said, environment)
