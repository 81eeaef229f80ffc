"""The commands that work from the archive, as their user runs them: real processes and an embedder that counts."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING

import pytest
from mock_pages import PAGES, START, handbook
from mock_qdrant import MockQdrant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mock_embeddings import MockEmbeddings
    from mock_site import MockSite
    from product import Workspace

STORE, NOT_SWITCHED = 5, 8


@pytest.fixture
def crawled(site: MockSite, workspace: Workspace, embeddings: MockEmbeddings) -> Workspace:
    site.forget()
    site.routes = handbook(site.url)
    workspace.write_site(site.url + START)
    done = workspace.crawl()
    assert done.code == 0, done
    site.forget()
    embeddings.texts.clear()
    return workspace


@pytest.fixture
def qdrant() -> Iterator[MockQdrant]:
    with MockQdrant() as server:
        yield server


@pytest.fixture
def on_a_server(site: MockSite, workspace: Workspace, embeddings: MockEmbeddings, qdrant: MockQdrant) -> Workspace:
    site.forget()
    site.routes = handbook(site.url)
    workspace.write_site(site.url + START)
    workspace.environment["WRAC_STORE"] = qdrant.url
    done = workspace.crawl()
    assert done.code == 0, done
    site.forget()
    embeddings.texts.clear()
    return workspace


class Reader:
    """A chatbot that reads the alias again and again, and remembers the fewest pages that it ever saw."""

    def __init__(self, qdrant: MockQdrant) -> None:
        self._qdrant = qdrant
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._read)
        self.fewest = self.pages()
        self.looks = 0

    def pages(self) -> int:
        with self._qdrant._lock:
            found, _ = self._qdrant.client.scroll("docs", limit=10_000, with_payload=["url"])
        return len({point.payload["url"] for point in found if point.payload})

    def _read(self) -> None:
        while not self._done.is_set():
            self.fewest = min(self.fewest, self.pages())
            self.looks += 1
            time.sleep(0.02)

    def __enter__(self) -> Reader:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()


def physical(qdrant: MockQdrant) -> str:
    with qdrant._lock:
        return {a.alias_name: a.collection_name for a in qdrant.client.get_aliases().aliases}["docs"]


def test_replan_and_rollback_neither_fetch_nor_pay_twice(
    site: MockSite, crawled: Workspace, embeddings: MockEmbeddings
) -> None:
    before = crawled.points()
    crawled.environment |= {"WRAC_CHUNK_TARGET_TOKENS": "50", "WRAC_CHUNK_MIN_TOKENS": "20"}
    told = crawled.wrac("replan", "docs_site", "--dry-run", "--json")
    assert told.code == 0, told
    assert embeddings.texts == []
    assert crawled.points() == before
    done = crawled.wrac("replan", "docs_site", "--json")
    assert done.code == 0, done
    forecast, made = json.loads(told.output), json.loads(done.output)
    assert (forecast["changed"], forecast["chunks_after"]) == (made["changed"], made["chunks_after"])
    assert forecast["texts"] == made["embedded"] > 0
    assert len(embeddings.texts) == len(set(embeddings.texts)) >= made["embedded"], "a long text is several windows"
    assert len(crawled.points()) == made["chunks_after"] > len(before)
    embeddings.texts.clear()
    back = crawled.wrac("rollback", "docs_site")
    assert back.code == 0, back
    assert set(crawled.points()) == set(before)
    assert embeddings.texts == []
    assert site.targets == []
    listed = crawled.wrac("rollback", "docs_site", "--list")
    assert [line.split()[-3].rstrip(",") for line in listed.output.splitlines()] == ["rollback", "replan", "crawl"]


def test_another_embedder_stops_a_crawl_and_reembed_switches_readers_over(
    site: MockSite, on_a_server: Workspace, embeddings: MockEmbeddings, qdrant: MockQdrant
) -> None:
    old, before = physical(qdrant), Reader(qdrant).pages()
    on_a_server.environment["WRAC_EMBEDDER"] = "openai:other"
    stopped = on_a_server.crawl()
    assert stopped.code == STORE, stopped
    assert "wrac reembed" in stopped.everything
    with Reader(qdrant) as reader:
        done = on_a_server.wrac("reembed", "docs_site")
    assert done.code == 0, done
    assert (reader.fewest, before) == (len(PAGES), len(PAGES))
    assert reader.looks > 3
    new = physical(qdrant)
    assert new != old
    assert new in done.output
    assert old in done.output, "says what is kept"
    assert "wrac rollback docs_site" in done.output
    again = on_a_server.crawl()
    assert again.code == 0, again
    embeddings.texts.clear()
    back = on_a_server.wrac("rollback", "docs_site")
    assert back.code == 0, back
    assert "set `embedder` back" in back.output
    assert physical(qdrant) == old
    assert embeddings.texts == []


def test_a_dead_canary_switches_nothing_and_the_exit_code_says_so(
    site: MockSite, on_a_server: Workspace, qdrant: MockQdrant
) -> None:
    old = physical(qdrant)
    file = on_a_server.folder / "canaries.jsonl"
    file.write_text(json.dumps({"query": "anything", "url": site.url + "/nowhere.html"}))
    on_a_server.write_site(site.url + START, canaries="canaries.jsonl")
    on_a_server.environment["WRAC_EMBEDDER"] = "openai:other"
    stopped = on_a_server.wrac("reembed", "docs_site")
    assert stopped.code == NOT_SWITCHED, stopped
    assert "nowhere.html" in stopped.errors
    assert physical(qdrant) == old


def test_killed_while_it_reembeds_nothing_is_missing_and_little_is_paid_again(
    on_a_server: Workspace, embeddings: MockEmbeddings, qdrant: MockQdrant
) -> None:
    old = physical(qdrant)
    on_a_server.environment["WRAC_EMBEDDER"] = "openai:other"
    with Reader(qdrant) as reader:
        before = len(qdrant.requests)
        running = on_a_server._start("-c", "from service.cli import main; main()", "reembed", "docs_site")
        running.wait_until(
            lambda: any(method == "PUT" and "/points" in path for method, path in qdrant.requests[before:])
        )
        running.kill()
        running.finish()
        assert physical(qdrant) == old
        paid = len(embeddings.texts)
        done = on_a_server.wrac("reembed", "docs_site")
    assert done.code == 0, done
    assert reader.fewest == len(PAGES)
    assert physical(qdrant) != old
    assert len(embeddings.texts) - paid <= paid
    assert len(set(embeddings.texts)) == len(embeddings.texts), "no text is paid for twice"


def test_forget_asks_and_erases(site: MockSite, crawled: Workspace) -> None:
    url = site.url + PAGES[-1].path
    asked = crawled.wrac("forget", url)
    assert asked.code not in (0, 3), "nobody said yes"
    assert url in asked.output
    assert url in {payload["url"] for payload in crawled.points().values()}
    done = crawled.wrac("forget", url, "--yes")
    assert done.code == 0, done
    assert url not in {payload["url"] for payload in crawled.points().values()}
    assert url not in crawled.rows()
    known = crawled.wrac("explain", url)
    assert known.code == 3, known


def test_prune_says_what_it_freed(crawled: Workspace) -> None:
    crawled.environment |= {"WRAC_CHUNK_TARGET_TOKENS": "50", "WRAC_CHUNK_MIN_TOKENS": "20"}
    assert crawled.wrac("replan", "docs_site").code == 0
    done = crawled.wrac("prune", "--keep", "1", "--json")
    assert done.code == 0, done
    told = json.loads(done.output)
    assert told["bytes"] > 0
    assert told["objects"]["pages"] == len(PAGES)
    assert "bodies" not in told["objects"], "bodies of pages that are live stay"
