"""Which hits an expected URL means: the page it stands for under any of its URLs, or one place on that page."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from ingest.archive import Damaged
from ingest.identity import identify
from ingest.page_records import read_record
from ingest.questions.quotes import says
from wrac.records import UnitKind
from wrac.urls import page_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ingest.archive import Archive
    from ingest.ledger import Ledger
    from ingest.ledger.rows import PageRow
    from ingest.page_records import PageRecord
    from ingest.questions.question import Question
    from wrac.records import Hit

_PAGE_WORDS = ("page", "slide", "sheet")
_MOST_HOPS = 5
"""Redirects and copies that are followed from one URL to the page that it stands for."""


@dataclass(frozen=True, slots=True)
class Target:
    """An expected URL, looked up."""

    url: str
    """As it was written."""
    fragment: str
    """Percent-decoded; empty where the whole page is meant."""
    place: str
    """The page's key (``wrac.urls``), or its path where only that was written."""
    begins_so: bool
    """All pages below are meant."""
    rows: tuple[PageRow, ...] = ()
    """What the ledger knows of the URL itself, one row for each site that met it."""
    pages: tuple[PageRow, ...] = ()
    """The pages that stand for it, where these have content."""
    texts: frozenset[str] | None = None
    """Digests of the chunks that are meant; None where the archive cannot tell."""

    def is_page_of(self, hit: Hit) -> bool:
        """Whether the hit is on the page, wherever."""
        identity = hit.payload.get("page_id") or identify(hit.url.partition("#")[0])
        return any(page.page_id == identity for page in self.pages) or self.is_named(hit.url.partition("#")[0])

    def is_met_by(self, hit: Hit) -> bool:
        """Whether the hit is what was expected. The same text on another page is, since a search shows it once."""
        if self.texts is not None and hit.payload.get("digest") in self.texts:
            return True
        if not self.is_page_of(hit):
            return False
        if not self.fragment:
            return True
        return self.fragment == fragment_of(hit.url) or _page_number(self.fragment) in _pages(hit)

    def is_named(self, url: str) -> bool:
        """Whether the URL is written as this one, whatever it stands for."""
        place = path_of_page(url) if self.place.startswith("/") else key_of_page(url)
        if not self.begins_so:
            return place == self.place
        return place.startswith(self.place) or f"{place}/" == self.place


def is_answered_by(question: Question, targets: Sequence[Target], hit: Hit) -> tuple[bool, ...]:
    """Which of ``question.expected`` the hit meets; ``targets`` are those of its URLs, in order."""
    if not question.quotes:
        return tuple(target.is_met_by(hit) for target in targets)
    is_in_place = not targets or any(target.is_met_by(hit) for target in targets)
    return tuple(is_in_place and says(hit.text, text) for text in question.quotes)


def key_of_page(url: str) -> str:
    """What all spellings of a page's URL have in common."""
    if key := page_key(url):
        return key
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{quote(unquote(parts.path))}".rstrip("/")


def path_of_page(url: str) -> str:
    """The path of the page's URL with its query, without a final slash or index document."""
    if key := page_key(url):
        return f"/{key.partition('/')[2]}"
    return quote(unquote(urlsplit(url).path)).rstrip("/") or "/"


def fragment_of(url: str) -> str:
    """The fragment, percent-decoded."""
    return unquote(url.partition("#")[2])


