"""Crawling again costs in proportion to what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from mock_pages import PAGES, START, Page, Section, handbook, page_reply

if TYPE_CHECKING:
    from mock_embeddings import MockEmbeddings
    from mock_site import MockSite
    from product import Workspace


@pytest.fixture
def crawled(site: MockSite, workspace: Workspace) -> Workspace:
    site.routes = handbook(site.url)
    workspace.write_site(site.url + START)
    run = workspace.crawl()
    assert run.code == 0, run
    site.forget()
    return workspace


def test_nothing_changed(site: MockSite, crawled: Workspace, embeddings: MockEmbeddings) -> None:
    before = crawled.points()
    embeddings.texts.clear()
    again = crawled.crawl()
    assert again.code == 0, again
    assert embeddings.texts == []
    assert crawled.points() == before
    rows = crawled.rows()
    assert {rows[site.url + page.path].outcome for page in PAGES} == {"unchanged"}


def test_only_what_changed_is_embedded(site: MockSite, crawled: Workspace, embeddings: MockEmbeddings) -> None:
    fog = PAGES[4]
    assert fog.path == "/docs/pilot/fog.html"
    storm = Section("Signals in a storm", "storm", "<p>In a storm three red lamps hang from the signal mast.</p>")
    site.routes[fog.path] = page_reply(site.url, Page(fog.path, fog.title, fog.lead, (*fog.sections, storm)))
    before = crawled.points()
    embeddings.texts.clear()
    again = crawled.crawl()
    assert again.code == 0, again
    after = crawled.points()
    assert [p for p in after.values() if "three red lamps" in p["page_content"]]
    assert embeddings.texts
    assert all("fog" in text.casefold() or "storm" in text for text in embeddings.texts), embeddings.texts
    url = site.url + fog.path
    assert {i: p for i, p in before.items() if p["metadata"]["url"] != url}.keys() <= after.keys()
    stale = [p for p in after.values() if p["metadata"]["url"] == url]
    assert sum("two long blasts" in p["page_content"] for p in stale) == 1, "the old version is still there"


def test_a_page_that_fails_now_is_kept(site: MockSite, crawled: Workspace) -> None:
    from mock_site import Reply

    before = crawled.points()
    site.routes["/docs/berths.html"] = Reply("<h1>Error</h1>", status=500)
    again = crawled.crawl()
    assert again.code == 3, again
    assert crawled.points().keys() == before.keys(), "never delete on doubt"
