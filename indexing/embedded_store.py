"""The embedded collection: qdrant-client's local mode, in a folder or in memory.

It tests every filter in Python on all points. This process being the only writer (the folder is locked), which points
a page has is kept in memory here, and so are, from the second search on, the vectors (``local_index``).
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from contextlib import closing
from typing import TYPE_CHECKING, Any

from indexing.layout import DIGEST_KEY, VECTORS_KEY
from indexing.local_index import LocalIndex
from indexing.store import QdrantStore
from indexing.translation import digests_of
from wrac.records import PointDigests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from qdrant_client import QdrantClient

    from indexing.calls import Calls
    from indexing.layout import CollectionLayout
    from wrac.records import Point


class EmbeddedStore(QdrantStore):
    """One collection of local mode, by its alias. Calls may come from any thread and run one at a time."""

    def __init__(
        self,
        client: QdrantClient,
        alias: str,
        calls: Calls,
        *,
        folder: Path | None = None,
        on_close: Callable[[], None] = lambda: None,
        shared: bool = False,
        writes: Writes | None = None,
    ) -> None:
        """``writes``: those that another store of the client has counted, where this one has the same collections."""
        super().__init__(client, alias, calls, on_close=on_close, shared=shared)
        self._local = client
        self._folder = folder
        self._pages: _Pages | None = None
        self._writes = writes or Writes()
        self._languages: dict[tuple[int, str | None], list[str]] = {}
        self._asked_at = -1
        self._indexed: tuple[int, LocalIndex] | None = None

    def upsert(self, points: Sequence[Point]) -> None:
        """All points are stored and visible to the next search. Running twice is a no-op."""
        known = self._known()
        self._pages = None  # asked anew if the write breaks off half-way
        with self._writes:
            super().upsert(points)
        for point in points:
            known.put(point.id, point.payload)
        self._pages = known

    def delete(self, point_ids: Iterable[str]) -> None:
        """None of the ids is in the collection; unknown ids are no error."""
        chosen = set(point_ids)
        known = self._known()
        self._pages = None
        with self._writes:
            super().delete(chosen)
        known.drop(chosen)
        self._pages = known

    def set_payload(self, payloads: Mapping[str, Mapping[str, object]]) -> None:
        """Replaces the payload of each point, vectors untouched."""
        known = self._known()
        self._pages = None
        with self._writes:
            super().set_payload(payloads)
        for identity, payload in payloads.items():
            known.put(identity, payload)
        self._pages = known

    def page_digests(self, site: str, page_id: str) -> Mapping[str, PointDigests]:
        """What is stored for one page, by point id."""
        return dict(self._known().pages.get((site, page_id), {}))

    def site_digests(self, site: str) -> Mapping[str, Mapping[str, PointDigests]]:
        """What is stored for one site: page id -> point id -> digests."""
        return {page: dict(points) for (owner, page), points in self._known().pages.items() if owner == site and points}

    def site_points(self, site: str) -> set[str]:
        """Ids of all points of one site."""
        return {point for (owner, _), points in self._known().pages.items() if owner == site for point in points}

    def languages(self, site: str | None = None) -> Sequence[str]:
        """BCP 47 tags of the stored points, the most frequent first, unknown ones left out."""
        asked = (self._writes.count, site)
        if (known := self._languages.get(asked)) is None:
            pages = self._known()
            points = pages.languages if site is None else self.site_points(site)
            counted = Counter(map(pages.languages.get, points)).most_common()
            known = [language for language, _ in counted if language]
            self._languages = {asked: known}
        return known

    def count(self, site: str | None = None) -> int:
        """Exact number of points, of one site or of all."""
        return super().count() if site is None else len(self.site_points(site))

    def generation(self, physical: str) -> EmbeddedStore:
        """One of ``generations``, by its own name; open for as long as this store is."""
        return EmbeddedStore(self._local, physical, self._calls, folder=self._folder, shared=True, writes=self._writes)

    def switch(self, physical: str) -> None:
        """Readers of the alias reach this collection from now on: one call, with no moment in between."""
        self._pages = None
        with self._writes:
            super().switch(physical)

    def _searched(self) -> QdrantClient | LocalIndex:
        """What answers a search: for the first one after a write the client, whose answer takes less than an index."""
        count = self._writes.count
        if self._indexed is not None and self._indexed[0] == count:
            return self._indexed[1]
        if self._asked_at != count:
            self._asked_at = count
            return self._local
        index = self._calls.run(lambda: LocalIndex(self._local, self.name))
        self._indexed = (count, index)
        return index

    def _create(self, physical: str, layout: CollectionLayout) -> None:
        super()._create(physical, layout)
        if self._folder is not None:
            log_ahead(self._folder / "collection" / physical / "storage.sqlite")

    def _index(self, physical: str) -> None:
        """Local mode has no payload indexes."""

    def _known(self) -> _Pages:
        if self._pages is None:
            self._pages = _Pages()
            for record in self._scroll(None, ["site", "page_id", "language", DIGEST_KEY, VECTORS_KEY]):
                self._pages.add(str(record.id), record.payload or {}, digests_of(record))
        return self._pages


def log_ahead(database: Path) -> None:
    """The collection's SQLite file uses a write-ahead log from now on; the file itself remembers it.

    Local mode commits every point by itself. With a write-ahead log that is one flush to disk instead of several
    (measured on a busy disk: 70 to 85 commits a second without, 230 to 450 with), and a crash still loses no commit.
    """
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")


class Writes:
    """How often something was written: what was read is true as long as this stays. A write counts at both its ends."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> None:
        self.count += 1

    def __exit__(self, *_: object) -> None:
        self.count += 1


class _Pages:
    """Which points are stored for which page, and in which language."""

    def __init__(self) -> None:
        self.pages: defaultdict[tuple[str, str], dict[str, PointDigests]] = defaultdict(dict)
        self.languages: dict[str, str] = {}
        self._places: dict[str, tuple[str, str]] = {}

    def add(self, identity: str, payload: Mapping[str, Any], digests: PointDigests) -> None:
        place = (str(payload.get("site", "")), str(payload.get("page_id", "")))
        self._places[identity] = place
        self.languages[identity] = str(payload.get("language", ""))
        self.pages[place][identity] = digests

    def put(self, identity: str, payload: Mapping[str, Any]) -> None:
        self.drop([identity])
        self.add(identity, payload, PointDigests(payload.get(VECTORS_KEY, ""), payload.get(DIGEST_KEY, "")))

    def drop(self, identities: Iterable[str]) -> None:
        for identity in identities:
            if (place := self._places.pop(identity, None)) is not None:
                self.pages[place].pop(identity, None)
                self.languages.pop(identity, None)
