"""Files on disk through the same stages as crawled pages, without a store: what ``convert`` and ``chunk`` share."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin

import charset_normalizer

from chunking import RulePlanner, WindowLimits, assemble, build_tree
from conversion import markdown_document
from filters import clean_page
from wrac.errors import UnsupportedContent
from wrac.ids import digest, page_id, point_id
from wrac.records import FetchedPage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wrac.config import Settings
    from wrac.protocols import Converter
    from wrac.records import Chunk, MarkdownDocument

HTML_SUFFIXES = frozenset({".html", ".htm", ".xhtml", ".shtml"})
MARKDOWN_SUFFIXES = frozenset({".md", ".markdown"})
NOT_YET_SUFFIXES = frozenset(
    {".pdf", ".doc", ".docx", ".odt", ".rtf", ".ppt", ".pptx", ".odp", ".xls", ".xlsx", ".ods"}
)
# PDF; ZIP, which OOXML and OpenDocument are; OLE2, which the older Office formats are.
_NOT_YET_MAGIC = (b"%PDF-", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
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


def _named_files(paths: Sequence[Path], url: str) -> Iterator[tuple[Path, str, str]]:
    base = url if not url or url.endswith("/") else f"{url}/"
    for path in paths:
        if path.is_dir():
            for file in _files_below(path):
                name = file.relative_to(path).as_posix()
                yield file, name, urljoin(base, quote(name)) if base else ""
        else:
            yield path, path.name, url


def _files_below(folder: Path) -> Iterator[Path]:
    known = HTML_SUFFIXES | MARKDOWN_SUFFIXES | NOT_YET_SUFFIXES
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith(".") and Path(name).suffix.lower() in known:
                yield Path(parent, name)


def read_document(source: SourceFile, converter: Converter) -> MarkdownDocument:
    """The file as Markdown. Raises a ``PageError`` that says why it has none."""
    body = _read(source.path)
    suffix = source.path.suffix.lower()
    if suffix in NOT_YET_SUFFIXES or body.startswith(_NOT_YET_MAGIC):
        raise UnsupportedContent("PDF and Office files are not supported yet", stage="convert")
    if suffix in MARKDOWN_SUFFIXES:
        return markdown_document(_decode(body))
    if suffix in HTML_SUFFIXES:
        return converter.convert(clean_page(_as_fetched(source, body)))
    known = ", ".join(sorted(HTML_SUFFIXES | MARKDOWN_SUFFIXES))
    raise UnsupportedContent(
        f"no converter for {suffix or 'a name without an ending'} (known: {known})", stage="convert"
    )


def chunk_document(document: MarkdownDocument, settings: Settings) -> tuple[Chunk, ...]:
    """The document's chunks, planned by the rule planner within the configured window."""
    limits = WindowLimits(
        target=settings.chunk_target_tokens, minimum=settings.chunk_min_tokens, maximum=settings.chunk_max_tokens
    )
    tree = build_tree(document)
    return assemble(tree, RulePlanner(limits).plan(tree))


def chunk_ids(source: SourceFile, chunks: Sequence[Chunk]) -> list[str]:
    """Ids by page and text, one per chunk, none twice: the same file and URL give the same ids."""
    page = page_id(source.key)
    seen: Counter[str] = Counter()
    ids = []
    for chunk in chunks:
        ids.append(point_id("", page, chunk.digest, seen[chunk.digest]))
        seen[chunk.digest] += 1
    return ids


def _read(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise UnsupportedContent(
                f"{size / 1024 / 1024:.0f} MiB is more than the {MAX_FILE_BYTES // 1024 // 1024} MiB that are read",
                stage="read",
            )
        return path.read_bytes()
    except OSError as error:
        raise UnsupportedContent(f"cannot be read: {error.strerror or error}", stage="read") from error


def _decode(body: bytes) -> str:
    """Text of a Markdown file: by its byte order mark, else UTF-8, else the encoding that fits best."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if body.startswith(mark):
            return body.decode(encoding, "replace")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        best = charset_normalizer.from_bytes(body).best()
        if best is None:
            raise UnsupportedContent("is no text in any known encoding", stage="read") from None
        text = str(best)
    if "\x00" in text:
        raise UnsupportedContent("is binary, not Markdown", stage="read")
    return text


def _as_fetched(source: SourceFile, body: bytes) -> FetchedPage:
    return FetchedPage(
        url=source.url,
        final_url=source.url,
        status=200,
        content_type="text/html",
        body=body,
        fetched_at=datetime.fromtimestamp(source.path.stat().st_mtime, UTC),
        body_digest=digest(body),
    )
