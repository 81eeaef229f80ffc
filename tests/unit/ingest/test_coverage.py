"""Faults of a record's chunks, each made by hand in a sound one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chunking import RulePlanner, assemble, build_tree
from conversion import markdown_document
from ingest.coverage import coverage_faults
from ingest.page_records import PageRecord
from wrac.records import PageMetadata

TEXT = """# Harbour

The harbour has rules.

## Berths

- Long ships lie outside.
- Short ships lie inside.

| berth | metres |
|-------|--------|
| 1     | 40     |

---

## Cranes

```
lift()
```
"""


@pytest.fixture(scope="module")
def record() -> PageRecord:
    document = markdown_document(TEXT)
    tree = build_tree(document)
    plan = RulePlanner().plan(tree)
    chunks = tuple(assemble(tree, plan))
    return PageRecord("https://docs.test/", PageMetadata(), (), document, tree.units, tree.fusions, plan, chunks)


def with_chunk(record: PageRecord, **changes: object) -> PageRecord:
    first, *others = record.chunks
    return replace(record, chunks=(replace(first, **changes), *others))


def test_a_sound_record_has_no_fault(record: PageRecord) -> None:
    assert list(coverage_faults(record)) == []


def test_a_unit_in_no_chunk(record: PageRecord) -> None:
    content = next(unit.id for unit in record.units if not unit.is_heading)
    kept = tuple(unit_id for unit_id in record.chunks[0].unit_ids if unit_id != content)
    (fault,) = coverage_faults(with_chunk(record, unit_ids=kept))
    assert fault.startswith("1 of ")
    assert fault.endswith("content units in no chunk")


def test_a_unit_in_several_chunks(record: PageRecord) -> None:
    (fault,) = coverage_faults(replace(record, chunks=(*record.chunks, replace(record.chunks[-1], ordinal=9))))
    assert fault == f"{len(set(record.chunks[-1].unit_ids))} units in several chunks"


def test_a_unit_that_the_page_does_not_have(record: PageRecord) -> None:
    faults = list(coverage_faults(with_chunk(record, unit_ids=(*record.chunks[0].unit_ids, "nobody"))))
    assert faults == ["1 units in a chunk and not in the page"]


def test_a_chunk_without_the_text_of_its_unit(record: PageRecord) -> None:
    altered = record.chunks[0].text.replace("Long ships lie outside", "Long ships sink")
    assert altered != record.chunks[0].text
    assert list(coverage_faults(with_chunk(record, text=altered))) == ["1 units whose chunk does not have their text"]


def test_text_in_no_unit(record: PageRecord) -> None:
    longer = replace(record.document, text=record.document.text + "\nA line that no unit has.\n")
    assert list(coverage_faults(replace(record, document=longer))) == ["1 stretches of text in no unit"]
