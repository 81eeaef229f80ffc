"""Every store keeps the Store protocol: in memory, in a folder by both engines, and behind the HTTP of a server."""

from __future__ import annotations

import datetime as dt
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from mock_embeddings import WordEmbedder
from mock_qdrant import MockQdrant

from indexing import PageFacts, build_points, open_store, sync_page, vectors_for, with_names
from indexing.context import context
from indexing.embedded_store import EmbeddedStore
from indexing.layout import CollectionLayout
from indexing.local_index import LocalIndex
from indexing.search import search
from wrac.config import Settings
from wrac.errors import ConfigError, StoreError
from wrac.ids import digest, page_id, point_id
from wrac.protocols import Store
from wrac.records import Chunk

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from indexing import QdrantStore
    from indexing.sparse import Bm25Encoder
    from wrac.records import Point

WHEN = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture(params=["memory", "indexed", "folder", "edge", "server"])
def settings(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Settings]:
    if request.param == "indexed":  # the second search on is another one's work: here the first is, too
        monkeypatch.setattr(EmbeddedStore, "_searched", lambda store: LocalIndex(store._local, store.name))
    with ExitStack() as stack:
        where = {"memory": ":memory:", "indexed": ":memory:", "folder": "", "edge": "edge:"}.get(request.param)
        if where is None:
            where = stack.enter_context(MockQdrant()).url
        yield Settings(data_dir=tmp_path, store=where)


@pytest.fixture
def store(settings: Settings, embedder: WordEmbedder, bm25: Bm25Encoder) -> Generator[QdrantStore]:
    with open_store(settings, "docs", {}) as opened:
        opened.ensure(embedder, bm25)
        yield opened


class Pages:
    """Makes points of pages out of plain texts."""

    def __init__(self, embedder: WordEmbedder, bm25: Bm25Encoder) -> None:
        self.embedder, self.bm25 = embedder, bm25

    def __call__(
        self,
        *texts: str,
        site: str = "docs",
        url: str = "https://docs.example.org/en/a.html",
        language: str = "en",
        breadcrumb: str = "Guide",
        window_tokens: int = 120,
    ) -> list[Point]:
        chunks = [
            Chunk(
                text=text,
                embed_text=f"{breadcrumb}\n{text}",
                heading_path=(breadcrumb,),
                breadcrumb=breadcrumb,
                unit_ids=(f"u{number}",),
                kind="section",
                fragment=f"part-{number}",
                ordinal=number,
                tokens=len(text.split()),
                digest=digest(text),
            )
            for number, text in enumerate(texts)
        ]
        page = PageFacts(site=site, page_id=page_id(url), url=url, title="A guide", fetched_at=WHEN, language=language)
        vectors = vectors_for(
            [chunk.embed_text for chunk in chunks], language, self.embedder, self.bm25, window_tokens=window_tokens
        )
        return build_points(page, chunks, vectors)


@pytest.fixture
def pages(embedder: WordEmbedder, bm25: Bm25Encoder) -> Pages:
    return Pages(embedder, bm25)


PAGE = page_id("https://docs.example.org/en/a.html")


def test_is_a_store(store: QdrantStore) -> None:
    assert isinstance(store, Store)


def test_ensuring_twice_changes_nothing(
    store: QdrantStore, pages: Pages, embedder: WordEmbedder, bm25: Bm25Encoder
) -> None:
    store.upsert(pages("alpha"))
    store.ensure(embedder, bm25)
    assert store.count() == 1


def test_points_are_stored_once_however_often_they_are_upserted(store: QdrantStore, pages: Pages) -> None:
    points = pages("alpha", "beta")
    store.upsert(points)
    store.upsert(points)
    assert store.count() == 2
    assert store.existing([points[0].id, point_id("docs", "x", "y", 0)]) == {points[0].id}


def test_more_points_than_one_request_takes(store: QdrantStore, pages: Pages) -> None:
    points = pages(*[f"text number {number}" for number in range(150)])
    store.upsert(points)
    assert store.page_points("docs", PAGE) == {point.id for point in points}


def test_deleting_takes_unknown_ids(store: QdrantStore, pages: Pages) -> None:
    points = pages("alpha", "beta")
    store.upsert(points)
    store.delete([points[0].id, point_id("docs", "x", "y", 0)])
    assert store.site_points("docs") == {points[1].id}


