"""The stages of one page in a row, through their public functions, without crawler, ledger or store.

The rooms are imported by the function that uses them, so that one of them can be measured without the others.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from wrac.ids import digest
from wrac.records import FetchedPage

if TYPE_CHECKING:
    from wrac.records import Chunk, MarkdownDocument, UnitTree

FETCHED_AT = datetime(2026, 1, 1, tzinfo=UTC)


def fetched(url: str, body: bytes, content_type: str = "text/html") -> FetchedPage:
    """The page as a crawl would hand it over; no charset in the header unless ``content_type`` names one."""
    return FetchedPage(
        url=url,
        final_url=url,
        status=200,
        content_type=content_type,
        body=body,
        fetched_at=FETCHED_AT,
        body_digest=digest(body),
    )


def html_document(url: str, body: bytes) -> MarkdownDocument:
    """Markdown of an HTML body by the default filters and converter. Raises ``PageError``."""
    from conversion import HtmlConverter
    from filters import clean_page

    return HtmlConverter().convert(clean_page(fetched(url, body)))


def markdown_source(text: str) -> MarkdownDocument:
    """A Markdown file as the document that the pipeline makes of it."""
    from conversion import markdown_document

    return markdown_document(text)


def chunks_of(document: MarkdownDocument) -> tuple[UnitTree, tuple[Chunk, ...]]:
    """The document's tree and chunks by the default planner and limits."""
    from chunking import RulePlanner, assemble, build_tree

    tree = build_tree(document)
    return tree, assemble(tree, RulePlanner().plan(tree))
