"""What narrows a search narrows it the same in every store, in search, by page and in context.

Each question is put twice: embedded collections answer the second one out of memory.
"""

from __future__ import annotations

import datetime as dt
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from mock_embeddings import WordEmbedder
from mock_qdrant import MockQdrant

from indexing import PageFacts, build_points, open_store, vectors_for
from indexing.context import context
from indexing.reranking import Ranking
from indexing.search import by_page, search
from wrac.config import Settings
from wrac.errors import ConfigError
from wrac.ids import digest, page_id
from wrac.records import Chunk

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from indexing import QdrantStore
    from indexing.sparse import Bm25Encoder
    from wrac.records import Hit, Point

WHEN = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
EMBEDDER = WordEmbedder()


def _page(bm25: Bm25Encoder, path: str, text: str, kind: str = "section", **facts: str) -> list[Point]:
    url = f"https://docs.example.org{path}"
    chunk = Chunk(
        text=text,
        embed_text=text,
        heading_path=(),
        breadcrumb="",
        unit_ids=("u1",),
        kind=kind,
        fragment="",
        ordinal=0,
        tokens=len(text.split()),
        digest=digest(text),
    )
    page = PageFacts(site=facts.pop("site", "docs"), page_id=page_id(url), url=url, title="", fetched_at=WHEN, **facts)
    return build_points(page, [chunk], vectors_for([text], "en", EMBEDDER, bm25))


@pytest.fixture(params=["memory", "edge", "server"])
def store(request: pytest.FixtureRequest, tmp_path: Path, bm25: Bm25Encoder) -> Generator[QdrantStore]:
    with ExitStack() as stack:
        where = {"memory": ":memory:", "edge": "edge:"}.get(request.param)
        if where is None:
            where = stack.enter_context(MockQdrant()).url
        opened = stack.enter_context(open_store(Settings(data_dir=tmp_path, store=where), "docs", {}))
        opened.ensure(EMBEDDER, bm25)
        pages = [
            _page(bm25, "/v1/guide", "button one", version="1", modified="2025-12-31T23:00:00+00:00", language="en"),
            _page(bm25, "/v1/guide/deep/a.html", "button two", version="1", published="2026-05-12", language="en-gb"),
            _page(bm25, "/v1/guidebook.pdf", "button three", source_kind="pdf", language="de"),
            _page(bm25, "/v2/guide", "button two", version="2", published="2024", modified="2026-06-01", kind="table"),
            _page(bm25, "/v1/guide", "button four", site="other", language="en"),
        ]
        opened.upsert([point for page in pages for point in page])
        yield opened


@pytest.fixture
def found(store: QdrantStore, bm25: Bm25Encoder) -> Callable[..., list[Hit]]:
    def ask(site: str | None = None, **filters: object) -> list[Hit]:
        def once() -> list[Hit]:
            return search("button", store=store, embedder=EMBEDDER, sparse=bm25, site=site, filters=filters)

        first, second = once(), once()
        assert [hit.point_id for hit in first] == [hit.point_id for hit in second]
        return first

    return ask


def _paths(hits: list[Hit]) -> set[str]:
    return {hit.url.removeprefix("https://docs.example.org") for hit in hits}


GUIDE, DEEP, BOOK, SECOND = "/v1/guide", "/v1/guide/deep/a.html", "/v1/guidebook.pdf", "/v2/guide"


