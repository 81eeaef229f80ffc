"""Pages made anew from what the archive has of them: from the body, or from the Markdown on."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from chunking import assemble, build_tree
from ingest.archive import Damaged, FileArchive, Kind
from ingest.changes import as_fetched
from ingest.codec import encode
from ingest.gather import GatheredPage, GatherJob, GatherTask, seconds_for
from ingest.page_records import read_record
from ingest.row_queue import INTERRUPTED
from ingest.workers import JOB_SECONDS, WorkerLost, WorkerPool
from wrac.errors import WracError
from wrac.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ingest.bill import Account
    from ingest.ledger import Ledger
    from ingest.ledger.rows import PageRow
    from ingest.page_settings import PageSettings
    from wrac.config import Settings

_PORTION = 64
"""Pages that are at work or waiting for it at a time."""


@dataclass(frozen=True, slots=True)
class Remade:
    """What became of one page: a new version, or the reason why there is none."""

    before: PageRow
    after: PageRow | None
    reason: str = ""
    unasked: bool = False
    """Part of its plan is by rule only until the model can be asked."""


@dataclass(frozen=True)
class ReplanTask:
    """The task of a worker: key of a page record in, that of its record with a new plan out."""

    settings: PageSettings
    source: str
    """URL of the archive to read from."""
    target: str
    """URL of the archive to write to."""

    @cached_property
    def _archives(self) -> tuple[FileArchive, FileArchive]:
        return FileArchive(self.source), FileArchive(self.target)

    def __call__(self, key: str) -> tuple[str, int, int]:
        """Key, chunks and tokens of the new record. Raises ``Damaged``, ``StoreError``."""
        source, target = self._archives
        record = read_record(source, key)
        tree = build_tree(record.document, self.settings.limits)
        plan = self.settings.planner.plan(tree)
        chunks = tuple(assemble(tree, plan))
        record = replace(
            record,
            units=tree.units,
            fusions=tree.fusions,
            plan=plan,
            chunks=chunks,
            planning=self.settings.planning,
        )
        return target.put(Kind.PAGE, encode(record)), len(chunks), sum(chunk.tokens for chunk in chunks)


class Workers:
    """Remakes pages in worker processes; the versions have no recipe of their own yet."""

    def __init__(self, settings: Settings, page_settings: PageSettings, archive: FileArchive, target: str) -> None:
        """``target`` is the URL of the archive that new records go to."""
        self._count = settings.workers
        self._page_settings = page_settings
        self._source = settings.archive_url
        self._archive = archive
        self._target = target

    def replanned(self, rows: Sequence[PageRow]) -> Iterator[Remade]:
        """Each page with a new plan by rule of its archived Markdown, in order."""
        task = ReplanTask(self._page_settings, self._source, self._target)
        for row, made in self._run(task, ((row, row.record) for row in rows)):
            if isinstance(made, Exception):
                yield Remade(row, None, str(made))
            else:
                record, chunks, tokens = made
                yield Remade(row, replace(row, record=record, chunks=chunks, tokens=tokens))

    def reconverted(self, rows: Sequence[PageRow]) -> Iterator[Remade]:
        """Each page through all stages from its archived body, in order; one without content has no new version."""
        task = GatherTask(self._page_settings, self._target)
        for row, made in self._run(task, ((row, self._response(row)) for row in rows), seconds_for):
            if isinstance(made, Exception):
                yield Remade(row, None, str(made))
            elif made.outcome.outcome is not Outcome.INDEXED:
                yield Remade(row, None, f"{made.outcome.outcome}: {made.outcome.reason}")
            else:
                yield Remade(row, _version(row, made))

    def _response(self, row: PageRow) -> GatherJob | Damaged:
        """What the row was made from. What its headers forbade is known: it was indexed nonetheless.

        Sections that stay keep their chunks, as in a crawl.
        """
        try:
            body = self._archive.get(Kind.BODY, row.body_digest) if row.body_digest else b""
        except Damaged as error:
            return error
        if not body:
            return Damaged("its body is not in the archive; the next crawl fetches it")
        return GatherJob(replace(as_fetched(row, body), link_canonical=""), row.record)

    def _run(
        self, task: Any, jobs: Iterator[tuple[PageRow, Any]], limit: float | Callable[[Any], float] = JOB_SECONDS
    ) -> Iterator[tuple[PageRow, Any]]:
        """Each row with the result of its job, or with the error that is the job or that it ended with.

        Raises ``StoreError`` where the archive fails.
        """
        pool: WorkerPool[Any, Any] = WorkerPool(task, count=self._count, limit=limit)
        with asyncio.Runner() as runner:
            runner.run(pool.start())
            try:
                while portion := list(islice(jobs, _PORTION)):
                    results = runner.run(_all_of(pool, [job for _, job in portion]))
                    for (row, _), made in zip(portion, results, strict=True):
                        if isinstance(made, WracError) and not isinstance(made, (Damaged, WorkerLost)):
                            raise made
                        yield row, made
            finally:
                runner.run(pool.close())


async def _all_of(pool: WorkerPool[Any, Any], jobs: Sequence[Any]) -> list[Any]:
    async def done(job: Any) -> Any:
        return job if isinstance(job, Exception) else await pool.run(job)

    return await asyncio.gather(*map(done, jobs), return_exceptions=True)


class ModelPlans:
    """Plans by the site's model, for pages that were planned by rule just now."""

    def __init__(
        self,
        settings: Settings,
        page_settings: PageSettings,
        ledger: Ledger,
        archive: FileArchive,
        account: Account,
        recipe: str,
    ) -> None:
        """``recipe`` is its planning part. Raises ``ConfigError`` where the model has no price or no key."""
        from ingest import planning  # noqa: PLC0415 - its client takes a second to load, and few sites need it

        self._planning = planning
        self._recipe = planning.planning_recipe(page_settings.planning, settings)
        self._client = planning.open_chat(settings, os.environ)
        self._planner = planning.make_planner(
            settings,
            page_settings.limits,
            self._client,
            budget=account.budget,
            cache=planning.LedgerPlanCache(ledger),
        )
        self._archive = archive
        self._account = account
        self._recipe = recipe
        self._pages = ThreadPoolExecutor(settings.planner_concurrency, "wrac-plan")

    def replanned(self, pages: Iterator[Remade]) -> Iterator[Remade]:
        """Each page with its plan by the model, in order. Raises ``StoreError``, ``TransientError``."""
        try:
            while portion := list(islice(pages, _PORTION)):
                yield from self._pages.map(self._replanned, portion)
        finally:
            self._planner.stop(INTERRUPTED)
            self._pages.shutdown(cancel_futures=True)
            self._client.close()

    def _replanned(self, page: Remade) -> Remade:
        if page.after is None:
            return page
        record = read_record(self._archive, page.after.record)
        self._planning.PLANNED_PAGE.set(page.before.page_id)
        plan = self._planner.plan(record.tree, self._account.for_page(page.before.page_id))
        made = replace(record, plan=plan, chunks=tuple(assemble(record.tree, plan)), planning=self._recipe)
        key = self._archive.put(Kind.PAGE, encode(made))
        tokens = sum(chunk.tokens for chunk in made.chunks)
        after = replace(page.after, record=key, chunks=len(made.chunks), tokens=tokens)
        return Remade(page.before, after, unasked=self._planning.is_unasked(plan))


def _version(row: PageRow, made: GatheredPage) -> PageRow:
    """The row with what the stages made of the body; its links and its canonical were settled by a crawl."""
    return replace(
        row,
        record=made.record,
        markdown_digest=made.markdown_digest,
        facts=made.facts,
        title=made.title,
        language=made.language,
        chunks=made.chunks,
        tokens=made.tokens,
    )
