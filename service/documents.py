"""Files on disk through the same stages as crawled pages, without a store: what ``convert`` and ``chunk`` share."""

from __future__ import annotations

import os
import stat
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin

from ingest.page import PageSettings, ProcessedPage, process_page
from wrac.ids import digest, page_id, point_id
from wrac.records import FetchedPage, Outcome, PageOutcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wrac.config import Settings
    from wrac.records import Chunk

CONTENT_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
}
"""What is read, by ending. A file that is named itself may have any ending: its content then tells."""
NOT_YET = frozenset({".pdf", ".doc", ".docx", ".odt", ".rtf", ".ppt", ".pptx", ".odp", ".xls", ".xlsx", ".ods"})
"""What no converter reads yet, and is named rather than passed over."""
MAX_FILE_BYTES = 32 * 1024 * 1024
"""Larger files are refused, as the crawler refuses larger bodies."""


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


def process_file(source: SourceFile, settings: PageSettings) -> ProcessedPage:
    """What became of the file; one that cannot be read is an outcome with its reason, as a page is."""
    try:
        status = source.path.stat()
        if not stat.S_ISREG(status.st_mode):
            return _unread(source, Outcome.FAILED, "not a regular file")
        with source.path.open("rb") as file:
            # Not by its size: a file may grow meanwhile, and the kernel gives its own as empty.
            body = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        return _unread(source, Outcome.FAILED, f"cannot be read: {error.strerror or error}")
    if len(body) > MAX_FILE_BYTES:
        return _unread(source, Outcome.TOO_LARGE, f"more than the {MAX_FILE_BYTES:,} bytes that are read")
    page = FetchedPage(
        url=source.url,
        final_url=source.url or _quoted(source.name),
        status=200,
        content_type=CONTENT_TYPES.get(source.path.suffix.lower(), ""),
        body=body,
        fetched_at=datetime.fromtimestamp(status.st_mtime, UTC),
        body_digest=digest(body),
    )
    return process_page(page, settings)


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
            for file in _files_below(path):
                name = file.relative_to(path).as_posix()
                yield file, name, urljoin(base, _quoted(name)) if base else ""
        else:
            yield path, path.name, url


def _quoted(name: str) -> str:
    """The name as a part of a URL; names are bytes, and not always of UTF-8."""
    return quote(os.fsencode(name))


def _files_below(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            suffix = Path(name).suffix.lower()
            if not name.startswith(".") and (suffix in CONTENT_TYPES or suffix in NOT_YET):
                yield Path(parent, name)


def _unread(source: SourceFile, outcome: Outcome, reason: str) -> ProcessedPage:
    return ProcessedPage(PageOutcome(source.url, outcome, reason))