def test_sites_do_not_see_each_other(store: QdrantStore, pages: Pages) -> None:
    store.upsert(pages("alpha", "beta"))
    store.upsert(pages("alpha", site="other"))
    assert (store.count("docs"), store.count("other"), store.count("third"), store.count()) == (2, 1, 0, 3)
    assert not store.page_points("docs", "no such page")


def test_what_a_site_stores_is_what_its_pages_store(store: QdrantStore, pages: Pages) -> None:
    other = "https://docs.example.org/en/b.html"
    store.upsert(pages("alpha", "beta"))
    store.upsert(pages("gamma", url=other))
    store.upsert(pages("alpha", site="other"))
    wanted = {page: store.page_digests("docs", page) for page in (PAGE, page_id(other))}
    assert store.site_digests("docs") == wanted
    assert sum(map(len, wanted.values())) == 3
    assert store.site_digests("third") == {}


def test_languages_come_the_most_frequent_first(store: QdrantStore, pages: Pages) -> None:
    store.upsert(pages("eins", "zwei", language="de"))
    store.upsert(pages("one", url="https://docs.example.org/en/b.html"))
    store.upsert(pages("???", url="https://docs.example.org/c.html", language=""))
    store.upsert(pages("un", "deux", "trois", site="other", language="fr"))
    assert list(store.languages("docs")) == ["de", "en"]
    assert list(store.languages()) == ["fr", "de", "en"]


def test_sync_writes_keeps_and_deletes(store: QdrantStore, pages: Pages) -> None:
    first = sync_page(store, "docs", PAGE, pages("alpha", "beta", "gamma"))
    again = sync_page(store, "docs", PAGE, pages("alpha", "beta", "gamma"))
    # beta is gone, delta is new, gamma moves up: its text keeps its id, its ordinal changes.
    moved = sync_page(store, "docs", PAGE, pages("alpha", "gamma", "delta"))
    gone = sync_page(store, "docs", PAGE, [])
    assert (first.upserted, first.kept, first.deleted) == (3, 0, 0)
    assert (again.upserted, again.refreshed, again.kept, again.deleted) == (0, 0, 3, 0)
    assert (moved.upserted, moved.refreshed, moved.kept, moved.deleted) == (1, 1, 1, 1)
    assert (gone.deleted, store.count()) == (3, 0)


def test_sync_writes_new_vectors_under_the_same_id(store: QdrantStore, pages: Pages, bm25: Bm25Encoder) -> None:
    sync_page(store, "docs", PAGE, pages("alpha beta", breadcrumb="Guide"))
    ids = store.site_points("docs")
    result = sync_page(store, "docs", PAGE, pages("alpha beta", breadcrumb="Handbook"))
    assert (result.upserted, result.deleted) == (1, 0)
    assert store.site_points("docs") == ids
    hit = search("handbook", store=store, embedder=WordEmbedder(), sparse=bm25)[0]
    assert hit.breadcrumb == "Handbook"


def test_sync_leaves_other_pages_alone(store: QdrantStore, pages: Pages) -> None:
    sync_page(store, "docs", PAGE, pages("alpha"))
    other = "https://docs.example.org/en/b.html"
    sync_page(store, "docs", page_id(other), pages("beta", url=other))
    sync_page(store, "docs", PAGE, [])
    assert store.page_points("docs", page_id(other))


def test_search_finds_by_meaning_and_by_word(
    store: QdrantStore, pages: Pages, embedder: WordEmbedder, bm25: Bm25Encoder
) -> None:
    texts = ["Press the red button twice.", "The error E4711 means no paper.", "Coffee is served at nine."]
    sync_page(store, "docs", PAGE, pages(*texts))
    hits = search("what is E4711?", store=store, embedder=embedder, sparse=bm25, limit=2)
    assert hits[0].text == texts[1]
    assert hits[0].url == "https://docs.example.org/en/a.html#part-1"
    assert (hits[0].site, hits[0].title, hits[0].breadcrumb, hits[0].part) == ("docs", "A guide", "Guide", "")
    assert len(hits) == 2
    assert hits[0].score > hits[1].score


