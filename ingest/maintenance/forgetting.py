"""Pages that must be erased wherever they are kept, and must not come back.

Their points go out of every collection that was made for the site, their rows, decisions and publications out of the
ledger (so that no rollback finds them), their bodies, records, vectors, planning replies and reports out of archive and
data folder. What another page needs as well stays. The block is set first: broken off anywhere, the same command goes
on, and no crawl brings anything back in between.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from indexing import open_store
from ingest.archive import Damaged, Kind
from ingest.blocks import EVERYTHING, UrlPattern
from ingest.ledger import Ledger
from ingest.ledger.rows import RunKind
from ingest.maintenance.reach import vectors_of
from ingest.maintenance.renewal import UNKNOWN
from ingest.maintenance.session import Session, open_session
from ingest.report.files import report_folder
from ingest.vectors import pack_vectors, unpack_vectors
from wrac.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexing import QdrantStore
    from ingest.ledger.rows import PageRow
    from wrac.config import Settings


_ALL_RUNS = 1_000_000


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be forgotten in one site."""

    site: str
    pattern: UrlPattern
    url: str
    """As it was given; empty for the whole site."""
    pages: tuple[PageRow, ...] = ()
    """All that the ledger knows of it: the pages meant, and other URLs of them."""
    elsewhere: tuple[str, ...] = ()
    """Pages that URLs meant here are other URLs of, and that stay."""

    @property
    def is_whole_site(self) -> bool:
        """Whether nothing of the site is to be left."""
        return self.pattern == EVERYTHING


@dataclass(slots=True)
class Forgotten:
    """What was erased of one site."""

    site: str
    pages: int = 0
    points: int = 0
    objects: int = 0
    """Archive objects."""
    bytes: int = 0
    reports: int = 0


def find_targets(settings: Settings, url: str, site: str = "") -> list[Target]:
    """What a URL, a beginning of URLs, or no URL and a site means, by site; nothing is changed.

    With ``site`` there is always one target: a URL that is not known yet is blocked as well. Raises ``ConfigError``.
    """
    if not url and not site:
        raise ConfigError("say what is to be forgotten: a URL, a folder ending in /, or --site NAME for a whole site")
    pattern = UrlPattern.of(url) if url else EVERYTHING
    with Ledger(settings.ledger_url) as ledger:
        sites = [site] if site else ledger.runs.sites()
        targets = [_target(ledger, name, pattern, url) for name in sites]
    return [target for target in targets if target.pages or site]


def _target(ledger: Ledger, site: str, pattern: UrlPattern, url: str) -> Target:
    rows = {row.page_id: row for row in ledger.pages.of_site(site)}
    meant = {key for key, row in rows.items() if pattern.matches(row.url)}
    # Other URLs of a page that goes have its text, or lead to it.
    chosen = meant | {key for key, row in rows.items() if row.variant_of in meant}
    elsewhere = {rows[key].variant_of for key in meant if rows[key].variant_of not in ("", *chosen)}
    return Target(
        site,
        pattern,
        url,
        tuple(rows[key] for key in sorted(chosen, key=lambda key: rows[key].url)),
        tuple(sorted(rows[key].url for key in elsewhere if key in rows)),
    )


def forget(settings: Settings, targets: Sequence[Target]) -> list[Forgotten]:
    """Nothing of the targets is kept, and none of their URLs comes back until it is allowed again.

    Raises ``StoreLocked`` where one of the sites is being crawled, ``StoreError``; the same command then goes on.
    """
    with open_session(settings, [target.site for target in targets], must_be_known=False) as session:
        return [_Erasure(session, target).run() for target in targets]


def allow_again(settings: Settings, url: str, site: str) -> list[str]:
    """The sites in which the URL, or the whole site, was blocked and is no more."""
    pattern = UrlPattern.of(url) if url else EVERYTHING
    with Ledger(settings.ledger_url) as ledger:
        blocked = {name for name, _ in ledger.blocks.entries() if site in ("", name)}
        return [name for name in sorted(blocked) if ledger.blocks.remove(name, pattern)]


