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

from ingest import changes
from ingest.archive import Damaged, FileArchive, Kind
from ingest.bill import Account
from ingest.changes import timestamp
from ingest.flushing import Flusher
from ingest.gather import GatheredPage, GatherJob, GatherTask, seconds_for
from ingest.identity import identify
from ingest.indexer import CollectionIndexer
from ingest.intake import Intake
from ingest.ledger import Ledger
from ingest.ledger.rows import PageState, RunKind, RunRow, RunState
from ingest.lookalikes import MissingPages
from ingest.loss import check_loss
from ingest.packed_links import unpack_links
from ingest.page import PageSettings
from ingest.planning_stage import SitePlanning
from ingest.progress import Progress, RunSummary, Tally, added
from ingest.publish import Publisher
from ingest.publishing import PublishQueue
from ingest.recrawl import Rules, is_due
from ingest.report.files import leave_report
from ingest.resume import ResumedPage, ResumedPages, open_run
from ingest.settling import Settling
from ingest.site_lock import SiteLock
from ingest.summary import summarize
from ingest.twins import Twins
from ingest.workers import JOB_SECONDS, WorkerLost, WorkerPool
from wrac.errors import LossGuard, StoreError, WracError
from wrac.exit_codes import exit_code_for
from wrac.recipe import Recipe, Recipes
from wrac.records import FetchedPage, Outcome, PageOutcome, PageReport, Validators
from wrac.urls import normalize_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

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
        self._error: WracError | None = None
        self._closed = False
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
            self._blocks = self._ledger.blocks.of_site(self._site.name)
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
            twins=Twins(self._ledger, self._run),
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
            lacking = [row for row in published if row.state is PageState.LIVE]
        elif not self._stamp or self._stamp != self._ledger.runs.last_stamp(self._site.name):
            lacking = await self._queue.call(self._publisher.missing_pages)
        for row in lacking:
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
        """The page went through all stages, is in the archive, and waits to be published.

        Never raises for a fault of the page: its outcome says it. Raises ``StoreError`` where archive or ledger fail;
        the run should then be finished with ``completed=False``.
        """
        if self._error is not None:
            raise self._error
        url = normalize_url(page.final_url) or page.final_url
        key = identify(url)
        if (ended := self.blocked(url) or self.blocked(page.url)) is not None:
            return self._ended(self._intake.met(self._intake.known(key), key, url, depth), ended)
        self._note_redirect(page, key, depth)
        if not self._intake.claim(key):
            return _repeated(url)
        known = self._intake.known(key)
        row = self._intake.met(known, key, url, depth)
        try:
            if known is not None and self._is_untouched(known, page):
                row = changes.fetched(row, page)
                return self._untouched(row, known, "same body and recipe")
            result = await self._pool.run(GatherJob(page, known.published_record if known is not None else ""))
        except WorkerLost as lost:
            return self._ended(row, PageOutcome(url, Outcome.FAILED, f"worker: {lost}"))
        except WracError as error:
            self._intake.give_back(key)
            self._error = error
            raise
        except Exception as error:  # noqa: BLE001 (whatever broke broke over this page: that is its outcome)
            return self._ended(row, PageOutcome(url, Outcome.FAILED, f"worker: {type(error).__name__}: {error}"))
        self._tally.add(result.seconds)
        return self._take_in(row, page, result)

    def validators(self, url: str) -> Validators:
        """What a conditional request for the URL may send; empty where the whole answer is needed."""
        known = self._intake.known(identify(url))
        if known is None or not self._can_do_without(known):
            return Validators()
        return self._intake.validators(known)

    def _can_do_without(self, known: PageRow) -> bool:
        """Whether the archive has all that is needed of the page where the server does not send it."""
        if known.recipe not in self._recipes.digests:
            return self._archive.has(Kind.BODY, known.body_digest)
        return not self._archive.is_local or self._archive.has(Kind.PAGE, known.record)

    async def not_modified(self, url: str, depth: int, robots_tag: str = "") -> PageReport:
        """The server answered a conditional request with 304: the page is as it was.

        Where the recipe changed since, or the answer has an ``X-Robots-Tag``, the body is taken from the archive and
        goes through the stages again.
        """
        url = normalize_url(url) or url
        key = identify(url)
        known = self._intake.known(key)
        if known is None or self._intake.is_taken(key):
            return _repeated(url)
        is_remade = robots_tag or known.recipe not in self._recipes.digests
        if is_remade and (page := self._archived(known)) is not None:
            return await self.process(replace(page, robots_tag=robots_tag), depth)
        self._intake.claim(key)
        return self._untouched(self._intake.met(known, key, url, depth), known, "304 Not Modified")

    def blocked(self, url: str) -> PageOutcome | None:
        """The outcome of a URL that was forgotten on request and must not be asked for; None for all others."""
        if url not in self._blocks:
            return None
        return PageOutcome(url, Outcome.BLOCKED, "erased with `wrac forget`, which lets it back in with --unblock")

    def is_due(self, url: str, last_modified: datetime | None = None) -> bool:
        """Whether the URL is to be fetched now; ``last_modified`` is what a sitemap says of it."""
        known = self._intake.known(identify(url))
        return (
            known is None
            or not changes.is_published(known)
            or known.recipe not in self._recipes.digests
            or is_due(known, self._clock(), self._site.recheck[1], last_modified)
        )

    def skip(self, url: str, depth: int) -> PageReport:
        """The page is not due: nothing was asked, its links are followed."""
        url = normalize_url(url) or url
        key = identify(url)
        known = self._intake.known(key)
        if known is None or not self._intake.claim(key):
            return _repeated(url)
        return _stored(self._intake.skipped(self._intake.met(known, key, url, depth)))

    def record(self, outcome: PageOutcome, *, depth: int) -> None:
        """The URL ended without a body to process. What the stages found out in this run is not overwritten."""
        url = normalize_url(outcome.url) or outcome.url
        key = identify(url)
        if self._intake.is_taken(key):
            return
        known = self._intake.known(key)
        if known is not None and known.run_id == self._run.run_id and known.outcome is outcome.outcome:
            return  # seen before in this run: a page that is missing is missed once
        self._ended(self._intake.met(known, key, url, depth), outcome)

    def unseen(self) -> Iterator[tuple[str, int]]:
        """URL and depth of the published pages that this run did not meet; nothing is concluded from that alone.

        Files that were taken in from disk, which no server answered for, are no crawl's to look for.
        """
        for row in self._ledger.pages.unseen(self._site.name, self._run.run_id):
            if row.status:
                yield row.url, row.depth

    def learn_missing_redirect(self, target: str) -> None:
        """The site redirects addresses that do not exist to ``target``: such a redirect means that a page is gone."""
        self._missing.learn_redirect(target)

    def is_catch_all(self, target: str) -> bool:
        """Whether ``target`` is where the site redirects addresses that do not exist."""
        return self._missing.is_catch_all(target)

    async def learn_missing_page(self, page: FetchedPage) -> None:
        """The site answers addresses that do not exist with this page: one like it means that a page is gone."""
        with suppress(WorkerLost):
            result = await self._pool.run(page)
            if result.outcome.outcome is Outcome.INDEXED:
                self._missing.learn_page(result)

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

    def _is_untouched(self, known: PageRow, page: FetchedPage) -> bool:
        return changes.is_untouched(known, page, self._recipes) and self._archive.has(Kind.PAGE, known.record)

    def _archived(self, row: PageRow) -> FetchedPage | None:
        """The page as it was fetched last, None where its body is not there any more."""
        try:
            body = self._archive.get(Kind.BODY, row.body_digest)
        except (Damaged, ValueError):
            return None
        return changes.as_fetched(row, body)

    def _take_in(self, row: PageRow, page: FetchedPage, result: GatheredPage) -> PageReport:
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
            self._ended(changes.looked_at(row, result), replace(result.outcome, status=page.status))
            return report
        row = self._intake.content(row, page, result)
        self._tally.chunks += row.chunks if row.outcome is not Outcome.DUPLICATE else 0
        if row.state is PageState.GATHERED:
            self._planning.put(row)
        return replace(report, outcome=PageOutcome(row.url, row.outcome, row.reason))

    def _untouched(self, row: PageRow, known: PageRow, reason: str) -> PageReport:
        self._tally.add({})
        self._tally.chunks += row.chunks
        return _stored(self._intake.untouched(row, known, reason))

    def _ended(self, row: PageRow, outcome: PageOutcome) -> PageReport:
        ended = self._intake.ended(row, outcome)
        return PageReport(PageOutcome(row.url, ended.outcome, ended.reason), canonical=row.url)

    def _note_redirect(self, page: FetchedPage, key: str, depth: int) -> None:
        asked = normalize_url(page.url) or page.url
        if identify(asked) != key:
            self.record(
                PageOutcome(asked, Outcome.REDIRECTED, f"to {page.final_url}", target=page.final_url), depth=depth
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
        except LossGuard as loss:
            error, state = loss, RunState.HELD_BACK
        except WracError as failure:
            error = failure
            state = RunState.UNPUBLISHED if completed and self._error is None else RunState.INTERRUPTED
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
            figures=added(self._run.figures, self._figures()),
            stamp=self._indexer.stamp() if self._index and state is RunState.FINISHED else "",
        )
        self._ledger.runs.update(run)
        return run

    def _figures(self) -> dict[str, float]:
        """What this session did, by name; ``docs/reports.md`` explains them."""
        done = self._publisher.figures
        figures: dict[str, float] = {
            "published": done.pages,
            "withdrawn": done.withdrawn,
            "points_kept": done.synced.kept,
            "points_refreshed": done.synced.refreshed,
            "points_upserted": done.synced.upserted,
            "points_deleted": done.synced.deleted,
            "embedded": done.embedded,
            "reused": done.reused,
        }
        if (transcribed := self._planning.transcription) is not None:
            told = {name: count for name, count in transcribed.as_dict().items() if isinstance(count, int)}
            figures |= {f"transcription_{name}": count for name, count in told.items()}
        figures |= {f"pages_{action}": count for action, count in self._intake.actions.items()}
        return figures | {f"seconds_{stage}": round(spent, 3) for stage, spent in self._seconds().items()}

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
        return timestamp(self._clock())


def _repeated(url: str) -> PageReport:
    return PageReport(PageOutcome(url, Outcome.DUPLICATE, "was processed before in this run"), canonical=url)


def _stored(row: PageRow) -> PageReport:
    """The report of a page that was not looked into: what the ledger has of it."""
    return PageReport(
        outcome=PageOutcome(row.url, row.outcome, row.reason),
        canonical=row.declared_canonical or row.url,
        links=unpack_links(row.links),
        language=row.language,
        chunks=row.chunks,
    )
