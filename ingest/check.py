"""Every way in which ledger, archive and collection of a site do not agree, and the command that mends it.

For each page that the ledger says is published, the archive still gives the very points that the collection holds, so
that writing the page once more would change nothing; and the collection holds nothing else of the site. What a page's
record says is proven on the record itself: no content unit is missing from its chunks, none is in two.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from indexing import open_store
from indexing.layout import DIGEST_KEY, VECTORS_KEY
from ingest.archive import Damaged
from ingest.changes import published_version
from ingest.coverage import coverage_faults
from ingest.indexer import CollectionIndexer, IndexingRecipe
from ingest.ledger.rows import UNFINISHED, PageState, RunState
from ingest.maintenance.placing import PointMaker
from ingest.page_records import read_record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ingest.ledger.rows import PageRow
    from ingest.maintenance.placing import PlacedPage
    from ingest.maintenance.session import Session
    from wrac.records import PointDigests


class Rule(StrEnum):
    """What must hold; the name says how it is broken."""

    LACKS_POINTS = "lacks-points"
    """A published page whose points are not all in the collection."""
    STALE_POINTS = "stale-points"
    """A published page of which the collection also holds points of another version."""
    ORPHANS = "orphans"
    """Points of the site that belong to no published page."""
    DUPLICATES = "duplicates"
    """A point that two published pages, or one of them twice, call their own."""
    OTHER_VECTORS = "other-vectors"
    """Points that are searched by other vectors than the archive has for their text."""
    OTHER_PAYLOAD = "other-payload"
    """Points that tell something else than the archive does."""
    NO_VECTORS = "no-vectors"
    """The archive lacks vectors that were paid for: a rollback would have to embed."""
    NO_RECORD = "no-record"
    """What the page was made into cannot be read from the archive, or is not what was published."""
    LOST_CONTENT = "lost-content"
    """A unit of the page that is in no chunk, in several, or text that is in no unit."""
    OTHER_MANIFEST = "other-manifest"
    """The manifests say something else than the page."""
    OPEN_MANIFEST = "open-manifest"
    """A run that ended well left its manifest incomplete."""
    STUCK_RUN = "stuck-run"
    """A run that no process is working on."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One page, or one site, that breaks a rule."""

    rule: Rule
    detail: str
    command: str
    """What mends it."""
    page_id: str = ""
    url: str = ""
    """Empty where the ledger knows no URL."""


@dataclass(slots=True)
class Checked:
    """What was found at one site."""

    site: str
    collection: str
    pages: int = 0
    """Pages that the ledger says are published."""
    points: int = 0
    """Points of the site in the collection."""
    violations: list[Violation] = field(default_factory=list)
    broken: dict[IndexingRecipe, list[PageRow]] = field(default_factory=dict)
    """Published versions that writing once more from the archive would change."""
    unfinished: bool = False
    """The next crawl goes on with a run of the site, so that points may wait for their page."""


def check_site(session: Session, site: str) -> Checked:
    """What is wrong with a site. The session keeps every writer away, so that nothing is half-done. Nothing changes."""
    return _Check(session, site).run()


