"""Finished pages to one document with a page map, in the same record as every other conversion."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conversion.documents import ConvertedDocument, PageResult
from conversion.drac.batches import TranscriptStatus
from conversion.drac.detect import DocumentKind
from conversion.markdown import first_heading
from wrac.ids import digest
from wrac.records import MarkdownDocument, PageMetadata, PageSpan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conversion.drac.batches import TranscribedPage

_GOOD = frozenset({"text", "ocr", "empty"})
_NO_PROSE = re.compile(r" {0,3}(?:#{1,6} |[-*+>|] ?|\d{1,9}[.)] |`{3}|~{3}|!\[|<)| {4}|\t")
_GOES_ON = re.compile(r"[^\W\d_]")


def assemble(
    done: Sequence[TranscribedPage],
    fallback: Mapping[int, str],
    known: ConvertedDocument | None,
    statuses: Mapping[int, str],
    converter: str,
) -> ConvertedDocument:
    """The pages in order; those that were not asked for, or were replaced, by the deterministic conversion.

    ``fallback`` is the deterministic Markdown by page, ``statuses`` how the text layer of each page was read. The page
    map says where each page's text starts; a paragraph over a page border is joined. A document without any text is
    one with an empty text.
    """
    by_number = {page.number: page for page in done}
    text = ""
    spans: list[PageSpan] = []
    results: list[PageResult] = []
    for number in sorted(statuses):
        page = by_number.get(number)
        markdown = fallback.get(number, "") if page is None or not page.markdown else page.markdown
        results.append(_result(number, page, statuses[number]))
        if markdown.strip():
            text, offset = _joined(text, markdown.strip("\n"))
            spans.append(PageSpan(offset, number))
    text = text + "\n" if text else ""
    title = (known.metadata.title if known else "") or first_heading(text)
    return ConvertedDocument(
        DocumentKind.PDF,
        MarkdownDocument(
            text=text, title=title, source_kind="pdf", converter=converter, digest=digest(text), pages=tuple(spans)
        ),
        known.metadata if known else PageMetadata(title=title),
        known.removals if known else (),
        tuple(results),
    )


def _result(number: int, page: TranscribedPage | None, status: str) -> PageResult:
    """A replaced page of which the deterministic conversion had nothing either keeps that status."""
    if page is None:
        return PageResult(number, status)
    if page.status is TranscriptStatus.REPLACED and status not in _GOOD:
        return PageResult(number, status, page.reason)
    return PageResult(number, page.status.value, page.reason)


def _joined(text: str, page: str) -> tuple[str, int]:
    """The text with the page behind it, and where the page starts."""
    if not text:
        return page, 0
    last, first = text.rsplit("\n", 1)[-1], page.split("\n", 1)[0]
    if _is_cut(last, first):
        if last.endswith("-") and last[-2:-1].isalpha():
            return text[:-1] + page, len(text) - 1
        return f"{text} {page}", len(text) + 1
    return f"{text}\n\n{page}", len(text) + 2


def _is_cut(last: str, first: str) -> bool:
    """Whether a paragraph goes on: it has no end, and what follows begins in lower case."""
    prose = not re.match(_NO_PROSE, first) and not re.match(r" {0,3}(?:#{1,6} |[>|]|`{3}|~{3})", last)
    begins_low = bool(_GOES_ON.match(first)) and first[0].islower()
    return prose and begins_low and bool(last.strip()) and (last[-1].isalpha() or last[-1] in ",-")
