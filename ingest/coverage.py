"""Nothing of a page is lost on the way into its chunks: proven on what the archive kept of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from wrac.records import UnitKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ingest.page_records import PageRecord


def coverage_faults(record: PageRecord) -> Iterator[str]:
    """Why the chunks of a record are not its content, whole and once; nothing where they are."""
    text, end, gaps = record.document.text, 0, 0
    for unit in record.units:
        gaps += bool(text[end : unit.start].strip())
        end = max(end, unit.end)
    gaps += bool(text[end:].strip())
    if gaps:
        yield f"{gaps} stretches of text in no unit"
    counts = Counter(unit_id for chunk in record.chunks for unit_id in chunk.unit_ids)
    known = {unit.id: unit for unit in record.units}
    content = [unit.id for unit in record.units if unit.kind not in (UnitKind.HEADING, UnitKind.BREAK)]
    if missing := sum(counts[unit_id] == 0 for unit_id in content):
        yield f"{missing} of {len(content)} content units in no chunk"
    if repeated := sum(count > 1 for unit_id, count in counts.items()):
        yield f"{repeated} units in several chunks"
    if unknown := sum(unit_id not in known for unit_id in counts):
        yield f"{unknown} units in a chunk and not in the page"
    if altered := sum(
        unit_id in known and text[known[unit_id].start : known[unit_id].end].strip() not in chunk.text
        for chunk in record.chunks
        for unit_id in chunk.unit_ids
    ):
        yield f"{altered} units whose chunk does not have their text"
