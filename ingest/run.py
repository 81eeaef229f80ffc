"""One crawl of a site, from the crawler's side: hand over responses, get links back, and the rest is seen to.

    run = IngestRun(settings, site)
    await run.start()                     # before any work: configuration, site lock, ledger, models, collection
    for url, page in run.resumed().items(): ...
    report = await run.process(page, depth)
    run.record(PageOutcome(url, Outcome.GONE, "404"), depth=1)
    summary = await run.finish(completed=True)

The first crawl of a site is published as it goes; a later one gathers first and publishes at its end, so that a search
never sees half of a change. The collection is held only while pages are written to it.
"""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from ingest import intake
from ingest.archive import FileArchive, Kind
from ingest.bill import Account
from ingest.flushing import Flusher
from ingest.gather import GatheredPage, GatherTask
from ingest.identity import identify
from ingest.indexer import CollectionIndexer
from ingest.ledger import Ledger
from ingest.ledger.rows import INDEXED_STATES, PageState, RunRow, RunState, VariantKind
from ingest.packed_links import unpack_links
from ingest.page import PageSettings
from ingest.planning_stage import SitePlanning
from ingest.progress import Progress, RunSummary, Tally
from ingest.publish import Publisher
from ingest.publishing import PublishQueue
from ingest.resume import ResumedPage, ResumedPages, open_run
from ingest.settling import settle_held_pages
from ingest.site_lock import SiteLock
from ingest.summary import summarize
from ingest.twins import Twins
from ingest.workers import JOB_SECONDS, WorkerLost, WorkerPool
from wrac.errors import WracError
from wrac.recipe import Recipe
from wrac.records import FetchedPage, Outcome, PageOutcome, PageReport, Validators
from wrac.urls import normalize_url

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ingest.indexer import Indexer
    from ingest.ledger.rows import PageRow
    from wrac.config import Settings, SiteProfile

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
        page_seconds: float = JOB_SECONDS,
    ) -> None:
        """Nothing is opened yet.

        ``indexer`` stands in for the embedder and the collection of the settings; ``index=False`` only gathers.
        ``page_seconds`` is the wall time after which a page is given up.
        """
        self._settings = settings
        self._site = site
        self._clock = clock
        self._timer = timer
        self._indexer = indexer or CollectionIndexer(settings, site.collection)
        self._index = index
        self._page_seconds = page_seconds
        self._tally = Tally()
        self._processed: set[str] = set()
        """Pages that went through the stages in this run."""
        self._known: set[str] = set()
        """Pages of earlier sessions and runs."""
        self._error: WracError | None = None
        self._closed = False

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
            self._recipe = Recipe(page_settings.conversion, planning.recipe, self._indexer.recipe)
            self._open_run()
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
            self._planning = planning.open(self._ledger, self._archive, self._account, self._recipe, self._planned)
            opened.callback(self._planning.close)
            await self._check_collection()
            self._pool: WorkerPool[FetchedPage, GatheredPage] = WorkerPool(
                GatherTask(page_settings, self._settings.archive_url),
                count=self._settings.workers,
                limit=self._page_seconds,
            )
            await self._pool.start()
            opened.push_async_callback(self._pool.close)
            self._opened = opened.pop_all()
        self._flusher = Flusher(self._ledger.pages, FLUSH_SECONDS, self._fail)
        self._queue.start()
        self._planning.start()

    def _open_run(self) -> None:
        self._run = open_run(
            self._ledger,
            self._site.name,
            self._site.collection,
            self._recipe,
            now=self._clock(),
            resume_within=RESUME_WITHIN,
        )
        self._known = self._ledger.pages.known_ids(self._site.name)
        self._resumed = ResumedPages(self._ledger, self._run)
        self._processed.update(self._resumed.page_ids())
        self._twins = Twins(self._ledger, self._run, any_known=bool(self._known))

    async def _check_collection(self) -> None:
        """The collection can be opened, and pages that it lacks wait to be published."""
        if not self._index:
            return
        for row in await self._queue.call(self._publisher.missing_pages):
            self._ledger.pages.save(replace(row, state=PageState.GATHERED))
        for row in self._ledger.pages.of_run(self._site.name, self._run.run_id, PageState.GATHERED):
            self._planning.put(row)

    def resumed(self) -> Mapping[str, ResumedPage]:
        """Pages that an interrupted session of this run finished, by URL: depth and links. Empty for a new run."""
        return self._resumed

    # ------------------------------------------------------------ pages

    async def process(self, page: FetchedPage, depth: int) -> PageReport:
        """The page went through all stages, is in the archive, and waits to be published.

        Never raises for a fault of the page: its outcome says it. Raises ``StoreError`` where archive or ledger fail;
        the run should then be finished with ``completed=False``.
        """
        if self._error is not None:
            raise self._error
        url = normalize_url(page.final_url) or page.final_url
        key = identify(url)
        self._note_redirect(page, url, key, depth)
        if key in self._processed:
            return _repeated(url)
        self._processed.add(key)
        known = self._known_row(key)
        row = intake.fetched(self._met(known, key, url, depth), page)
        try:
            if known is not None and self._is_untouched(known, page):
                return self._untouched(row, "same body and recipe")
            result = await self._pool.run(page)
        except WorkerLost as lost:
            return self._ended(row, PageOutcome(url, Outcome.FAILED, f"worker: {lost}"))
        except WracError as error:
            self._processed.discard(key)
            self._error = error
            raise
        except Exception as error:  # noqa: BLE001 (whatever broke broke over this page: that is its outcome)
            return self._ended(row, PageOutcome(url, Outcome.FAILED, f"worker: {type(error).__name__}: {error}"))
        self._tally.add(result.seconds)
        return self._take_in(intake.gathered(row, result, self._recipe), known, result)

    def validators(self, url: str) -> Validators:
        """What a conditional request for the URL may send; empty where the whole answer is needed."""
        row = self._known_row(identify(url))
        if row is None or row.recipe != self._recipe.digest or not intake.is_published(row):
            return Validators()
        return Validators(row.etag, row.last_modified)

    def not_modified(self, url: str, depth: int) -> PageReport:
        """The server answered a conditional request with 304: the page is unchanged, its links are followed."""
        url = normalize_url(url) or url
        key = identify(url)
        known = self._known_row(key)
        if known is None or key in self._processed:
            return _repeated(url)
        self._processed.add(key)
        return self._untouched(self._met(known, key, url, depth), "304 Not Modified")

    def record(self, outcome: PageOutcome, *, depth: int) -> None:
        """The URL ended without a body to process. What the stages found out in this run is not overwritten."""
        url = normalize_url(outcome.url) or outcome.url
        key = identify(url)
        if key in self._processed:
            return
        known = self._known_row(key)
        self._ended(self._met(known, key, url, depth), outcome)

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

    def _known_row(self, key: str) -> PageRow | None:
        return self._ledger.pages.get(self._site.name, key) if key in self._known else None

    def _is_untouched(self, known: PageRow, page: FetchedPage) -> bool:
        return intake.is_untouched(known, page, self._recipe) and self._archive.has(Kind.PAGE, known.record)

    def _take_in(self, row: PageRow, known: PageRow | None, result: GatheredPage) -> PageReport:
        report = PageReport(
            outcome=result.outcome,
            canonical=result.canonical or row.url,
            links=unpack_links(result.links),
            directives=result.directives,
            language=result.language,
            alternates=result.alternates,
            chunks=result.chunks,
        )
        if result.outcome.outcome is not Outcome.INDEXED:
            self._ended(row, result.outcome)
            return report
        own = not result.canonical or identify(result.canonical) == row.page_id
        row = intake.to_index(row, known, own)
        if row.state is PageState.GATHERED and (first := self._twins.find(row)) is not None:
            row = self._as_variant(row, first)
        self._ledger.pages.save(row)
        self._tally.chunks += row.chunks if row.outcome is not Outcome.DUPLICATE else 0
        if row.state in INDEXED_STATES:
            self._twins.add(row)
        if row.state is PageState.GATHERED:
            self._planning.put(row)
        return replace(report, outcome=PageOutcome(row.url, row.outcome, row.reason))

    def _as_variant(self, row: PageRow, first: PageRow) -> PageRow:
        self._ledger.pages.add_variant(self._site.name, row.url, first.page_id, VariantKind.IDENTICAL, self._run.run_id)
        return intake.variant(row, first.page_id, f"has the same text as {first.url}")

    def _untouched(self, row: PageRow, reason: str) -> PageReport:
        self._tally.add({})
        self._tally.chunks += row.chunks
        self._twins.add(row)
        self._ledger.pages.save(replace(row, outcome=Outcome.UNCHANGED, reason=reason))
        return PageReport(
            outcome=PageOutcome(row.url, Outcome.UNCHANGED, reason),
            canonical=row.declared_canonical or row.url,
            links=unpack_links(row.links),
            language=row.language,
            chunks=row.chunks,
        )

    def _ended(self, row: PageRow, outcome: PageOutcome) -> PageReport:
        self._ledger.pages.save(intake.ended(row, outcome))
        return PageReport(outcome=outcome, canonical=row.url)

    def _note_redirect(self, page: FetchedPage, url: str, key: str, depth: int) -> None:
        asked = normalize_url(page.url) or page.url
        if (alias := identify(asked)) == key or alias in self._processed:
            return
        known = self._known_row(alias)
        row = self._met(known, alias, asked, depth)
        self._ledger.pages.add_variant(self._site.name, asked, key, VariantKind.REDIRECT, self._run.run_id)
        self._ended(replace(row, variant_of=key), PageOutcome(asked, Outcome.REDIRECTED, f"to {url}"))

    def _met(self, known: PageRow | None, key: str, url: str, depth: int) -> PageRow:
        return intake.met(
            known, site=self._site.name, page_id=key, url=url, run=self._run, depth=depth, now=self._now()
        )

    def _planned(self, before: PageRow, after: PageRow) -> None:
        self._tally.chunks += after.chunks - before.chunks
        if self._index:
            self._queue.put(after.page_id, after.chunks)

    # ------------------------------------------------------------ finish

    def interrupt(self) -> None:
        """Whoever waits for ``finish`` wants it soon: no model is asked any more, and the run stays resumable."""
        self._planning.interrupt()

    async def finish(self, completed: bool) -> RunSummary:
        """Everything is closed; what was gathered is published, or kept for the next run of the site.

        ``completed=False`` leaves the run resumable. A collection that cannot be written is no exception: the summary
        carries the error, and the next run publishes what was gathered without fetching it. Raises ``StoreError``
        where not even the ledger can be written.
        """
        error: WracError | None = self._error
        state = RunState.INTERRUPTED
        try:
            await self._flusher.stop()
            if completed and error is None:
                await self._publish_all()
                state = RunState.FINISHED
            else:
                await self._planning.stop()
                await self._queue.stop()
        except WracError as failure:
            error = failure
            state = RunState.UNPUBLISHED if completed and self._error is None else RunState.INTERRUPTED
        except Exception:
            await self._close(RunState.INTERRUPTED, error)
            raise
        return await self._close(state, error)

    async def _publish_all(self) -> None:
        if not self._index:
            await self._planning.drain()
            return
        for row in await asyncio.to_thread(settle_held_pages, self._ledger, self._archive, self._run, self._now()):
            self._planning.put(row)
        for row in self._ledger.pages.in_state(self._site.name, PageState.GATHERED):
            if row.run_id != self._run.run_id and row.recipe in self._planning.recipes:
                self._planning.put(row)  # gathered by an earlier run that never published it
        try:
            await self._planning.drain()
        except WracError:
            await self._queue.stop()
            raise
        await self._queue.drain()
        manifest = self._ledger.publishes.open_manifest(self._run, self._now())
        self._ledger.publishes.complete_manifest(manifest, self._now())

    async def _close(self, state: RunState, error: WracError | None) -> RunSummary:
        async with self._opened:
            self._run = self._ended_run(state, error)
            return summarize(
                self._ledger,
                self._run,
                self._settings,
                self._publisher.figures,
                self._seconds(),
                self._indexer.languages if self._index else None,
                error,
                self._account.bill(),
                self._account.close_session(self._planning.figures),
            )

    def _ended_run(self, state: RunState, error: WracError | None) -> RunRow:
        counts = self._ledger.pages.count_by("outcome", self._site.name, self._run.run_id)
        run = replace(self._run, state=state, finished_at=self._now(), counts=counts, note=str(error or ""))
        self._ledger.runs.update(run)
        return run

    # ------------------------------------------------------------ inside

    def _fail(self, error: WracError) -> None:
        self._error = error

    def _seconds(self) -> dict[str, float]:
        figures = self._publisher.figures
        stages = {"embed": figures.embed_seconds, "publish": figures.publish_seconds}
        if self._planning.figures is not None:
            stages = {"ask": self._planning.seconds} | stages
        return self._tally.seconds | stages

    def _now(self) -> str:
        return intake.timestamp(self._clock())


def _repeated(url: str) -> PageReport:
    return PageReport(PageOutcome(url, Outcome.DUPLICATE, "was processed before in this run"), canonical=url)