class _Check:
    def __init__(self, session: Session, site: str) -> None:
        self._session = session
        self._ledger = session.ledger
        self._rows = {row.page_id: row for row in session.ledger.pages.published(site)}
        self.found = Checked(site, session.collection_of(site), len(self._rows))

    def run(self) -> Checked:
        self._runs()
        self._stored = self._session.patiently(self._read_collection)
        self.found.points = sum(map(len, self._stored.values()))
        self._orphans()
        self._duplicates()
        self._manifests()
        readable = [row for row in self._rows.values() if self._record(row)]
        self._points(readable)
        order = list(Rule)
        self.found.violations.sort(key=lambda each: (order.index(each.rule), each.url, each.page_id))
        return self.found

    def _read_collection(self) -> Mapping[str, Mapping[str, PointDigests]]:
        settings, found = self._session.settings, self.found
        if (folder := settings.store_folder) is not None and not folder.exists():
            return {}
        with open_store(settings, found.collection) as store:
            return store.site_digests(found.site) if store.layout() is not None else {}

    def _add(self, rule: Rule, detail: str, command: str, page_id: str = "", row: PageRow | None = None) -> None:
        row = row or self._rows.get(page_id) or (self._ledger.pages.get(self.found.site, page_id) if page_id else None)
        self.found.violations.append(
            Violation(rule, detail, f"wrac {command}", page_id or (row.page_id if row else ""), row.url if row else "")
        )

    @property
    def _repair(self) -> str:
        return f"check {self.found.site} --repair"

    @property
    def _crawl(self) -> str:
        return f"crawl {self.found.site}"

    @property
    def _fetch_again(self) -> str:
        return f"{self._repair} && wrac {self._crawl}"

    # ------------------------------------------------------------ runs and manifests

    def _runs(self) -> None:
        run = self._ledger.runs.last(self.found.site)
        if run is None or run.state not in UNFINISHED:
            return
        self.found.unfinished = True
        if run.state is RunState.RUNNING:  # the session holds the site's lock
            self._add(Rule.STUCK_RUN, f"run {run.run_id} began {run.started_at} and was killed", self._crawl)

    def _manifests(self) -> None:
        for manifest in self._ledger.publishes.history(self.found.site):
            run = self._ledger.runs.get(manifest.run_id)
            if not manifest.completed_at and run is not None and run.state is RunState.FINISHED:
                self._add(Rule.OPEN_MANIFEST, f"manifest {manifest.manifest_id} of run {run.run_id}", self._repair)
        # Not after the last one: its pages may be forgotten, and those before it pruned, while publications stay.
        told = self._ledger.publishes.state_after(self.found.site)
        for page_id, row in self._rows.items():
            publication = told.get(page_id)
            if publication is None:
                self._add(Rule.OTHER_MANIFEST, "no manifest published the page", self._repair, row=row)
            elif (publication.point_ids, publication.record) != (row.point_ids, row.published_record):
                self._add(Rule.OTHER_MANIFEST, "the last manifest has another version", self._repair, row=row)
        for page_id in told.keys() - self._rows.keys():
            self._add(Rule.OTHER_MANIFEST, "the last manifest has a page that is not published", self._repair, page_id)

    # ------------------------------------------------------------ points

    def _orphans(self) -> None:
        for page_id, points in self._stored.items():
            if page_id not in self._rows:
                detail = f"{_points(len(points))} of a page that is not published"
                self._add(Rule.ORPHANS, detail, self._crawl if self.found.unfinished else self._repair, page_id)
        for row in self._ledger.pages.in_state(self.found.site, PageState.LIVE):
            if not row.point_ids:
                self._add(Rule.LACKS_POINTS, "the page is live without points", self._crawl, row=row)

    def _duplicates(self) -> None:
        owners: defaultdict[str, list[str]] = defaultdict(list)
        for row in self._rows.values():
            for point in row.point_ids:
                owners[point].append(row.page_id)
        shared = Counter(page for pages in owners.values() if len(pages) > 1 for page in pages)
        for page_id, count in shared.items():
            self._add(Rule.DUPLICATES, f"{_points(count)} listed more than once", self._crawl, page_id)

    def _points(self, rows: list[PageRow]) -> None:
        """Compares each page's points in the collection with those that the archive gives."""
        by_recipe: defaultdict[IndexingRecipe | None, list[PageRow]] = defaultdict(list)
        for row in rows:
            made_with = self._ledger.runs.recipe(row.published_recipe)
            by_recipe[IndexingRecipe.parse(made_with.indexing) if made_with else None].append(row)
        for recipe, group in by_recipe.items():
            if recipe is None:  # of another program, or of a test: its points cannot be made again
                for row in group:
                    self._compare_ids(row, row.point_ids)
            else:
                self._compare_all(group, recipe)

    def _compare_all(self, rows: list[PageRow], recipe: IndexingRecipe) -> None:
        indexer = CollectionIndexer.from_archive(self._session.settings, self.found.collection, recipe)
        maker = PointMaker(self._ledger, self._session.archive, indexer)
        for portion in maker.place(map(published_version, rows)):
            for placed in portion:
                self._compare(placed, recipe)
        for version, reason in maker.failures:
            self._compare_ids(version, version.point_ids)
            self._add(Rule.NO_VECTORS, reason, f"reembed {self.found.site}", row=version)

    def _compare_ids(self, row: PageRow, wanted: tuple[str, ...]) -> None:
        stored = self._stored.get(row.page_id, {})
        if missing := set(wanted) - stored.keys():
            self._add(Rule.LACKS_POINTS, f"{len(missing)} of {_points(len(wanted))} missing", self._mend(row), row=row)
        if stale := stored.keys() - set(wanted):
            self._add(Rule.STALE_POINTS, f"{_points(len(stale))} of another version", self._mend(row), row=row)

    def _mend(self, row: PageRow) -> str:
        """A page that a run is at work on is mended by that run."""
        return self._crawl if self.found.unfinished and row.state is PageState.GATHERED else self._repair

    def _compare(self, placed: PlacedPage, recipe: IndexingRecipe) -> None:
        row, before = placed.row, len(self.found.violations)
        stored = self._stored.get(row.page_id, {})
        wanted = {point.id: point.payload for point in placed.points}
        if row.point_ids != tuple(wanted):
            self._add(Rule.OTHER_MANIFEST, "the archived record gives other points", self._repair, row=row)
        self._compare_ids(row, tuple(wanted))
        common = wanted.keys() & stored.keys()
        if other := sum(stored[key].vectors != wanted[key][VECTORS_KEY] for key in common):
            self._add(Rule.OTHER_VECTORS, f"{_points(other)}", self._mend(row), row=row)
        if other := sum(stored[key].payload != wanted[key][DIGEST_KEY] for key in common):
            self._add(Rule.OTHER_PAYLOAD, f"{_points(other)}", self._mend(row), row=row)
        if len(self.found.violations) > before:
            self.found.broken.setdefault(recipe, []).append(row)

    # ------------------------------------------------------------ records

    def _record(self, row: PageRow) -> bool:
        """Whether the record of what is published can be read and is the right one."""
        try:
            record = read_record(self._session.archive, row.published_record)
        except Damaged as error:
            self._compare_ids(row, row.point_ids)
            self._add(Rule.NO_RECORD, str(error), self._fetch_again, row=row)
            return False
        if record.document.digest != row.published_markdown:
            self._add(Rule.NO_RECORD, "the archived Markdown is not what was published", self._fetch_again, row=row)
        for fault in coverage_faults(record):
            self._add(Rule.LOST_CONTENT, fault, f"replan {self.found.site}", row=row)
        return True


def _points(count: int) -> str:
    return "1 point" if count == 1 else f"{count} points"
