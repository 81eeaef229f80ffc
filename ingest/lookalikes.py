"""Soft 404s: what a site answers with success for addresses that do not exist.

A crawl asks each host once for an address that cannot exist. Where that leads to a page, a page like it is no content
(Bar-Yossef et al., "Sic transit gloria telae", WWW 2004).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.canonicals import MIN_SHARED, shared_content
from ingest.gather import find_record
from wrac.urls import page_key

if TYPE_CHECKING:
    from ingest.archive import Archive
    from ingest.gather import GatheredPage
    from ingest.ledger.rows import PageRow
    from wrac.records import UnitTree

_MOST_DIFFERENCE = 0.25
"""Share by which the sizes of two such pages differ at most; nothing else is compared with them."""


class MissingPages:
    """How a site's hosts answer for what does not exist."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._catch_all: set[str] = set()
        """Page keys that unknown addresses are redirected to."""
        self._trees: list[tuple[int, UnitTree]] = []

    def learn_redirect(self, target: str) -> None:
        """A host redirects unknown addresses to ``target``."""
        self._catch_all.add(page_key(target))

    def learn_page(self, result: GatheredPage) -> None:
        """A host answers unknown addresses with this page."""
        if (tree := self._tree(result.record)) is not None:
            self._trees.append((result.tokens, tree))

    def is_catch_all(self, target: str) -> bool:
        """Whether a redirect to ``target`` says no more than that the address does not exist."""
        return bool(target) and page_key(target) in self._catch_all

    def looks_like(self, row: PageRow) -> bool:
        """Whether the page is such an answer. A start page never is: its operator named it."""
        if row.depth == 0:
            return False
        near = [tree for tokens, tree in self._trees if abs(tokens - row.tokens) <= _MOST_DIFFERENCE * tokens]
        if not near or (own := self._tree(row.record)) is None:
            return False
        return any(min(shared_content(own, tree), shared_content(tree, own)) >= MIN_SHARED for tree in near)

    def _tree(self, record: str) -> UnitTree | None:
        found = find_record(self._archive, record)
        return found.tree if found is not None else None