class Targets:
    """Looks expected URLs up in what is known of some sites. Ledger and archive are read, never written."""

    def __init__(self, ledger: Ledger | None, archive: Archive | None, sites: Sequence[str]) -> None:
        """Without a ledger, a URL stands for its own page alone."""
        self.ledger = ledger
        self.archive = archive
        self.sites = tuple(sites)
        self._records: dict[str, PageRecord | None] = {}
        self._by_path: dict[str, list[PageRow]] | None = None

    def of(self, question: Question) -> list[Target]:
        """Those of the question's URLs, in order."""
        return [self.look_up(url) for url in question.urls]

    def look_up(self, url: str) -> Target:
        """What the URL means. Raises ``StoreError``."""
        written, _, fragment = url.partition("#")
        begins_so = written.endswith("*")
        place = _place(written.rstrip("*"), begins_so=begins_so)
        if begins_so:
            return Target(url, "", place, begins_so)
        rows = self._rows(written, place)
        pages = tuple(page for row in rows if (page := self._standing_for(row)) is not None)
        fragment = unquote(fragment)
        return Target(url, fragment, place, begins_so, rows, pages, self._texts(pages, fragment))

    def record(self, page: PageRow) -> PageRecord | None:
        """What the archive has of the page as it is in the collection; None where that is nothing that can be read."""
        key = page.published_record or page.record
        if self.archive is None or not key:
            return None
        if key not in self._records:
            try:
                self._records[key] = read_record(self.archive, key)
            except Damaged:
                self._records[key] = None
        return self._records[key]

    def all_rows(self) -> list[PageRow]:
        """Every URL that any of the sites' crawls met."""
        if self._by_path is None:
            self._by_path = {}
            found = [row for site in self.sites for row in (self.ledger.pages.of_site(site) if self.ledger else ())]
            for row in found:
                self._by_path.setdefault(path_of_page(row.url), []).append(row)
        return [row for rows in self._by_path.values() for row in rows]

    def _rows(self, url: str, place: str) -> tuple[PageRow, ...]:
        if self.ledger is None:
            return ()
        if place.startswith("/"):
            self.all_rows()
            return tuple((self._by_path or {}).get(place, ()))
        found = (self.ledger.pages.get(site, identify(url)) for site in self.sites)
        return tuple(row for row in found if row is not None)

    def _standing_for(self, row: PageRow) -> PageRow | None:
        """The page that is indexed for a URL; None where none is."""
        page: PageRow | None = row
        for _ in range(_MOST_HOPS):
            if page is None or page.point_ids or not page.variant_of or self.ledger is None:
                break
            page = self.ledger.pages.get(page.site, page.variant_of)
        return page if page is not None and (page.point_ids or page.record) else None

    def _texts(self, pages: Sequence[PageRow], fragment: str) -> frozenset[str] | None:
        records = [record for page in pages if (record := self.record(page)) is not None]
        if not records:
            return None
        return frozenset(digest for record in records for digest in section_digests(record, fragment))


def section_digests(record: PageRecord, fragment: str) -> list[str]:
    """Digests of the chunks that say anything of the section that a fragment leads to; of all without a fragment."""
    if not fragment:
        return [chunk.digest for chunk in record.chunks]
    if number := _page_number(fragment):
        return [chunk.digest for chunk in record.chunks if number in chunk.pages]
    bounds = [
        _section(record, anchor.offset) for anchor in record.document.anchors if unquote(anchor.fragment) == fragment
    ]
    meant = {unit.id for unit in record.units if any(start <= unit.start < end for start, end in bounds)}
    return [chunk.digest for chunk in record.chunks if not meant.isdisjoint(chunk.unit_ids)]


def _section(record: PageRecord, offset: int) -> tuple[int, int]:
    """From the unit at ``offset`` to the next heading that is no deeper, or, where none begins, to the next anchor."""
    starts = [unit.start for unit in record.units]
    index = max(0, bisect_right(starts, offset) - 1)
    if index + 1 < len(starts) and record.units[index].end <= offset:
        index += 1  # between two units: what follows is meant
    first = record.units[index]
    if first.kind is UnitKind.HEADING:
        after = (unit.start for unit in record.units[index + 1 :] if unit.is_heading and unit.level <= first.level)
    else:
        after = (anchor.offset for anchor in record.document.anchors if anchor.offset >= first.end)
    return first.start, next(after, len(record.document.text) + 1)


def _place(url: str, *, begins_so: bool) -> str:
    is_path = url.startswith("/")
    place = path_of_page(f"https://host{url}") if is_path else key_of_page(url)
    return f"{place.rstrip('/')}/" if begins_so and url.endswith("/") else place


def _page_number(fragment: str) -> int:
    """The number of ``page=3``; 0 for any other fragment."""
    name, _, number = fragment.partition("=")
    return int(number) if name in _PAGE_WORDS and number.isdecimal() else 0


def _pages(hit: Hit) -> Sequence[int]:
    found = hit.payload.get("pages")
    return found if isinstance(found, list) else []
