"""A profile that names another collection than the runs before: the site is there as a whole, and up to date."""

from __future__ import annotations

import pytest
from made_up_crawls import SITE, InlinePool
from maintained import PAGES, Maintained, page, pages

from ingest.indexer import CollectionIndexer

ALL = {f"{n}.html" for n in range(PAGES)}


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.setattr("ingest.run.WorkerPool", InlinePool)
    made = Maintained(tmp_path, monkeypatch)
    made.crawl(*pages())
    return made


def crawl_into(site, collection, *served):
    site.embedded.clear()
    site.crawls.profile = {"name": "docs", "start_urls": (SITE,), "collection": collection}
    site.crawls.options = {"indexer": CollectionIndexer(site.settings, collection)}
    return site.crawls.crawl(*served)[1]


def test_the_next_crawl_fills_it_out_of_the_archive(site):
    summary = crawl_into(site, "other", *pages())
    assert summary.published == PAGES
    assert site.paths("other") == ALL
    assert site.texts(collection="other") == site.texts(collection="docs")
    assert site.embedded == []


def test_back_in_the_first_one_nothing_is_as_it_was_before(site):
    crawl_into(site, "other", page(0, 1950), *pages()[1:])
    crawl_into(site, "docs", page(0, 1950), *pages()[1:])
    assert site.texts(collection="docs") == site.texts(collection="other")
    assert site.embedded == []
