"""The corpus's documents through our own first stages, for all methods that work on Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

from conversion import HtmlConverter, markdown_document
from conversion.documents import convert_document
from filters import clean_page
from wrac.errors import ConfigError, PageError
from wrac.ids import digest
from wrac.records import FetchedPage

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wrac.records import MarkdownDocument

FORMATS = ("md", "html", "pdf", "docx", "pptx")
"""What can be read; all but Markdown as a crawl reads it."""
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class NamedDocument:
    """A document and the file that it is from."""

    filename: str
    document: MarkdownDocument


def read_documents(files: Sequence[Path]) -> tuple[list[NamedDocument], dict[str, str]]:
    """Markdown of each file that can be converted, in order; and why others cannot, by file name."""
    documents: list[NamedDocument] = []
    unread: dict[str, str] = {}
    for file in files:
        try:
            documents.append(NamedDocument(file.name, _document(file)))
        except PageError as reason:
            unread[file.name] = str(reason)
    return documents, unread


def _document(file: Path) -> MarkdownDocument:
    kind = file.suffix.removeprefix(".")
    if kind not in FORMATS:
        raise ConfigError(f"{file.name}: only {', '.join(FORMATS)} can be read")
    if kind == "md":
        return markdown_document(file.read_text(encoding="utf-8", errors="replace"))
    body, url = file.read_bytes(), f"https://corpus.example/{quote(file.name)}"
    if kind != "html":
        return convert_document(body, url).document
    page = FetchedPage(url, url, 200, "text/html", body, _LONG_AGO, digest(body))
    return HtmlConverter().convert(clean_page(page))
