"""What a command would change and cost, found out without paying, publishing or keeping anything."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.archive import FileArchive, Kind
from ingest.bill import REMOTE, known_price
from ingest.ledger.rows import RunKind
from ingest.page_records import read_record
from wrac.ids import point_id
from wrac.records import Usage
from wrac.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

    from ingest.estimate import Estimate
    from ingest.indexer import CollectionIndexer
    from ingest.ledger.rows import PageRow
    from ingest.maintenance.renewal import Renewer
    from ingest.maintenance.session import Session
    from ingest.page_records import PageRecord


@dataclass(slots=True)
class Forecast:
    """What would change."""

    kind: RunKind
    sites: tuple[str, ...]
    pages: int
    """Pages in the collection."""
    changed: int = 0
    """Pages that would be published anew."""
    chunks_before: int = 0
    chunks_after: int = 0
    """Of the changed pages; by the rules' plan where a model would be asked."""
    chunks_new: int = 0
    """Chunks that are not in the collection with the same text."""
    texts: int = 0
    """Texts that would be embedded."""
    tokens: int = 0
    """Of those texts (o200k; the embedder's own count may differ by some percent)."""
    dollars: Decimal | None = None
    """For embedding them; None where no server bills it, or its price is not known."""
    planning: Estimate | None = None
    """What the model would be asked; None where none is."""
    kept: tuple[tuple[str, str], ...] = ()
    """Pages that would stay as they are: URL and reason."""
    waiting: int = 0
    collection: str = ""
    """The collection that would be built beside the one in use; empty where that stays."""


def forecast_renewal(renewer: Renewer, session: Session, indexer: CollectionIndexer) -> Forecast:
    """What ``renew`` would do."""
    found = Forecast(renewer.kind, (renewer.site.name,), len(renewer.published), waiting=len(renewer.waiting))
    with tempfile.TemporaryDirectory(prefix="wrac-dry-run-") as folder:
        remade = list(renewer.remade(renewer.stale(), folder, None))
        scratch = session.archive if renewer.kind is RunKind.REEMBED else FileArchive(folder)
        versions = [page.after for page in remade if page.after is not None]
        _count(found, versions, scratch, session, indexer)
        if renewer.site.planner != "rule" and renewer.kind is not RunKind.REEMBED:
            found.planning = _planning(renewer, session, (read_record(scratch, row.record) for row in versions))
    found.kept = tuple((page.before.url, page.reason) for page in remade if page.after is None)
    return found


def forecast_rebuild(session: Session, versions: Iterable[PageRow], indexer: CollectionIndexer) -> Forecast:
    """What building a collection of these versions would do."""
    rows = list(versions)
    found = Forecast(RunKind.REEMBED, session.sites, len(rows))
    found.collection = indexer.layout.physical_name(indexer.collection)
    _count(found, rows, session.archive, session, indexer)
    return found


def _count(
    found: Forecast, versions: Iterable[PageRow], archive: FileArchive, session: Session, indexer: CollectionIndexer
) -> None:
    seen: set[str] = set()
    for row in versions:
        record = read_record(archive, row.record)
        found.changed += 1
        found.chunks_before += len(row.point_ids)
        found.chunks_after += len(record.chunks)
        found.chunks_new += len(set(_point_ids(row, record)) - set(row.point_ids))
        texts = [chunk.embed_text for chunk in record.chunks]
        by_key = {key: text for key, text in zip(indexer.keys(texts), texts, strict=True) if key not in seen}
        seen.update(by_key)
        known = session.ledger.publishes.find_vectors(list(by_key))
        kept = {name for name in set(known.values()) if session.archive.has(Kind.VECTORS, name)}
        missing = by_key.keys() - {key for key, name in known.items() if name in kept}
        found.texts += len(missing)
        found.tokens += sum(count_tokens(by_key[key]) for key in missing)
    embedder = session.settings.embedder
    price = known_price(embedder.removeprefix(REMOTE), session.settings) if embedder.startswith(REMOTE) else None
    found.dollars = price.of(Usage(input_tokens=found.tokens)) if price else None


def _point_ids(row: PageRow, record: PageRecord) -> list[str]:
    seen: Counter[str] = Counter()
    ids = []
    for chunk in record.chunks:
        ids.append(point_id(row.site, row.page_id, chunk.digest, seen[chunk.digest]))
        seen[chunk.digest] += 1
    return ids


def _planning(renewer: Renewer, session: Session, records: Iterable[PageRecord]) -> Estimate:
    from ingest.estimate import estimate, forecasting_planner  # noqa: PLC0415 - the client takes a second to load
    from ingest.planning import LedgerPlanCache  # noqa: PLC0415

    cache = LedgerPlanCache(session.ledger)
    planner = forecasting_planner(session.settings, renewer.page_settings.limits, cache)
    return estimate(records, planner, session.settings)
