"""What is stored with a point, and which changes make it be written again."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace

import numpy as np

from indexing import PageFacts, build_points
from indexing.vectors import unpack_windows
from wrac.ids import digest, page_id, point_id
from wrac.records import Chunk, ChunkVectors, Point, SparseVector

URL = "https://user:secret@docs.example.org/en/guide/a.html?token=abc&v=2"
FACTS = PageFacts(
    site="docs",
    page_id=page_id("https://docs.example.org/en/guide/a.html"),
    url=URL,
    title="A guide",
    fetched_at=dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC),
    language="en-US",
    version="2.1",
    document_digest="d1",
)
CHUNK = Chunk(
    text="## Install\n\nRun it.",
    embed_text="Guide > Install\nRun it.",
    heading_path=("Guide", "Install"),
    breadcrumb="Guide > Install",
    unit_ids=("u1", "u2"),
    kind="section",
    fragment="install",
    ordinal=0,
    tokens=6,
    digest=digest("## Install\n\nRun it."),
)
SPARSE = SparseVector(indices=np.asarray([3, 9], dtype=np.uint32), values=np.asarray([1.0, 0.5], dtype=np.float32))
ONE = ChunkVectors(
    dense=np.asarray([0.6, 0.8], dtype=np.float32),
    windows=np.asarray([[0.6, 0.8]], dtype=np.float32),
    sparse=SPARSE,
    spans=((0, 23),),
)
TWO = replace(ONE, windows=np.asarray([[1, 0], [0.6, 0.8]], dtype=np.float32), spans=((0, 16), (16, 23)))


def built(page: PageFacts = FACTS, chunk: Chunk = CHUNK, vectors: ChunkVectors = ONE) -> Point:
    return build_points(page, [chunk], [vectors])[0]


def test_the_same_page_gives_the_same_points() -> None:
    assert built().id == built().id == point_id("docs", FACTS.page_id, CHUNK.digest, 0)
    assert built().payload == built().payload


def test_a_text_twice_on_a_page_is_two_points() -> None:
    points = build_points(FACTS, [CHUNK, CHUNK], [ONE, ONE])
    assert [point.id for point in points] == [point_id("docs", FACTS.page_id, CHUNK.digest, n) for n in (0, 1)]


def test_each_framework_finds_its_keys() -> None:
    payload = built().payload
    assert payload["page_content"] == payload["content"] == payload["document"] == CHUNK.text
    node = json.loads(payload["_node_content"])
    assert (payload["_node_type"], node["class_name"], node["text"]) == ("TextNode", "TextNode", CHUNK.text)
    assert node["id_"] == built().id
    assert node["relationships"]["1"]["node_id"] == payload["doc_id"] == payload["ref_doc_id"] == FACTS.page_id
    for facts in (payload, payload["metadata"], payload["meta"], node["metadata"]):
        assert facts["source"] == "https://docs.example.org/en/guide/a.html?v=2#install"
        assert facts["languages"] == ["en", "en-us"]
        assert facts["fetched_at"] == "2026-03-01T12:00:00+00:00"


def test_nothing_secret_is_stored() -> None:
    assert "secret" not in json.dumps(built().payload)
    assert "abc" not in built().payload["source"]


def test_a_paged_document_is_cited_by_its_page() -> None:
    point = built(replace(FACTS, source_kind="pdf"), replace(CHUNK, fragment="", pages=(4, 5)))
    assert point.payload["source"].endswith("a.html?v=2#page=4")


def test_an_oversized_chunk_keeps_its_parts() -> None:
    payload = built(vectors=TWO).payload
    assert payload["parts"] == ["Guide > Install", "Run it."]
    assert np.allclose(unpack_windows(payload["window_vectors"], 2), TWO.windows, atol=1e-3)
    assert "parts" not in built().payload


def digests(point: Point) -> tuple[str, str]:
    return point.payload["payload_digest"], point.payload["vectors_digest"]


def test_the_time_of_fetching_is_no_reason_to_write() -> None:
    later = replace(FACTS, fetched_at=FACTS.fetched_at + dt.timedelta(days=1))
    assert digests(built(later)) == digests(built())


def test_every_other_change_is() -> None:
    payload, vectors = digests(built())
    for page, chunk in [
        (replace(FACTS, title="Another"), CHUNK),
        (replace(FACTS, recipe="r2"), CHUNK),
        (FACTS, replace(CHUNK, ordinal=1)),
        (FACTS, replace(CHUNK, fragment="other")),
        (FACTS, replace(CHUNK, unit_ids=("u1",))),
        (FACTS, replace(CHUNK, breadcrumb="Other")),
    ]:
        changed, same = digests(built(page, chunk))
        assert changed != payload
        assert same == vectors
    turned = replace(ONE, windows=np.asarray([[0.8, 0.6]], dtype=np.float32))
    reworded = replace(ONE, sparse=replace(SPARSE, values=np.asarray([1.0, 0.6], dtype=np.float32)))
    assert vectors not in (digests(built(vectors=turned))[1], digests(built(vectors=reworded))[1])


def test_a_document_tells_how_many_of_its_pages_were_read() -> None:
    document = replace(FACTS, source_kind="pdf", pages_ok=38, pages_total=40)
    payload = built(document, replace(CHUNK, fragment="", pages=(7, 8))).payload
    assert (payload["pages_ok"], payload["pages_total"]) == (38, 40)
    assert payload["metadata"]["pages_total"] == payload["meta"]["pages_total"] == 40
    assert payload["source"].endswith("#page=7")
    assert payload["pages"] == [7, 8]


def test_a_web_page_has_no_pages_to_tell_of() -> None:
    assert not {"pages_ok", "pages_total"} & set(built().payload)
