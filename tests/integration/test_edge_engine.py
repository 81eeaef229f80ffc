"""The product with `store = "edge:"`: the life of a site, and a crawl that is killed while it writes."""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from mock_faults import generated
from mock_pages import PAGES, START, handbook, page_reply

from indexing.edge.manifest import Manifest

if TYPE_CHECKING:
    from mock_embeddings import MockEmbeddings
    from mock_site import MockSite
    from product import Workspace

BERTHS = next(page for page in PAGES if page.path == "/docs/berths.html")


@pytest.fixture
def edge(site: MockSite, workspace: Workspace, embeddings: MockEmbeddings) -> Workspace:
    site.forget()
    embeddings.texts.clear()
    workspace.environment["WRAC_STORE"] = "edge:"
    return workspace


def hits(edge: Workspace, question: str) -> list[dict[str, object]]:
    done = edge.wrac("search", question, "--json")
    assert done.code == 0, done
    return [json.loads(line) for line in done.output.splitlines()]


def assert_whole(edge: Workspace) -> None:
    checked = edge.wrac("check")
    assert checked.code == 0, checked


def test_a_site_is_crawled_changed_rolled_back_and_forgotten(
    site: MockSite, edge: Workspace, embeddings: MockEmbeddings
) -> None:
    nothing = edge.wrac("search", "anything")
    assert nothing.code != 0
    assert "nothing was crawled" in nothing.errors
    assert not (edge.data / "edge").exists(), "asking makes no folder"

    site.routes = handbook(site.url)
    edge.write_site(site.url + START)
    first = edge.crawl()
    assert first.code == 0, first
    assert not (edge.data / "qdrant").exists()
    assert any("berths" in str(hit["url"]) for hit in hits(edge, "how deep is the north quay?"))

    embeddings.texts.clear()
    again = edge.crawl()
    assert again.code == 0, again
    assert embeddings.texts == [], "nothing changed"

    site.routes[BERTHS.path] = page_reply(site.url, replace(BERTHS, lead="Walruses sleep on every berth in May."))
    changed = edge.crawl()
    assert changed.code == 0, changed
    assert "Walruses" in str(hits(edge, "walruses on a berth")[0]["text"])

    back = edge.wrac("rollback", "docs_site")
    assert back.code == 0, back
    assert not any("Walruses" in str(hit["text"]) for hit in hits(edge, "walruses on a berth"))
    assert_whole(edge)

    gone = edge.wrac("forget", site.url + BERTHS.path, "--yes")
    assert gone.code == 0, gone
    assert not any("berths" in str(hit["url"]) for hit in hits(edge, "how deep is the north quay?"))
    assert_whole(edge)


def test_another_embedder_is_built_beside_and_switched_to(
    site: MockSite, edge: Workspace, embeddings: MockEmbeddings
) -> None:
    site.routes = handbook(site.url)
    edge.write_site(site.url + START)
    assert edge.crawl().code == 0
    before = Manifest.read(edge.data / "edge")
    edge.environment["WRAC_EMBEDDER"] = "openai:other"
    done = edge.wrac("reembed", "docs_site")
    assert done.code == 0, done
    after = Manifest.read(edge.data / "edge")
    assert before.aliases["docs"] != after.aliases["docs"]
    assert before.collections.keys() < after.collections.keys(), "the collection before is kept for a rollback"
    assert hits(edge, "how deep is the north quay?")
    assert_whole(edge)
    pruned = edge.wrac("prune", "--keep", "1")
    assert pruned.code == 0, pruned
    assert Manifest.read(edge.data / "edge").collections.keys() == {after.aliases["docs"]}
    assert hits(edge, "how deep is the north quay?")


def test_a_crawl_that_is_killed_goes_on(site: MockSite, edge: Workspace) -> None:
    site.routes = generated(40, sections=1)
    edge.write_site(site.url + START, sitemap=False, concurrency=2)
    running = edge.start_crawl()

    def has_published() -> bool:
        with suppress(sqlite3.OperationalError):  # no ledger yet, or one without tables
            return any(row.state == "live" for row in edge.rows().values())
        return False

    running.wait_until(has_published)
    running.end()
    published = {url for url, row in edge.rows().items() if row.state == "live"}
    run = edge.crawl()
    assert run.code == 0, run
    rows = edge.rows()
    assert published <= {url for url, row in rows.items() if row.state == "live"}
    assert sum(row.state == "live" for row in rows.values()) == 41
    assert_whole(edge)