@pytest.mark.parametrize(
    ("filters", "paths"),
    [
        ({"path": "/v1/guide"}, {GUIDE, DEEP}),
        ({"path": "/v1/guide/"}, {DEEP}),
        ({"path": "v1/guide"}, {GUIDE, DEEP}),
        ({"path": "https://docs.example.org/v1/guide/deep/"}, {DEEP}),
        ({"path": ["/v1/guide/deep", "/v1/guidebook.pdf"]}, {DEEP, BOOK}),
        ({"path": "/v2/"}, {SECOND}),
        ({"language": "en"}, {GUIDE, DEEP}),
        ({"language": "en-gb"}, {DEEP}),
        ({"version": "2"}, {SECOND}),
        ({"version": ["1", "2"], "path": "/v2"}, {SECOND}),
        ({"source_kind": "pdf"}, {BOOK}),
        ({"kind": "table"}, {SECOND}),
        ({"date": "2025"}, {GUIDE}),
        ({"date": ["2026-05", "2025-12-31"]}, {GUIDE, DEEP}),
        ({"since": "2026", "until": "2026-05"}, {DEEP}),
        ({"since": "2026-05-13"}, {SECOND}),
        ({"until": "2026-05-12"}, {GUIDE, DEEP}),
        ({"since": "2026-01-01", "until": "2026-05-11"}, set()),
        ({"since": "2026-02-01", "until": "2026-01-01"}, set()),
        ({"since": "2026", "version": "2"}, {SECOND}),
        ({"since": "", "until": None, "version": "2"}, {SECOND}),
    ],
)
def test_filters_narrow(found: Callable[..., list[Hit]], filters: dict[str, object], paths: set[str]) -> None:
    assert _paths(found("docs", **filters)) == paths


def test_copies_count_once_among_what_the_filters_leave(found: Callable[..., list[Hit]]) -> None:
    assert len(found("docs")) == 3
    assert len(found()) == 4
    assert len(found("docs", since="2026")) == 1
    assert _paths(found("docs", version="2")) == {SECOND}


def test_filters_hold_by_page_and_in_context(
    store: QdrantStore, found: Callable[..., list[Hit]], bm25: Bm25Encoder
) -> None:
    assert {page.url.rpartition("example.org")[2] for page in by_page(found("docs", path="/v1/guide"))} == {GUIDE, DEEP}
    told = context(
        "button", 500, store=store, embedder=EMBEDDER, sparse=bm25, site="docs", filters={"until": "2025-12-31"}
    )
    assert [piece.text for piece in told.pieces] == ["button one"]


@pytest.mark.parametrize("better", ["/a", "/b"])
def test_of_hits_that_answer_alike_the_one_on_the_better_page_comes_first(
    store: QdrantStore, bm25: Bm25Encoder, better: str
) -> None:
    for path, word in (("/a", "anchor"), ("/b", "barge")):
        said = [f"mooring {word}", *(["mooring of a barque"] if path == better else [])]
        chunks = [Chunk(text, text, (), "", (text,), "section", "", n, 2, digest(text)) for n, text in enumerate(said)]
        url = f"https://docs.example.org{path}"
        page = PageFacts(site="lift", page_id=page_id(url), url=url, title="", fetched_at=WHEN)
        store.upsert(build_points(page, chunks, vectors_for(said, "en", EMBEDDER, bm25)))

    def urls(page_weight: float) -> list[str]:
        hits = search(
            "mooring of a barque",
            store=store,
            embedder=EMBEDDER,
            sparse=bm25,
            site="lift",
            ranking=Ranking(page_weight=page_weight),
        )
        return [hit.url.rpartition("example.org")[2] for hit in hits]

    other = {"/a": "/b", "/b": "/a"}[better]
    assert urls(0.25) == [better, better, other]
    assert sorted(urls(0.0)[1:]) == ["/a", "/b"]


@pytest.mark.parametrize("filters", [{"since": "last week"}, {"date": "12.5.2026"}, {"until": "2026-02-30"}])
def test_what_is_no_date_is_refused(found: Callable[..., list[Hit]], filters: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="write 2026, 2026-05 or 2026-05-12"):
        found(**filters)


def test_an_unknown_filter_is_refused_with_those_that_there_are(found: Callable[..., list[Hit]]) -> None:
    with pytest.raises(ConfigError, match=r"no filter 'colour': use one of date, .*since, source_kind, until"):
        found(colour="red")
