"""Files on disk through the same stages as crawled pages, without a store: what ``convert`` and ``chunk`` share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from ingest.documents import converted
from ingest.documents_on_disk import declared_type, files_below, is_document_name, quoted, read_file
from ingest.documents_run import LARGEST_MIB
from ingest.page import ProcessedPage, process_page
from ingest.page_settings import PageSettings
from wrac.ids import digest, page_id, point_id
from wrac.records import FetchedPage, Outcome, PageOutcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ingest.page import ConvertDocument
    from wrac.config import Settings
    from wrac.records import Chunk

MAX_PAGE_BYTES = 32 << 20
"""Larger pages are refused, as the crawler refuses larger bodies."""
MAX_DOCUMENT_BYTES = LARGEST_MIB << 20


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read, and under which name and URL its content is known."""

    path: Path
    name: str
    """Path below the folder that was asked for, with ``/``; the file's own name where it was asked for itself."""
    url: str
    """URL of the page; empty where none was given, which leaves relative links as they are written."""
    key: str
    """Stands for the page in the ids of its chunks: its URL, else its name, else its path where the name is taken."""


def find_documents(paths: Sequence[Path], url: str = "") -> Iterator[SourceFile]:
    """Files of a known kind, in a fixed order: a file itself, a folder's files sorted, hidden ones left out.

    ``url`` is the page's own URL for a file, and stands for the folder itself for the files below it.
    """
    taken: set[str] = set()
    for path, name, page_url in _named_files(paths, url):
        key = page_url or (path.as_posix() if name in taken else name)
        taken.add(name)
        yield SourceFile(path, name, page_url, key)


def page_settings(settings: Settings, converter: str = "html") -> PageSettings:
    """How files are read: as a crawl reads pages, but what a page asks of robots does not bind its reader."""
    return PageSettings(
        converter=converter,
        target_tokens=settings.chunk_target_tokens,
        min_tokens=settings.chunk_min_tokens,
        max_tokens=settings.chunk_max_tokens,
        obey_robots=False,
    )


def process_file(
    source: SourceFile, settings: PageSettings, convert_document: ConvertDocument = converted
) -> ProcessedPage:
    """What became of the file; one that cannot be read is an outcome with its reason, as a page is."""
    most = MAX_DOCUMENT_BYTES if is_document_name(source.path) else MAX_PAGE_BYTES
    try:
        body = read_file(source.path, most)
        modified = source.path.stat().st_mtime
    except OSError as error:
        return _unread(source, Outcome.FAILED, f"cannot be read: {error.strerror or error}")
    if len(body) > most:
        return _unread(source, Outcome.TOO_LARGE, f"more than the {most:,} bytes that are read")
    page = FetchedPage(
        url=source.url,
        final_url=source.url or quoted(source.name),
        status=0,
        content_type=declared_type(source.path),
        body=body,
        fetched_at=datetime.fromtimestamp(modified, UTC),
        body_digest=digest(body),
    )
    return process_page(page, settings, convert_document=convert_document)


def chunk_ids(source: SourceFile, chunks: Sequence[Chunk]) -> list[str]:
    """Ids by page and text, one per chunk, none twice: the same file and URL give the same ids."""
    page = page_id(source.key)
    seen: Counter[str] = Counter()
    ids = []
    for chunk in chunks:
        ids.append(point_id("", page, chunk.digest, seen[chunk.digest]))
        seen[chunk.digest] += 1
    return ids


def _named_files(paths: Sequence[Path], url: str) -> Iterator[tuple[Path, str, str]]:
    base = url if not url or url.endswith("/") else f"{url}/"
    for path in paths:
        if path.is_dir():
            for file in files_below(path):
                name = file.relative_to(path).as_posix()
                yield file, name, urljoin(base, quoted(name)) if base else ""
        else:
            yield path, path.name, url


def _unread(source: SourceFile, outcome: Outcome, reason: str) -> ProcessedPage:
    return ProcessedPage(PageOutcome(source.url, outcome, reason))
