"""One command at work on sites that no crawl and no other command may touch meanwhile."""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from ingest.archive import FileArchive
from ingest.bill import Account
from ingest.ledger import Ledger
from ingest.ledger.rows import RunKind, RunState
from ingest.site_lock import SiteLock
from wrac.errors import ConfigError, StoreLocked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ingest.ledger.rows import RunRow
    from wrac.config import Settings
    from wrac.recipe import Recipe

LOCK_PATIENCE_SECONDS = 30.0
_LOCK_RETRY_SECONDS = 0.5

_Result = TypeVar("_Result")


@dataclass
class Session:
    """Ledger and archive, open, with the locks of ``sites`` held."""

    settings: Settings
    sites: tuple[str, ...]
    ledger: Ledger
    archive: FileArchive
    clock: Callable[[], datetime]
    timer: Callable[[], float]
    sleep: Callable[[float], None]
    runs: dict[str, RunRow] = field(default_factory=dict)
    """The run of each site that ``begin`` was called for."""

    def now(self) -> str:
        """The time as the ledger keeps it."""
        return self.clock().isoformat(timespec="seconds")

    def begin(self, site: str, kind: RunKind, recipe: Recipe, figures: Mapping[str, float] | None = None) -> RunRow:
        """The command is on record as a run of the site: that of an earlier call that broke off, else a new one.

        ``figures`` are what a later call has to know of this one.
        """
        if site in self.runs:
            return self.runs[site]
        last = self.ledger.runs.last(site, kind)
        collection = self.collection_of(site)
        if last is not None and last.state is not RunState.FINISHED and last.recipe == recipe.digest:
            run = replace(last, state=RunState.RUNNING, sessions=last.sessions + 1)
        else:
            run = self.ledger.runs.start(
                site, first=False, collection=collection, recipe=recipe, started_at=self.now(), kind=kind
            )
        run = replace(run, figures=dict(figures or {}))
        self.ledger.runs.update(run)
        self.runs[site] = run
        return run

    def finish(self, site: str, counts: Mapping[str, int], figures: Mapping[str, float], exit_code: int = 0) -> None:
        """The run of the site has done what it was to do."""
        run = self.runs.pop(site)
        self.ledger.pages.flush()
        self.ledger.runs.update(
            replace(
                run,
                state=RunState.FINISHED,
                finished_at=self.now(),
                counts=dict(counts),
                figures=dict(figures),
                exit_code=exit_code,
                note="",
            )
        )

    def break_off(self, note: str) -> None:
        """The runs that are under way ended early; the same command goes on with them."""
        for run in self.runs.values():
            ended = replace(run, state=RunState.INTERRUPTED, finished_at=self.now(), note=note)
            self.ledger.runs.update(ended)
        self.runs.clear()

    def account(self, run: RunRow) -> Account:
        """Takes the bills of a run."""
        return Account(self.ledger, self.settings, run.site, run.run_id)

    def collection_of(self, site: str) -> str:
        """The collection that the site was published into last."""
        run = self.ledger.runs.last(site)
        if run is None:
            raise unknown_site(self.ledger, site)
        return run.collection

    def patiently(self, call: Callable[[], _Result]) -> _Result:
        """The result of ``call``, which is tried again for a while where a reader holds the embedded collection."""
        give_up_at = self.timer() + LOCK_PATIENCE_SECONDS
        while True:
            try:
                return call()
            except StoreLocked:
                if self.timer() >= give_up_at:
                    raise
                self.sleep(_LOCK_RETRY_SECONDS)


@contextmanager
def open_session(
    settings: Settings,
    sites: Sequence[str],
    *,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    timer: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
    must_be_known: bool = True,
) -> Iterator[Session]:
    """A session on sites that the ledger knows; everything is closed at its end, however it ends.

    Raises ``StoreLocked`` where one of the sites is being crawled, ``ConfigError`` for a site that is not known.
    """
    with ExitStack() as opened:
        for site in sorted(set(sites)):
            opened.callback(SiteLock(settings.data_dir, site).release)
        ledger = opened.enter_context(Ledger(settings.ledger_url))
        known = ledger.runs.sites()
        for site in sites:
            if must_be_known and site not in known:
                raise unknown_site(ledger, site)
        archive = FileArchive(settings.archive_url)
        session = Session(settings, tuple(sites), ledger, archive, clock, timer, sleep)
        try:
            yield session
        except BaseException as error:
            session.break_off(str(error) or type(error).__name__)
            raise


def unknown_site(ledger: Ledger, site: str) -> ConfigError:
    """The error for a site that no run ever crawled."""
    known = ", ".join(ledger.runs.sites()) or "none yet"
    return ConfigError(f"no site {site!r} was crawled (sites: {known}): `wrac crawl {site}` does")


def sites_in(ledger: Ledger, collection: str) -> list[str]:
    """The sites that the ledger knows to live in a collection."""
    lasts = ((site, ledger.runs.last(site)) for site in ledger.runs.sites())
    return [site for site, run in lasts if run is not None and run.collection == collection]
