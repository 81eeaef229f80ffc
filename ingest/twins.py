"""Pages with the very same Markdown: copies of one page, of which one is indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.ledger.rows import INDEXED_STATES, PageState
from wrac.records import Outcome

if TYPE_CHECKING:
    from ingest.ledger import Ledger
    from ingest.ledger.rows import PageRow, RunRow


def stands_for_others(row: PageRow) -> bool:
    """Whether a URL that says the same, or leads here, may be left out: the page is indexed and was found."""
    return row.state in INDEXED_STATES and not row.misses and row.outcome is not Outcome.REDIRECTED


class Twins:
    """The texts of the pages that a run indexes, its earlier sessions included.

    Pages that only earlier runs met do not count: a page that moved is indexed where it is now.
    """

    def __init__(self, ledger: Ledger, run: RunRow, *, any_known: bool) -> None:
        """``any_known``: the ledger has pages of the site that this session did not meet."""
        self._ledger = ledger
        self._run = run
        self._any_known = any_known
        self._pages: dict[str, str] = {}
        """Markdown digest -> page id."""

    def add(self, row: PageRow) -> None:
        """The page is, or will be, in the collection."""
        self._pages.setdefault(row.markdown_digest, row.page_id)

    def find(self, row: PageRow) -> PageRow | None:
        """The page that has the same Markdown as this one and came before it."""
        known = self._pages.get(row.markdown_digest)
        if known is not None:
            return self._ledger.pages.get(self._run.site, known) if known != row.page_id else None
        if not self._any_known:
            return None
        for other in self._ledger.pages.with_markdown(self._run.site, row.markdown_digest):
            is_of_run = other.run_id == self._run.run_id
            if is_of_run and other.page_id != row.page_id and stands_for_others(other):
                return other
        return None

    def earlier(self, row: PageRow) -> PageRow | None:
        """The page with the same Markdown that this session has indexed before; the ledger is not asked."""
        known = self._pages.get(row.markdown_digest, row.page_id)
        return self._ledger.pages.get(self._run.site, known) if known != row.page_id else None

    def incumbent(self, row: PageRow) -> PageRow | None:
        """A page with the same Markdown that is in the collection, where this one is not, or not with this Markdown.

        This run may yet find it gone or changed. Until then it keeps its place: which of two copies comes first
        differs from run to run, and every change of place would be written.
        """
        if not self._any_known or (row.point_ids and row.published_markdown == row.markdown_digest):
            return None
        for other in self._ledger.pages.with_markdown(self._run.site, row.markdown_digest):
            is_of_run = other.run_id == self._run.run_id
            if other.page_id != row.page_id and other.state is PageState.LIVE and other.point_ids and not is_of_run:
                return other
        return None
