"""Page records out of the archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.archive import Damaged, Kind
from ingest.codec import decode
from ingest.page import PageRecord

if TYPE_CHECKING:
    from ingest.archive import Archive


def read_record(archive: Archive, key: str) -> PageRecord:
    """The record under a key. Raises ``Damaged`` where there is none that can be read, ``StoreError``."""
    try:
        return decode(PageRecord, archive.get(Kind.PAGE, key))
    except ValueError as error:
        raise Damaged(f"archive object {key} is no page record: {error}") from error
