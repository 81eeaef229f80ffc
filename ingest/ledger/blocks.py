"""What the ledger knows about URLs that may not come back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from ingest.blocks import Blocks, UrlPattern
from ingest.ledger.schema import blocks
from wrac.ids import digest_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ingest.ledger.database import Database


@dataclass(frozen=True, slots=True)
class Block:
    """One entry."""

    pattern: UrlPattern
    url: str
    """As it was given, for people."""
    created_at: str


class BlockLedger:
    """Blocks by site. They outlive everything else that the ledger knows of a site."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, site: str, patterns: Iterable[tuple[UrlPattern, str]], created_at: str) -> None:
        """No crawl of the site brings back what the patterns, each with its URL for people, match."""
        rows = [
            {
                "site": site,
                "key": _key(pattern),
                "pattern": pattern.key,
                "is_prefix": pattern.is_prefix,
                "url": url,
                "created_at": created_at,
            }
            for pattern, url in patterns
        ]
        with self._database.transaction() as connection:
            self._database.upsert(connection, blocks, rows)

    def remove(self, site: str, pattern: UrlPattern) -> bool:
        """The entry is gone; whether there was one."""
        with self._database.transaction() as connection:
            done = connection.execute(blocks.delete().where(blocks.c.site == site, blocks.c.key == _key(pattern)))
            return done.rowcount > 0

    def entries(self, site: str | None = None) -> list[tuple[str, Block]]:
        """(site, entry), in order, of one site or of all."""
        query = sa.select(blocks).order_by(blocks.c.site, blocks.c.pattern)
        if site is not None:
            query = query.where(blocks.c.site == site)
        with self._database.transaction() as connection:
            return [
                (row.site, Block(UrlPattern(row.pattern, row.is_prefix), row.url, row.created_at))
                for row in connection.execute(query)
            ]

    def of_site(self, site: str) -> Blocks:
        """What is blocked in a site, to be asked many times."""
        return Blocks(entry.pattern for _, entry in self.entries(site))


def _key(pattern: UrlPattern) -> str:
    return digest_of(pattern.key, str(pattern.is_prefix))
