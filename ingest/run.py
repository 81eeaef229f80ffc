"""One crawl of a site, from the crawler's side: hand over responses, get links back, and the rest is seen to.

    run = IngestRun(settings, site)
    await run.start()                     # before any work: configuration, site lock, ledger, models, collection
    for url, page in run.resumed().items(): ...
    report = await run.process(page, depth)
    report = await run.not_modified(url, depth)     # the answer to a conditional request: run.validators(url)
    run.record(PageOutcome(url, Outcome.GONE, "404"), depth=1)
    for url, depth in run.unseen(): ...             # published pages that the crawl did not meet
    summary = await run.finish(completed=True)

The first crawl of a site is published as it goes; a later one gathers first and publishes at its end, so that a search
never sees half of a change. The collection is held only while pages are written to it.
"""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from ingest.archive import FileArchive
from ingest.bill import Account
from ingest.changes import timestamp
from ingest.flushing import Flusher
from ingest.gather import GatheredPage, GatherJob, GatherTask, seconds_for
from ingest.indexer import CollectionIndexer
from ingest.intake import Intake
from ingest.ledger import Ledger
from ingest.ledger.rows import PageState, RunKind, RunRow, RunState
from ingest.lookalikes import MissingPages
from ingest.loss import check_loss
from ingest.page_settings import PageSettings
from ingest.planning_stage import SitePlanning
from ingest.progress import Progress, RunSummary, Tally, added
from ingest.publish import PUBLISHED_STATES, Publisher
from ingest.publishing import PublishQueue
from ingest.reception import Reception
from ingest.recrawl import Rules
from ingest.report.files import leave_report
from ingest.resume import ResumedPage, ResumedPages, open_run
from ingest.settling import Settling
from ingest.site_lock import SiteLock
from ingest.summary import session_figures, summarize
from ingest.workers import JOB_SECONDS, WorkerPool
from wrac.errors import LossGuard, StoreError, WracError
from wrac.exit_codes import exit_code_for
from wrac.recipe import Recipe, Recipes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ingest.indexer import Indexer
    from ingest.ledger.rows import PageRow
    from wrac.config import Settings, SiteProfile
    from wrac.records import FetchedPage, PageOutcome, PageReport, Validators

FLUSH_SECONDS = 0.5
"""How much work a killed process loses at most."""
RESUME_WITHIN = timedelta(days=1)
"""An older interrupted run is not gone on with: its pages may have changed since."""


