"""Going on with an interrupted run: what it finished is not fetched again, and its links are followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ingest.ledger.rows import RunState
from ingest.packed_links import unpack_links
from wrac.records import Link, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ingest.ledger import Ledger
    from ingest.ledger.rows import RunRow
    from wrac.recipe import Recipe

FINAL = (
    Outcome.INDEXED,
    Outcome.UNCHANGED,
    Outcome.DUPLICATE,
    Outcome.NOINDEX,
    Outcome.LANGUAGE,
    Outcome.UNSUPPORTED_YET,
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

    def __init__(self, ledger: Ledger, site: str, ids: Mapping[str, str]) -> None:
        """``ids``: URL -> page id."""
        self._ledger = ledger
        self._site = site
        self._ids = ids

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


def find_resumable(last: RunRow | None, recipe: Recipe, collection: str, not_before: datetime) -> RunRow | None:
    """The last run of a site where it ended early, is recent, and was made with the same recipe."""
    if last is None or last.state is RunState.FINISHED:
        return None
    is_same = last.recipe == recipe.digest and last.collection == collection
    return last if is_same and datetime.fromisoformat(last.started_at) >= not_before else None