class _Erasure:
    """One target, erased."""

    def __init__(self, session: Session, target: Target) -> None:
        self._session = session
        self._target = target
        self._ledger = session.ledger
        self._ids = [row.page_id for row in target.pages]
        self._chosen = frozenset(self._ids)
        self._done = Forgotten(target.site, pages=len(target.pages))

    def run(self) -> Forgotten:
        session, target, ledger = self._session, self._target, self._ledger
        now = session.now()
        patterns = [(target.pattern, target.url)]
        patterns += [(UrlPattern.of(row.url), row.url) for row in target.pages if not target.pattern.matches(row.url)]
        ledger.blocks.add(target.site, patterns, now)
        last = ledger.runs.last(target.site)
        if last is None:
            return self._done
        if not target.is_whole_site:
            session.begin(target.site, RunKind.FORGET, ledger.runs.recipe(last.recipe) or UNKNOWN)
        for collection in sorted({run.collection for run in ledger.runs.of_site(target.site, limit=_ALL_RUNS)}):
            session.patiently(partial(self._erase_points, collection))
        self._erase_reports()
        self._erase_objects()
        # Last of all: as long as the ledger tells of the pages, the same command finds what is left of them.
        if target.is_whole_site:
            ledger.erasing.erase_site(target.site)
        else:
            ledger.erasing.erase_pages(target.site, self._ids)
        if not target.is_whole_site:
            session.finish(target.site, {"forgotten": self._done.pages}, {"points_deleted": self._done.points})
        return self._done

    # ------------------------------------------------------------ the collection

    def _erase_points(self, collection: str) -> None:
        """Out of the collection in use and of those that are kept for a rollback."""
        settings = self._session.settings
        if (folder := settings.store_folder) is not None and not folder.exists():
            return
        with open_store(settings, collection) as store:
            for generation in [*map(store.generation, store.generations())]:
                self._erase_from(generation)

    def _erase_from(self, store: QdrantStore) -> None:
        site = self._target.site
        if self._target.is_whole_site:
            points = store.site_points(site)
        else:
            points = {point for page_id in self._ids for point in store.page_points(site, page_id)}
        store.delete(points)
        self._done.points += len(points)

    # ------------------------------------------------------------ the archive

    def _is_meant(self, site: str, page_id: str) -> bool:
        return site == self._target.site and (self._target.is_whole_site or page_id in self._chosen)

    def _erase_objects(self) -> None:
        """What the pages named and nothing else in the ledger does; vectors first, which are found by the records."""
        ledger, archive = self._ledger, self._session.archive
        named = ledger.erasing.references(self._is_meant)
        kept = ledger.erasing.references(lambda site, page_id: not self._is_meant(site, page_id))
        vectors = vectors_of(ledger, archive, named.records).keys
        if vectors:
            self._erase_vectors(vectors - vectors_of(ledger, archive, kept.records).keys)
        for key in named.bodies - kept.bodies:
            self._discard(Kind.BODY, key)
        for key in named.record_keys - kept.record_keys:
            self._discard(Kind.PAGE, key)

    def _erase_vectors(self, keys: set[str]) -> None:
        """These vectors are gone; others that lie in the same objects lie in new ones."""
        objects = self._ledger.erasing.vector_objects()
        concerned = {objects[key] for key in keys if key in objects}
        staying: dict[str, list[str]] = {name: [] for name in concerned}
        for key, name in objects.items():
            if name in concerned and key not in keys:
                staying[name].append(key)
        for name, others in staying.items():
            self._keep_apart(name, others)
            self._discard(Kind.VECTORS, name)
        self._ledger.erasing.drop_vectors(keys & objects.keys())

    def _keep_apart(self, name: str, keys: list[str]) -> None:
        if not keys:
            return
        archive = self._session.archive
        try:
            held = unpack_vectors(archive.get(Kind.VECTORS, name))
        except (Damaged, ValueError):
            self._ledger.erasing.drop_vectors(keys)
            return
        kept = {key: held[key] for key in keys if key in held}
        self._ledger.publishes.add_vectors(kept, archive.put(Kind.VECTORS, pack_vectors(kept)))

    def _discard(self, kind: Kind, key: str) -> None:
        archive = self._session.archive
        size = archive.size(kind, key)
        if size is None:
            return
        archive.discard(kind, key)
        self._done.objects += 1
        self._done.bytes += size

    # ------------------------------------------------------------ reports

    def _erase_reports(self) -> None:
        """Reports quote pages. Those that name one of them go; `wrac report` writes a run's report again."""
        last = self._ledger.runs.last(self._target.site)
        if last is None:
            return
        folder = report_folder(self._session.settings.data_dir, last).parent
        urls = [row.url.encode() for row in self._target.pages]
        for run in sorted(folder.iterdir()) if folder.is_dir() else []:
            files = [file for file in run.rglob("*") if file.is_file()]
            if self._target.is_whole_site or any(url in file.read_bytes() for file in files for url in urls):
                shutil.rmtree(run, ignore_errors=True)
                self._done.reports += 1
