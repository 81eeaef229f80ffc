"""Going on with an interrupted run: what it finished is not fetched again, and its links are followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from ingest.changes import timestamp
from ingest.ledger.rows import RunKind, RunState
from ingest.packed_links import unpack_links
from wrac.records import Link, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import timedelta

    from ingest.ledger import Ledger
    from ingest.ledger.rows import RunRow
    from wrac.recipe import Recipe

FINAL = (
    Outcome.INDEXED,
    Outcome.UNCHANGED,
    Outcome.DUPLICATE,
    Outcome.NOINDEX,
    Outcome.LANGUAGE,
    Outcome.UNSUPPORTED,
    Outcome.EMPTY,
    Outcome.GONE,
    Outcome.TOO_LARGE,
)
"""Outcomes that a second look in the same run would not change. A redirect is followed again, a failure tried again."""


@dataclass(frozen=True, slots=True)
class ResumedPage:
    """A page that needs no fetch."""

    depth: int
    links: tuple[Link, ...]


class ResumedPages(Mapping[str, ResumedPage]):
    """URL -> page, links read from the ledger when asked for: thousands of pages hold no memory."""

    def __init__(self, ledger: Ledger, run: RunRow) -> None:
        """The pages that earlier sessions of ``run`` finished; none where this is its first session."""
        self._ledger = ledger
        self._site = run.site
        self._ids = ledger.pages.ids_by_url(run.site, run.run_id, FINAL) if run.sessions > 1 else {}

    def page_ids(self) -> Iterator[str]:
        """Ids of the pages."""
        return iter(self._ids.values())

    def __getitem__(self, url: str) -> ResumedPage:
        row = self._ledger.pages.get(self._site, self._ids[url])
        return ResumedPage(row.depth, unpack_links(row.links)) if row is not None else ResumedPage(0, ())

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


def open_run(
    ledger: Ledger, site: str, collection: str, recipe: Recipe, *, now: datetime, resume_within: timedelta
) -> RunRow:
    """The run that this session belongs to: the last one where it ended early and can be gone on with, else a new one.

    An interrupted run is gone on with where it began no longer ago than ``resume_within``, with the same recipe.
    """
    last = ledger.runs.last(site, RunKind.CRAWL)
    if last is not None and last.state not in (RunState.FINISHED, RunState.HELD_BACK):
        is_same = last.recipe == recipe.digest and last.collection == collection
        if is_same and datetime.fromisoformat(last.started_at) >= now - resume_within:
            resumed = replace(last, state=RunState.RUNNING, sessions=last.sessions + 1, exit_code=None)
            ledger.runs.update(resumed)
            return resumed
    first = not ledger.publishes.any_complete(site)
    return ledger.runs.start(site, first=first, collection=collection, recipe=recipe, started_at=timestamp(now))