def test_search_counts_copies_once(store: QdrantStore, pages: Pages, embedder: WordEmbedder, bm25: Bm25Encoder) -> None:
    sync_page(store, "docs", PAGE, pages("Call the help desk.", "Call the help desk.", "Call a taxi."))
    hits = search("call the help desk", store=store, embedder=embedder, sparse=bm25, limit=3)
    assert [hit.text for hit in hits] == ["Call the help desk.", "Call a taxi."]


def test_search_names_the_part_of_an_oversized_chunk(
    store: QdrantStore, pages: Pages, embedder: WordEmbedder, bm25: Bm25Encoder
) -> None:
    steps = [
        f"{n}. Turn the {name} knob until the lamp is lit."
        for n, name in enumerate(("ab", "cd", "ef", "gh", "ij", "kl"))
    ]
    sync_page(store, "docs", PAGE, pages("\n".join(steps), window_tokens=24))
    hit = search("ij", store=store, embedder=embedder, sparse=bm25)[0]
    assert steps[4] in hit.part
    assert steps[0] not in hit.part


def test_a_context_merges_neighbours_in_the_order_of_the_page(
    store: QdrantStore, pages: Pages, embedder: WordEmbedder, bm25: Bm25Encoder
) -> None:
    sync_page(store, "docs", PAGE, pages("Open the red lid.", "Press the red button.", "Coffee is served at nine."))
    found = context("press the red button", 100, store=store, embedder=embedder, sparse=bm25)
    (piece,) = found.pieces
    assert piece.text == "Open the red lid.\n\nPress the red button.\n\nCoffee is served at nine."
    assert piece.url == "https://docs.example.org/en/a.html#part-0"
    tight = context("press the red button", 24, store=store, embedder=embedder, sparse=bm25)
    assert [piece.text for piece in tight.pieces] == ["Press the red button."]
    assert tight.tokens <= 24


def test_search_finds_a_page_by_the_words_of_its_url(
    store: QdrantStore, embedder: WordEmbedder, bm25: Bm25Encoder
) -> None:
    for name in ("colophon", "installation"):
        url = f"https://docs.example.org/en/{name}.html"
        facts = PageFacts(site="docs", page_id=page_id(url), url=url, title="", fetched_at=WHEN, language="en")
        chunk = Chunk("Run the script.", "Run the script.", (), "", (), "section", "", 0, 3, digest(url))
        vectors = vectors_for([chunk.embed_text], "en", embedder, bm25)
        sync_page(store, "docs", facts.page_id, build_points(facts, [chunk], with_names(facts, [chunk], vectors, bm25)))
    hits = search("how do I install it?", store=store, embedder=embedder, sparse=bm25)
    assert hits[0].url.endswith("installation.html")


def test_search_narrows(store: QdrantStore, pages: Pages, embedder: WordEmbedder, bm25: Bm25Encoder) -> None:
    sync_page(store, "docs", PAGE, pages("the red button", language="en-us"))
    deep = "https://docs.example.org/de/tief/b.html"
    sync_page(store, "docs", page_id(deep), pages("der rote button", url=deep, language="de"))
    sync_page(store, "other", PAGE, pages("another button", site="other"))

    def texts(site: str | None = None, **filters: object) -> set[str]:
        found = search("button", store=store, embedder=embedder, sparse=bm25, site=site, filters=filters)
        return {hit.text for hit in found}

    assert len(texts()) == 3
    assert texts(site="other") == {"another button"}
    assert texts(site="docs", language="en") == {"the red button"}
    assert texts(language=["de", "fr"]) == {"der rote button"}
    assert texts(path="/de/") == {"der rote button"}
    assert texts(site="docs", path="/fr/") == set()


def test_an_unknown_filter_is_refused(
    store: QdrantStore, pages: Pages, embedder: WordEmbedder, bm25: Bm25Encoder
) -> None:
    with pytest.raises(ConfigError, match=r"no filter 'colour': use one of .*language"):
        search("x", store=store, embedder=embedder, sparse=bm25, filters={"colour": "red"})


def test_a_question_is_put_in_the_terms_of_the_documents(
    store: QdrantStore, pages: Pages, embedder: WordEmbedder, bm25: Bm25Encoder
) -> None:
    # German stemming takes "Rechnungen" to "rechnung"; English stemming would leave it as it is.
    url = "https://docs.example.org/de/r.html"
    texts = ["Eine Rechnung kommt per Post.", "Der Drucker steht im Keller."]
    sync_page(store, "docs", page_id(url), pages(*texts, url=url, language="de"))
    hit = search("Rechnungen", store=store, embedder=embedder, sparse=bm25, limit=1)[0]
    assert hit.text == texts[0]