class IngestRun:
    """One session of one run. All methods are for one event loop; none blocks it for long."""

    def __init__(
        self,
        settings: Settings,
        site: SiteProfile,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        timer: Callable[[], float] = time.monotonic,
        indexer: Indexer | None = None,
        index: bool = True,
        accept_loss: bool = False,
        page_seconds: float = JOB_SECONDS,
    ) -> None:
        """Nothing is opened yet.

        ``indexer`` stands in for the embedder and the collection of the settings; ``index=False`` only gathers.
        ``accept_loss``: a person looked; neither shrunken pages nor the loss guard hold anything back.
        ``page_seconds`` is the wall time after which a page is given up; documents have their own.
        """
        self._settings = settings
        self._site = site
        self._clock = clock
        self._timer = timer
        self._indexer = indexer or CollectionIndexer(settings, site.collection)
        self._index = index
        self._accept_loss = accept_loss
        self._page_seconds = page_seconds
        self._tally = Tally()
        self._started = False

    # ------------------------------------------------------------ start

    async def start(self) -> None:
        """Everything is open and warm. Raises ``ConfigError``, ``StoreLocked``, ``StoreError``, ``TransientError``."""
        page_settings = PageSettings.of(self._settings, self._site)
        planning = SitePlanning(
            self._site, self._settings, page_settings.limits, os.environ, by_rule=page_settings.planning
        )
        async with AsyncExitStack() as opened:  # undone where a later step fails
            lock = SiteLock(self._settings.data_dir, self._site.name)
            opened.callback(lock.release)
            self._ledger = Ledger(self._settings.ledger_url)
            opened.callback(self._ledger.close)
            self._archive = FileArchive(self._settings.archive_url)
            if self._index:
                await asyncio.to_thread(self._indexer.prepare)
            pages = Recipe(page_settings.conversion, planning.recipe, self._indexer.recipe)
            self._recipes = Recipes.of(pages, page_settings.document_conversions)
            self._open_run()
            opened.push(self._not_started)
            self._account = Account(self._ledger, self._settings, self._site.name, self._run.run_id)
            self._publisher = Publisher(
                self._ledger,
                self._archive,
                self._indexer,
                self._run,
                account=self._account,
                now=self._now,
                timer=self._timer,
            )
            self._queue = PublishQueue(self._publisher, as_it_goes=self._run.first, timer=self._timer)
            opened.callback(self._queue.close)
            self._planning = planning.open(self._ledger, self._archive, self._account, self._recipes, self._planned)
            opened.callback(self._planning.close)
            await self._check_collection()
            self._pool: WorkerPool[FetchedPage | GatherJob, GatheredPage] = WorkerPool(
                GatherTask(page_settings, self._settings.archive_url),
                count=self._settings.workers,
                limit=partial(seconds_for, usual=self._page_seconds),
            )
            if self._run.first:
                await self._pool.start()
            opened.push_async_callback(self._pool.close)
            self._reception = Reception(
                self._ledger,
                self._archive,
                self._run,
                self._recipes,
                self._site,
                intake=self._intake,
                missing=self._missing,
                blocks=self._ledger.blocks.of_site(self._site.name),
                pool=self._pool,
                tally=self._tally,
                ready=self._planning.put,
                second_look=self._planning.second_look,
                clock=self._clock,
            )
            self._opened = opened.pop_all()
            self._started = True
        self._flusher = Flusher(self._ledger.pages, FLUSH_SECONDS, self._fail)
        self._queue.start()
        self._planning.start()

    def _open_run(self) -> None:
        before = self._ledger.runs.last(self._site.name, RunKind.CRAWL)
        self._run = open_run(
            self._ledger,
            self._site.name,
            self._site.collection,
            self._recipes.pages,
            now=self._clock(),
            resume_within=RESUME_WITHIN,
        )
        is_resumed = before is not None and before.run_id == self._run.run_id and before.state is not RunState.RUNNING
        self._state_before = before.state if before and is_resumed else RunState.INTERRUPTED
        for recipe in self._recipes:
            self._ledger.runs.add_recipe(recipe)
        self._resumed = ResumedPages(self._ledger, self._run)
        self._missing = MissingPages(self._archive)
        self._intake = Intake(
            self._ledger,
            self._run,
            self._recipes,
            self._site,
            rules=Rules.of(self._site, accept_loss=self._accept_loss),
            missing=self._missing,
            finished=self._resumed.page_ids(),
            clock=self._clock,
        )

    def _not_started(self, _: object, error: BaseException | None, __: object) -> None:
        """A run that cannot start says why; it was not killed."""
        if isinstance(error, WracError) and not self._started:
            run = replace(
                self._run,
                state=self._state_before,
                finished_at=self._now(),
                note=str(error),
                exit_code=exit_code_for(error),
            )
            with suppress(StoreError):
                self._ledger.runs.update(run)

    async def _check_collection(self) -> None:
        """The collection can be opened, and pages that it lacks wait to be published."""
        if not self._index:
            return
        self._stamp = await asyncio.to_thread(self._indexer.stamp)
        lacking: Iterable[PageRow] = ()
        if self._is_moved():
            # Counts and ids cannot tell: an old version may be in a collection that was used before.
            published = self._ledger.pages.published(self._site.name)
            lacking = [row for row in published if row.state in PUBLISHED_STATES]
        elif not self._stamp or self._stamp != self._ledger.runs.last_stamp(self._site.name):
            lacking = await self._queue.call(self._publisher.missing_pages)
        for row in lacking:
            self._intake.lacking.add(row.page_id)
            if row.state is PageState.LIVE:
                self._ledger.pages.save(replace(row, state=PageState.GATHERED))
        for row in self._ledger.pages.of_run(self._site.name, self._run.run_id, PageState.GATHERED):
            self._planning.put(row)

    def _is_moved(self) -> bool:
        """Whether the run before this one published into another collection."""
        last_two = self._ledger.runs.of_site(self._site.name, limit=2)
        return any(run.collection != self._run.collection for run in last_two)

    def resumed(self) -> Mapping[str, ResumedPage]:
        """Pages that an interrupted session of this run finished, by URL: depth and links. Empty for a new run."""
        return self._resumed

    # ------------------------------------------------------------ pages

    async def process(self, page: FetchedPage, depth: int) -> PageReport:
        """See ``Reception.process``."""
        return await self._reception.process(page, depth)

    def validators(self, url: str) -> Validators:
        """See ``Reception.validators``."""
        return self._reception.validators(url)

    async def not_modified(self, url: str, depth: int, robots_tag: str = "") -> PageReport:
        """See ``Reception.not_modified``."""
        return await self._reception.not_modified(url, depth, robots_tag)

    def blocked(self, url: str) -> PageOutcome | None:
        """See ``Reception.blocked``."""
        return self._reception.blocked(url)

    def is_due(self, url: str, last_modified: datetime | None = None) -> bool:
        """See ``Reception.is_due``."""
        return self._reception.is_due(url, last_modified)

    def skip(self, url: str, depth: int) -> PageReport:
        """See ``Reception.skip``."""
        return self._reception.skip(url, depth)

    def record(self, outcome: PageOutcome, *, depth: int) -> None:
        """See ``Reception.record``."""
        self._reception.record(outcome, depth=depth)

    def unseen(self) -> Iterator[tuple[str, int]]:
        """See ``Reception.unseen``."""
        return self._reception.unseen()

    def learn_missing_redirect(self, target: str) -> None:
        """See ``Reception.learn_missing_redirect``."""
        self._reception.learn_missing_redirect(target)

    def is_catch_all(self, target: str) -> bool:
        """See ``Reception.is_catch_all``."""
        return self._reception.is_catch_all(target)

    async def learn_missing_page(self, page: FetchedPage) -> None:
        """See ``Reception.learn_missing_page``."""
        await self._reception.learn_missing_page(page)

    def progress(self) -> Progress:
        """How far this session is."""
        figures = self._publisher.figures
        return Progress(
            pages=self._tally.pages,
            chunks=self._tally.chunks,
            queue=len(self._queue),
            planning=len(self._planning),
            published=figures.pages,
            embedded=figures.embedded + figures.reused,
            seconds=self._seconds(),
        )

    def _planned(self, before: PageRow, after: PageRow) -> None:
        self._tally.chunks += after.chunks - before.chunks
        if self._index:
            self._queue.put(after.page_id, after.chunks)

    # ------------------------------------------------------------ finish

    def interrupt(self) -> None:
        """Whoever waits for ``finish`` wants it soon: no model is asked any more, and the run stays resumable."""
        self._planning.interrupt()

    async def finish(self, completed: bool, note: str = "") -> RunSummary:
        """Everything is closed; what was gathered is published, or kept for the next run of the site.

        ``completed=False`` leaves the run resumable; ``note`` is what the crawl has to say about its end. A collection
        that cannot be written is no exception: the summary carries the error, and the next run publishes what was
        gathered without fetching it. Raises ``StoreError`` where not even the ledger can be written.
        """
        error: WracError | None = self._reception.error
        state = RunState.INTERRUPTED
        try:
            await self._flusher.stop()
            if completed and error is None:
                await self._publish_all()
                state = RunState.FINISHED
            else:
                await self._planning.stop()
                await self._queue.stop()
        except LossGuard as loss:
            error, state = loss, RunState.HELD_BACK
        except WracError as failure:
            error = failure
            state = RunState.UNPUBLISHED if completed and self._reception.error is None else RunState.INTERRUPTED
        except Exception:
            await self._close(RunState.INTERRUPTED, error, note)
            raise
        return await self._close(state, error, note)

    async def _publish_all(self) -> None:
        if not self._index:
            await self._planning.drain()
            return
        settling = Settling(self._ledger, self._archive, self._run, self._intake)
        for row in await asyncio.to_thread(settling.settle):
            self._planning.put(row)
        for row in self._ledger.pages.in_state(self._site.name, PageState.GATHERED):
            if row.run_id != self._run.run_id and row.recipe in self._planning.recipes:
                self._planning.put(row)  # gathered by an earlier run that never published it
        try:
            await self._planning.drain()
        except WracError:
            await self._queue.stop()
            raise
        if not (self._run.first or self._accept_loss):
            await asyncio.to_thread(check_loss, self._ledger, self._site.name, self._site.loss_guard)
        await self._queue.drain()
        if self._run.first or self._ledger.publishes.has_manifest(self._run):
            manifest = self._ledger.publishes.open_manifest(self._run, self._now())
            self._ledger.publishes.complete_manifest(manifest, self._now())

    async def _close(self, state: RunState, error: WracError | None, note: str) -> RunSummary:
        async with self._opened:
            self._run = self._ended_run(state, error, note)
            planned = self._account.close_session(self._planning.figures)
            report = await asyncio.to_thread(
                leave_report, self._settings.data_dir, self._ledger, self._archive, self._run
            )
            return summarize(
                self._ledger,
                self._run,
                self._settings,
                self._publisher.figures,
                self._seconds(),
                self._indexer.languages if self._index else None,
                error,
                self._account.bill(),
                planned,
                report,
                self._planning.transcription,
            )

    def _ended_run(self, state: RunState, error: WracError | None, note: str) -> RunRow:
        counts = self._ledger.pages.count_by("outcome", self._site.name, self._run.run_id)
        told = " ".join(filter(None, (str(error or ""), note)))
        run = replace(
            self._run,
            state=state,
            finished_at=self._now(),
            counts=counts,
            note=told,
            figures=added(
                self._run.figures,
                session_figures(
                    self._publisher.figures, self._intake.actions, self._seconds(), self._planning.transcription
                ),
            ),
            stamp=self._indexer.stamp() if self._index and state is RunState.FINISHED else "",
        )
        self._ledger.runs.update(run)
        return run

    # ------------------------------------------------------------ inside

    def _fail(self, error: WracError) -> None:
        self._reception.error = error

    def _seconds(self) -> dict[str, float]:
        figures = self._publisher.figures
        stages = {"embed": figures.embed_seconds, "publish": figures.publish_seconds}
        if self._planning.figures is not None:
            stages = {"ask": self._planning.seconds} | stages
        return self._tally.seconds | stages

    def _now(self) -> str:
        return timestamp(self._clock())
