"""What the points of a page tell beside their chunks: from its row and its record."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import indexing

if TYPE_CHECKING:
    from indexing import PageFacts
    from ingest.ledger.rows import PageRow
    from ingest.page_records import PageRecord


def page_facts(row: PageRow, record: PageRecord) -> PageFacts:
    """The facts of a page that was made into ``record``."""
    metadata = record.metadata
    return indexing.PageFacts(
        site=row.site,
        page_id=row.page_id,
        url=row.url,
        title=metadata.title or record.document.title,
        fetched_at=datetime.fromisoformat(row.fetched_at),
        language=metadata.language,
        version=metadata.version,
        source_kind=record.document.source_kind,
        description=metadata.description,
        published=metadata.published,
        modified=metadata.modified,
        trail=metadata.breadcrumb,
        document_digest=record.document.digest,
        recipe=row.recipe,
        pages_ok=record.pages_ok if record.pages else None,
        pages_total=len(record.pages) or None,
    )
