"""Why no hit says an expected quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.questions.causes import Cause, Finding
from filters.parse import parse_html
from ingest.archive import Kind
from ingest.questions.quotes import says, words_in_a_row
from wrac.errors import PageError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ingest.ledger.rows import PageRow
    from ingest.page_records import PageRecord
    from ingest.questions import Target, Targets
    from wrac.records import Hit

MOST_READ = 2_000
"""Pages that are read for a quote without a URL."""


def why_unsaid(known: Targets, quote: str, targets: Sequence[Target], deep: Sequence[Hit]) -> Finding:
    """Why none of the hits says the quote: it stands elsewhere, is divided, was cut from the page, or is nowhere."""
    place = next((place for place, hit in enumerate(deep, 1) if says(hit.text, quote)), 0)
    if place:
        hit = deep[place - 1]
        told = f"it stands in another place, ranked {place}: {hit.breadcrumb or hit.title} ({hit.url})"
        return Finding(quote, Cause.RANKED, told, "is that an answer, too? Then leave out the URL, or add this one")
    if known.ledger is None:
        return Finding(quote, Cause.UNKNOWN, f"none of the first {len(deep)} hits says it, and no ledger is at hand")
    pages = [page for target in targets for page in target.pages] or _published(known)
    found = _in_content(known, quote, pages) or _in_bodies(known, quote, pages if targets else ())
    if found is not None:
        return found
    looked = "the page does not say it" if targets else f"none of {len(pages)} pages says it"
    return Finding(quote, Cause.UNSAID, looked, "compare the quote with the page; `wrac explain URL` says what was cut")


def _published(known: Targets) -> list[PageRow]:
    return [row for row in known.all_rows() if row.point_ids][:MOST_READ]


def _in_content(known: Targets, quote: str, pages: Iterable[PageRow]) -> Finding | None:
    for page in pages:
        record = known.record(page)
        if record is None or not says(record.document.text, quote):
            continue
        chunk = next((chunk for chunk in record.chunks if says(chunk.text, quote)), None)
        if chunk is None:
            told = f"it stands on {page.url}, divided between two chunks"
            return Finding(quote, Cause.DIVIDED, told, "quote a part of it that is one section's")
        place = f"{page.url}#{chunk.fragment}" if chunk.fragment else page.url
        return Finding(quote, Cause.TOO_FAR, f"it stands in {place}, which is not among the hits that were looked at")
    return None


def _in_bodies(known: Targets, quote: str, pages: Iterable[PageRow]) -> Finding | None:
    for page in pages:
        record = known.record(page)
        if record is None:
            continue
        rule = _rule_that_cut(record, quote)
        if rule or _body_says(known, page, quote):
            told = f"the page as fetched says it, and cleaning took it out{f' ({rule})' if rule else ''}"
            step = f"`wrac explain {page.url}` shows where; `keep` in the profile keeps it"
            return Finding(quote, Cause.CUT, told, step)
    return None


def _rule_that_cut(record: PageRecord, quote: str) -> str:
    wanted = words_in_a_row(quote)
    return next((cut.rule for cut in record.removals if wanted in words_in_a_row(cut.preview)), "")


def _body_says(known: Targets, page: PageRow, quote: str) -> bool:
    if known.archive is None or not page.body_digest or "html" not in page.content_type:
        return False
    try:
        root = parse_html(known.archive.get(Kind.BODY, page.body_digest), page.content_type)
    except (PageError, StoreError):
        return False
    return words_in_a_row(quote) in words_in_a_row(" ".join(root.itertext()))
