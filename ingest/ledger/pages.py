"""What the ledger knows about URLs."""

from __future__ import annotations

import threading
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from ingest.ledger.rows import Decision, PageRow, PageState, VariantKind
from ingest.ledger.schema import decisions, pages, variants
from wrac.errors import StoreError
from wrac.ids import digest
from wrac.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy.engine import RowMapping

    from ingest.ledger.database import Database

_FIELDS = tuple(f.name for f in fields(PageRow))
# Put together once: that takes longer than the query itself.
_ROWS = sa.select(*(pages.c[name] for name in _FIELDS))
_ONE_ROW = _ROWS.where(pages.c.site == sa.bindparam("of_site"), pages.c.page_id == sa.bindparam("of_page"))
PUBLISHED = frozenset([*(name for name in _FIELDS if name.startswith("published_")), "point_ids", "tombstoned_at"])
"""Written by ``PublishLedger.record`` alone: what a page's own row says later must not undo it."""


_NO_DOUBT = (Outcome.INDEXED, Outcome.UNCHANGED, Outcome.GONE, Outcome.LIMIT)
"""Outcomes after which a published page is kept for a known reason: content, a first miss, a limit of ours."""


class Totals(NamedTuple):
    """Sums over pages."""

    chunks: int
    tokens: int


class PageLedger:
    """Rows of pages are written in batches: ``save`` is cheap, ``flush`` makes all that was saved durable at once.

    A process killed in between loses rows, never halves of rows; their pages are fetched again.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        # A second flush must not write what the first one took, after a publish has written since.
        self._flushing = threading.Lock()
        self._saved: dict[tuple[str, str], PageRow] = {}
        self._saved_variants: dict[tuple[str, str], dict[str, Any]] = {}
        self._saved_decisions: list[dict[str, Any]] = []

    def save(self, row: PageRow) -> None:
        """The row replaces the stored one at the next ``flush``, but for what is published.

        Readers of this ledger see it at once.
        """
        with self._lock:
            self._saved[row.site, row.page_id] = row

    @property
    def waiting(self) -> int:
        """Rows that wait for ``flush``."""
        return len(self._saved)

    def flush(self) -> None:
        """Everything saved is durable. After an error nothing was written and everything still waits."""
        with self._flushing:
            self._flush()

    def _flush(self) -> None:
        with self._lock:
            rows = list(self._saved.values())
            aliases = list(self._saved_variants.values())
            made = list(self._saved_decisions)
        if not (rows or aliases or made):
            return
        with self._database.transaction() as connection:
            self._database.upsert(connection, pages, [row_values(row) for row in rows], keep=PUBLISHED)
            self._database.upsert(connection, variants, aliases)
            if made:
                connection.execute(decisions.insert(), made)
        with self._lock:
            for row in rows:
                if self._saved.get((row.site, row.page_id)) is row:  # not saved anew meanwhile
                    del self._saved[row.site, row.page_id]
            for alias in aliases:
                self._saved_variants.pop((alias["site"], alias["url"]), None)
            del self._saved_decisions[: len(made)]

    def get(self, site: str, page_id: str) -> PageRow | None:
        """The row of one URL, saved rows included."""
        with self._lock:
            if (row := self._saved.get((site, page_id))) is not None:
                return row
        with self._database.transaction() as connection:
            found = connection.execute(_ONE_ROW, {"of_site": site, "of_page": page_id}).mappings().one_or_none()
        return None if found is None else _row(found)

    def of_run(self, site: str, run_id: int, state: PageState) -> Iterator[PageRow]:
        """The pages in this state that a run met, in order of URL."""
        self.flush()
        return self._select(pages.c.site == site, pages.c.run_id == run_id, pages.c.state == state.value)

    def of_site(self, site: str) -> Iterator[PageRow]:
        """All URLs of a site that any run met, in order."""
        self.flush()
        return self._select(pages.c.site == site)

    def in_state(self, site: str, state: PageState) -> Iterator[PageRow]:
        """All pages of a site in this state, in order of URL."""
        self.flush()
        return self._select(pages.c.site == site, pages.c.state == state.value)

    def redirected(self, site: str, run_id: int) -> Iterator[PageRow]:
        """Published pages whose URL redirects since this run, in order of URL."""
        return self._published(site, pages.c.run_id == run_id, pages.c.outcome == Outcome.REDIRECTED.value)

    def kept_on_doubt(self, site: str, run_id: int) -> dict[str, int]:
        """Number of pages by outcome that a run found without content and that keep what is published."""
        self.flush()
        query = sa.select(pages.c.outcome, sa.func.count()).where(
            pages.c.site == site,
            pages.c.run_id == run_id,
            pages.c.point_ids != "",
            pages.c.state.in_([PageState.LIVE.value, PageState.GATHERED.value]),
            pages.c.outcome.not_in([outcome.value for outcome in _NO_DOUBT]),
        )
        with self._database.transaction() as connection:
            return dict(connection.execute(query.group_by(pages.c.outcome).order_by(pages.c.outcome)).all())

    def missing(self, site: str, run_id: int) -> int:
        """Number of published pages that a run did not find, and of which that proves nothing yet."""
        self.flush()
        query = sa.select(sa.func.count()).where(
            pages.c.site == site,
            pages.c.run_id == run_id,
            pages.c.point_ids != "",
            pages.c.outcome == Outcome.GONE.value,
            pages.c.state != PageState.LEAVING.value,
        )
        with self._database.transaction() as connection:
            return connection.scalar(query) or 0

    def unseen(self, site: str, run_id: int) -> Iterator[PageRow]:
        """Published pages that this run did not meet, in order of URL."""
        return self._published(site, pages.c.run_id != run_id)

    def published(self, site: str) -> Iterator[PageRow]:
        """Pages that are in the collection, in order of URL."""
        return self._published(site)

    def _published(self, site: str, *conditions: Any) -> Iterator[PageRow]:
        self.flush()
        return self._select(pages.c.site == site, pages.c.point_ids != "", *conditions)

    def count_due(self, site: str, now: str) -> int:
        """Pages in the collection whose due date is not later than ``now`` (ISO 8601, UTC)."""
        query = sa.select(sa.func.count()).where(
            pages.c.site == site, pages.c.due_at != "", pages.c.due_at <= now, pages.c.point_ids != ""
        )
        with self._database.transaction() as connection:
            return int(connection.scalar(query) or 0)

    def with_markdown(self, site: str, markdown_digest: str) -> list[PageRow]:
        """The pages of a site with this Markdown, saved rows included, in order of URL."""
        stored = self._select(pages.c.site == site, pages.c.markdown_digest == markdown_digest)
        with self._lock:
            found = {row.page_id: row for row in stored} | {
                row.page_id: row for row in self._saved.values() if row.site == site
            }
        return sorted((r for r in found.values() if r.markdown_digest == markdown_digest), key=lambda r: r.url)

    def known_ids(self, site: str) -> set[str]:
        """Page ids of every URL of a site that any run met."""
        self.flush()
        with self._database.transaction() as connection:
            return set(connection.scalars(sa.select(pages.c.page_id).where(pages.c.site == site)))

    def ids_by_url(self, site: str, run_id: int | None, outcomes: Sequence[Outcome]) -> dict[str, str]:
        """URL -> page id of the pages that ended with one of these outcomes, in a run or at last, in order of URL."""
        self.flush()
        query = sa.select(pages.c.url, pages.c.page_id).where(
            pages.c.site == site, pages.c.outcome.in_([o.value for o in outcomes])
        )
        if run_id is not None:
            query = query.where(pages.c.run_id == run_id)
        with self._database.transaction() as connection:
            return dict(connection.execute(query.order_by(pages.c.url)).all())

    def count_by(self, column: str, site: str, run_id: int | None = None) -> dict[str, int]:
        """Number of pages by ``outcome`` or ``state``, of one run or of all that is known of the site."""
        self.flush()
        query = sa.select(pages.c[column], sa.func.count()).where(pages.c.site == site).group_by(pages.c[column])
        if run_id is not None:
            query = query.where(pages.c.run_id == run_id)
        with self._database.transaction() as connection:
            return dict(connection.execute(query.order_by(pages.c[column])).all())

    def totals(self, site: str, run_id: int, outcomes: Sequence[Outcome]) -> Totals:
        """Chunks and tokens of the pages that ended with one of these outcomes in a run."""
        self.flush()
        sums = [sa.func.coalesce(sa.func.sum(pages.c[name]), 0) for name in ("chunks", "tokens")]
        query = sa.select(*sums).where(
            pages.c.site == site, pages.c.run_id == run_id, pages.c.outcome.in_([o.value for o in outcomes])
        )
        with self._database.transaction() as connection:
            return Totals(*map(int, connection.execute(query).one()))  # PostgreSQL adds up to a Decimal

    def languages(self, site: str, run_id: int) -> dict[str, int]:
        """Number of pages in the collection by language, of those that a run met."""
        self.flush()
        query = sa.select(pages.c.language, sa.func.count()).group_by(pages.c.language).order_by(pages.c.language)
        query = query.where(pages.c.site == site, pages.c.run_id == run_id, pages.c.point_ids != "")
        with self._database.transaction() as connection:
            return dict(connection.execute(query).all())

    def add_variant(self, site: str, url: str, page_id: str, kind: VariantKind, run_id: int) -> None:
        """``url`` is known as another URL of the page from the next ``flush`` on."""
        row = {"site": site, "url_digest": digest(url), "url": url, "page_id": page_id, "kind": kind.value}
        with self._lock:
            self._saved_variants[site, url] = row | {"run_id": run_id}

    def variants(self, site: str, page_id: str) -> list[tuple[str, VariantKind]]:
        """Other URLs of a page, in order."""
        self.flush()
        query = sa.select(variants.c.url, variants.c.kind)
        query = query.where(variants.c.site == site, variants.c.page_id == page_id)
        with self._database.transaction() as connection:
            return [(url, VariantKind(kind)) for url, kind in connection.execute(query.order_by(variants.c.url))]

    def add_decision(self, site: str, decision: Decision) -> None:
        """The decision is on record from the next ``flush`` on."""
        with self._lock:
            self._saved_decisions.append({"site": site, **asdict(decision)})

    def decisions(self, site: str, page_id: str, limit: int = 10) -> list[Decision]:
        """The latest decisions about a page, newest first."""
        self.flush()
        query = sa.select(*(decisions.c[f.name] for f in fields(Decision)))
        query = query.where(decisions.c.site == site, decisions.c.page_id == page_id)
        with self._database.transaction() as connection:
            found = connection.execute(query.order_by(decisions.c.decision_id.desc()).limit(limit))
            return [Decision(*row) for row in found]

    def _select(self, *conditions: Any) -> Iterator[PageRow]:
        query = _ROWS.where(*conditions).order_by(pages.c.url)
        with self._database.transaction() as connection:
            found = connection.execute(query).mappings().all()
        return (_row(values) for values in found)


def row_values(row: PageRow) -> dict[str, Any]:
    """The columns of a row."""
    values = {name: getattr(row, name) for name in _FIELDS}
    values["state"] = row.state.value
    values["outcome"] = row.outcome.value
    values["point_ids"] = " ".join(row.point_ids)
    return values


def _row(values: RowMapping) -> PageRow:
    plain: dict[str, Any] = {name: values[name] for name in _FIELDS}
    try:
        plain["state"] = PageState(plain["state"])
        plain["outcome"] = Outcome(plain["outcome"])
    except ValueError as error:
        raise StoreError(
            f"the ledger's row of {plain['url']} (site {plain['site']}) cannot be read: {error}. "
            "Put a copy of the ledger back, or delete the row: the next crawl fetches the page again"
        ) from error
    plain["point_ids"] = tuple(plain["point_ids"].split())
    return PageRow(**plain)