def test_an_empty_collection_has_no_hits(store: QdrantStore, embedder: WordEmbedder, bm25: Bm25Encoder) -> None:
    assert search("anything", store=store, embedder=embedder, sparse=bm25) == []
    assert store.count() == 0


def test_another_embedder_is_refused_by_name(store: QdrantStore, pages: Pages, bm25: Bm25Encoder) -> None:
    store.upsert(pages("alpha"))
    other = WordEmbedder()
    other.name, other.dimension = "letters/2", 32
    for call in (store.ensure, store.verify):
        with pytest.raises(
            StoreError, match=r"words/1 \(64 dimensions\).*letters/2 \(32 dimensions\).*set the embedder"
        ):
            call(other, bm25)
    with pytest.raises(StoreError, match="letters/2"):
        search("alpha", store=store, embedder=other, sparse=bm25)
    assert store.count() == 1


def test_a_missing_collection_is_named_with_the_next_step(
    settings: Settings, embedder: WordEmbedder, bm25: Bm25Encoder
) -> None:
    with open_store(settings, "nowhere", {}) as opened, pytest.raises(StoreError, match=r"'nowhere'.*wrac crawl"):
        opened.verify(embedder, bm25)


def test_a_closed_store_answers_no_more(settings: Settings, embedder: WordEmbedder, bm25: Bm25Encoder) -> None:
    opened = open_store(settings, "docs", {})
    opened.ensure(embedder, bm25)
    opened.close()
    with pytest.raises(StoreError, match="closed"):
        opened.count()


def other_layout(bm25: Bm25Encoder) -> tuple[WordEmbedder, CollectionLayout]:
    other = WordEmbedder()
    other.name = "letters/2"
    return other, CollectionLayout(other.name, other.dimension, bm25.name)


def test_a_collection_is_built_beside_and_switched_to(store: QdrantStore, pages: Pages, bm25: Bm25Encoder) -> None:
    store.upsert(pages("alpha"))
    old = store.physical()
    other, layout = other_layout(bm25)
    beside = store.beside(layout)
    beside.upsert(pages("alpha", "beta"))
    assert (store.count(), beside.count()) == (1, 2), "readers of the alias see none of what is built"
    assert store.physical() == old
    assert set(store.generations()) == {old, beside.name}
    store.switch(beside.name)
    assert (store.physical(), store.layout(), store.count()) == (beside.name, layout, 2)
    store.verify(other, bm25)
    assert search("beta", store=store, embedder=other, sparse=bm25, limit=1)[0].text == "beta"
    assert store.generation(str(old)).count() == 1, "the collection before is kept"
    store.switch(str(old))
    assert store.count() == 1


def test_building_beside_goes_on_where_it_stopped(store: QdrantStore, pages: Pages, bm25: Bm25Encoder) -> None:
    _, layout = other_layout(bm25)
    store.beside(layout).upsert(pages("alpha"))
    assert store.beside(layout).count() == 1


def test_only_a_generation_that_nobody_reads_is_dropped(store: QdrantStore, pages: Pages, bm25: Bm25Encoder) -> None:
    store.upsert(pages("alpha"))
    now = str(store.physical())
    _, layout = other_layout(bm25)
    spare = store.beside(layout).name
    store.drop(spare)
    assert set(store.generations()) == {now}
    for kept in (now, "docs", "somebody-elses"):
        with pytest.raises(StoreError, match="kept"):
            store.drop(kept)
    assert store.count() == 1


def test_other_collections_are_no_generations_of_this_one(
    settings: Settings, embedder: WordEmbedder, bm25: Bm25Encoder, store: QdrantStore
) -> None:
    # One client is one process in the embedded modes: the other alias lives behind the same client.
    other = type(store)(store._client, "docs--more", store._calls, shared=True)
    other.ensure(embedder, bm25)
    assert set(store.generations()) == {store.physical()}
    assert set(other.generations()) == {other.physical()}


def test_before_the_first_point_there_is_no_generation(settings: Settings) -> None:
    with open_store(settings, "nowhere", {}) as opened:
        assert (opened.physical(), opened.layout(), opened.generations()) == (None, None, {})
