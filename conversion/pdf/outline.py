"""The document's outline (bookmarks): titles with levels, looked for among the lines of their pages."""

from __future__ import annotations

import ctypes
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.records import Line

_MAX_ENTRIES = 20_000
_MAX_DEPTH = 12
_MAX_TITLE = 1_000
_MAX_LINES = 5
"""Lines over which a title may run."""


@dataclass(slots=True)
class Entry:
    """One bookmark."""

    title: str
    key: str
    level: int
    """From 1."""
    page: int
    """1-based; 0 where it leads nowhere."""
    found: bool = False


def bookmarks(document: pdfium.FPDF_DOCUMENT) -> list[Entry]:
    """All bookmarks in order; a circle among them ends the reading."""
    entries: list[Entry] = []
    seen: set[int] = set()

    def read(parent: pdfium.FPDF_BOOKMARK | None, level: int) -> None:
        item = pdfium.FPDFBookmark_GetFirstChild(document, parent)
        while item and len(entries) < _MAX_ENTRIES:
            address = ctypes.addressof(item.contents)
            if address in seen:
                return
            seen.add(address)
            title = _title(item)
            if key := words_key(title):
                entries.append(Entry(title, key, level, _page(document, item)))
            if level < _MAX_DEPTH:
                read(item, level + 1)
            item = pdfium.FPDFBookmark_GetNextSibling(document, item)

    read(None, 1)
    return entries


def _title(item: pdfium.FPDF_BOOKMARK) -> str:
    length = pdfium.FPDFBookmark_GetTitle(item, None, 0)
    if not 2 < length <= 2 * _MAX_TITLE:
        return ""
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDFBookmark_GetTitle(item, buffer, length)
    return " ".join(buffer.raw[: length - 2].decode("utf-16-le", "replace").split())


def _page(document: pdfium.FPDF_DOCUMENT, item: pdfium.FPDF_BOOKMARK) -> int:
    destination = pdfium.FPDFBookmark_GetDest(document, item)
    if not destination:
        action = pdfium.FPDFBookmark_GetAction(item)
        destination = pdfium.FPDFAction_GetDest(document, action) if action else None
    return pdfium.FPDFDest_GetDestPageIndex(document, destination) + 1 if destination else 0


def words_key(text: str) -> str:
    """Letters and digits of the text, case folded: what is compared, since spaces, dashes and ligatures vary."""
    if text.isascii():
        return "".join(filter(str.isalnum, text)).lower()
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


class Outline:
    """Finds the lines that are the titles of bookmarks."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._by_page: dict[int, list[Entry]] = {}
        for entry in entries:
            self._by_page.setdefault(entry.page, []).append(entry)
        self.entries = entries

    def match(self, lines: Sequence[Line], start: int) -> tuple[int, int]:
        """(number of lines, level) of the title that begins at ``start``; (0, 0) where none does."""
        entries = self._by_page.get(lines[start].page)
        if not entries:
            return 0, 0
        key = words_key(lines[start].text)
        if not key:
            return 0, 0
        candidates = [e for e in entries if not e.found and (e.key in key or key in e.key)]
        for entry in candidates:
            joined = key
            for count in range(1, _MAX_LINES + 1):
                if _is_title(joined, entry.key):
                    entry.found = True
                    return count, entry.level
                if start + count >= len(lines) or len(joined) > len(entry.key) + 12:
                    break
                joined += words_key(lines[start + count].text)
        return 0, 0


def _is_title(text: str, title: str) -> bool:
    if text == title:
        return True
    # A number or "Chapter 3" may stand in only one of them.
    longer, shorter = (text, title) if len(text) > len(title) else (title, text)
    prefix = longer.removesuffix(shorter)
    if prefix == longer or len(prefix) > 12 or len(shorter) < 3:
        return False
    return prefix.isdigit() or any(c.isdigit() for c in prefix) or (len(prefix) == 1 and prefix.isalpha())
