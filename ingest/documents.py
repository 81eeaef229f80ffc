"""Documents on their way through the stages: their conversion, its time, and what became of each of their pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wrac.errors import PageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.documents import ConvertedDocument

DOCUMENT_SECONDS = 480.0
"""Wall time after which a document is given up: more than its own processes allow themselves, one after the other
(``conversion.drac``), so that it ends with their reason and costs no worker."""
_SHOWN_PAGES = 3


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """How one page, slide or sheet of a document ended."""

    page: int
    """1-based."""
    status: str
    """``text``, ``ocr``, ``empty``, ``needs-ocr``, ``failed`` (``conversion.documents.PageResult``)."""
    detail: str = ""
    ok: bool = True
    """Whether everything readable on it is in the Markdown."""


def converted(body: bytes, url: str) -> ConvertedDocument:
    """The document as Markdown. Raises ``PageError`` with one reason, in which its URL is not repeated."""
    from conversion.documents import convert_document  # noqa: PLC0415 - most crawls meet no document

    try:
        return convert_document(body, url)
    except PageError as error:
        raise type(error)(_without(url, str(error)), stage=error.stage, page_id=error.page_id) from error


def document_pages(document: ConvertedDocument) -> tuple[DocumentPage, ...]:
    """The account of its pages."""
    return tuple(DocumentPage(page.page, page.status, page.detail, page.is_ok) for page in document.pages)


def wait_for_program(pages: Sequence[DocumentPage]) -> bool:
    """Whether scanned pages could be read if there were a program for that.

    Where it has read others, what it did not read is no matter of waiting.
    """
    found = {page.status for page in pages}
    return "needs-ocr" in found and "ocr" not in found


def pages_in_words(pages: Sequence[DocumentPage]) -> str:
    """How many pages were read, and what stood against the first of those that were not; empty without pages.

    Pages of which a model's transcript was not believed are told of, too.
    """
    if not pages:
        return ""
    bad = [page for page in pages if not page.ok or page.status == "replaced"]
    told = [f"page {page.page}: {': '.join(filter(None, (page.status, page.detail)))}" for page in bad[:_SHOWN_PAGES]]
    if len(bad) > _SHOWN_PAGES:
        told.append(f"and {len(bad) - _SHOWN_PAGES} more")
    return "; ".join([f"{sum(page.ok for page in pages)} of {len(pages)} pages read", *told])


def _without(url: str, message: str) -> str:
    return message.removeprefix(f"{url}: ")
