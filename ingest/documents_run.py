"""Files on disk through the same run as the pages of a crawl."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ingest.documents_on_disk import read_file
from ingest.ledger import Ledger
from wrac.config import SITES_DIR, load_site, site_from_url
from wrac.errors import ConfigError, WracError
from wrac.exit_codes import INCOMPLETE_OUTCOMES, ExitCode, exit_code_for
from wrac.ids import digest
from wrac.records import FetchedPage, Outcome, PageOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from ingest.documents_on_disk import DiskFile, DiskSource
    from ingest.progress import RunSummary
    from ingest.run import IngestRun
    from wrac.config import Settings, SiteProfile

LARGEST_MIB = 256
"""Larger files are refused, unless the profile says otherwise: nobody is asked to send them, so more than of pages."""
_DEPTH = 1
_IN_FLIGHT = 4


def files_profile(site: str, collection: str = "") -> SiteProfile:
    """The profile of a site of files: ``sites/SITE.toml`` where there is one, else the defaults.

    A file that is absent is gone, without a second look; what pages ask of robots does not bind their owner.
    """
    changes: dict[str, Any] = {"obey_robots": False, "missing_runs": 1}
    if collection:
        changes["collection"] = collection
    if (SITES_DIR / f"{site}.toml").exists():
        return load_site(site, **changes)
    return site_from_url(f"https://{site}/", **{"name": site, **changes})


def known_files(settings: Settings, site: str) -> frozenset[str]:
    """URLs of the files of the site that are in the collection.

    Raises ``ConfigError`` where some of its pages came from the web: a crawl and a folder would undo each other.
    """
    if not (settings.ledger or (settings.data_dir / "ledger.sqlite").exists()):
        return frozenset()
    with Ledger(settings.ledger_url) as ledger:
        status = {row.url: row.status for row in ledger.pages.published(site)}
    if crawled := next((url for url in status if status[url]), ""):
        raise ConfigError(f"the site {site} has crawled pages, e.g. {crawled}: give the files a site of their own")
    return frozenset(status)


class DiskIngest:
    """One session of one run over the files of a source."""

    def __init__(
        self,
        run: IngestRun,
        source: DiskSource,
        profile: SiteProfile,
        known: Collection[str] = frozenset(),
        *,
        accept_loss: bool = False,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """``known`` are ``known_files``; ``accept_loss``: a person looked, files that are not found are gone."""
        self._run = run
        self._source = source
        self._known = known
        self._accept_loss = accept_loss
        self._clock = clock
        own_limit = profile.max_body_mib if "max_body_mib" in profile.model_fields_set else LARGEST_MIB
        self._limit = own_limit << 20
        self._stopped = False
        self._found_known = False
        self.met = 0
        """Files found so far."""
        self.error: WracError | None = None
        """What stopped the session."""
        self.doubt = ""
        """Why files that were not found are not taken for gone; empty where they are."""

    def stop(self) -> None:
        """No further file is begun; called twice, nothing is waited for that can be done later."""
        if self._stopped:
            self._run.interrupt()
        self._stopped = True

    async def finish(self) -> RunSummary:
        """All files went through the run, which is finished, or left resumable where it was stopped.

        The run must have been started. Raises ``StoreError`` where not even the ledger can be written.
        """
        try:
            await self._take_all()
            if not self._stopped:
                self._withdraw()
        except WracError as error:
            self.error = error
        except BaseException:
            await self._run.finish(completed=False)
            raise
        summary = await self._run.finish(completed=self.error is None and not self._stopped, note=self.doubt)
        self.error = self.error or summary.error
        return summary

    def exit_code(self, summary: RunSummary) -> ExitCode:
        """The first of: what stopped the session, an early end, files without their content, success."""
        if self.error is not None:
            return exit_code_for(self.error)
        if self._stopped:
            return ExitCode.RESUMABLE
        if summary.kept or any(summary.outcomes.get(outcome) for outcome in INCOMPLETE_OUTCOMES):
            return ExitCode.INCOMPLETE
        return ExitCode.OK

    async def _take_all(self) -> None:
        files = self._files()
        async with asyncio.TaskGroup() as group:
            for _ in range(_IN_FLIGHT):
                group.create_task(self._take(files))

    def _files(self) -> Iterator[DiskFile]:
        done = self._run.resumed()
        for file in self._source:
            self.met += 1
            self._found_known = self._found_known or file.url in self._known
            if file.url not in done:
                yield file

    async def _take(self, files: Iterator[DiskFile]) -> None:
        for file in files:
            if self._stopped or self.error is not None:
                return
            try:
                await self._take_one(file)
            except WracError as error:
                self.error = error

    async def _take_one(self, file: DiskFile) -> None:
        try:
            body = await asyncio.to_thread(read_file, file.path, self._limit)
        except OSError as error:
            self._end(file, Outcome.FAILED, f"cannot be read: {error.strerror or error}")
            return
        if len(body) > self._limit:
            self._end(file, Outcome.TOO_LARGE, f"more than the {self._limit >> 20} MiB that are read")
            return
        page = FetchedPage(
            url=file.url,
            final_url=file.url,
            status=0,
            content_type=file.content_type,
            body=body,
            fetched_at=self._clock(),
            body_digest=digest(body),
        )
        await self._run.process(page, _DEPTH)

    def _end(self, file: DiskFile, outcome: Outcome, reason: str) -> None:
        self._run.record(PageOutcome(file.url, outcome, reason), depth=_DEPTH)

    def _withdraw(self) -> None:
        """Files that are proven gone are on record as such; the publish withdraws them."""
        gone = [url for url in sorted(self._known) if self._source.is_gone(url)]
        if gone and not (self._found_known or self._accept_loss):
            self.doubt = (
                f"none of the {len(self._known)} files that this site had before was found, so that those which are "
                f"missing are kept: another folder needs another --site, or the --root of before; where they were "
                f"all removed, --accept-loss withdraws them"
            )
            return
        for url in gone:
            self._run.record(PageOutcome(url, Outcome.GONE, "the file is not there any more"), depth=_DEPTH)
