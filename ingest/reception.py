"""Where pages come in: what a crawl fetched, or could not fetch, becomes one decision and, with content, work."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ingest import changes
from ingest.archive import Damaged, Kind
from ingest.gather import GatherJob
from ingest.identity import identify
from ingest.ledger.rows import PageState
from ingest.packed_links import unpack_links
from ingest.recrawl import is_due
from ingest.workers import WorkerLost
from wrac.errors import WracError
from wrac.records import FetchedPage, Outcome, PageOutcome, PageReport, Validators
from wrac.urls import normalize_url

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from datetime import datetime

    from ingest.archive import FileArchive
    from ingest.blocks import Blocks
    from ingest.gather import GatheredPage
    from ingest.intake import Intake
    from ingest.ledger import Ledger
    from ingest.ledger.rows import PageRow, RunRow
    from ingest.lookalikes import MissingPages
    from ingest.progress import Tally
    from ingest.workers import WorkerPool
    from wrac.config import SiteProfile
    from wrac.recipe import Recipes


class Reception:
    """The pages of one session, as they come. For one event loop."""

    def __init__(
        self,
        ledger: Ledger,
        archive: FileArchive,
        run: RunRow,
        recipes: Recipes,
        site: SiteProfile,
        *,
        intake: Intake,
        missing: MissingPages,
        blocks: Blocks,
        pool: WorkerPool[FetchedPage | GatherJob, GatheredPage],
        tally: Tally,
        ready: Callable[[PageRow], None],
        second_look: Callable[[FetchedPage, GatheredPage, str], Awaitable[GatheredPage]],
        clock: Callable[[], datetime],
    ) -> None:
        """``ready`` gets each page that is to be published; ``second_look`` is that of ``PlanningStage``."""
        self.error: WracError | None = None
        """What broke below all pages: nothing more can be taken in."""
        self._ledger = ledger
        self._archive = archive
        self._run = run
        self._recipes = recipes
        self._site = site
        self._intake = intake
        self._missing = missing
        self._blocks = blocks
        self._pool = pool
        self._tally = tally
        self._ready = ready
        self._second_look = second_look
        self._clock = clock

    async def process(self, page: FetchedPage, depth: int) -> PageReport:
        """The page went through all stages, is in the archive, and waits to be published.

        Never raises for a fault of the page: its outcome says it. Raises ``StoreError`` where archive or ledger fail;
        the run should then be finished with ``completed=False``.
        """
        if self.error is not None:
            raise self.error
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
            previous = known.published_record if known is not None else ""
            result = await self._pool.run(GatherJob(page, previous))
            if result.outcome.outcome is not Outcome.INDEXED:
                result = await self._second_look(page, result, previous)
        except WorkerLost as lost:
            return self._ended(row, PageOutcome(url, Outcome.FAILED, f"worker: {lost}"))
        except WracError as error:
            self._intake.give_back(key)
            self.error = error
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
        reason = "erased with `wrac forget`; docs/recrawls.md says how to let it back in"
        return PageOutcome(url, Outcome.BLOCKED, reason)

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
        for row in self._ledger.pages.unseen(self._run.site, self._run.run_id):
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
            self._ready(row)
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
