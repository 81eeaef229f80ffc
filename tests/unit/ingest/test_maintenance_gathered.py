"""What a crawl gathered and did not publish is published from the archive, and nothing is fetched."""

from __future__ import annotations

import pytest
from made_up_crawls import SITE, InlinePool
from maintained import PAGES, Maintained, page, pages

from ingest.indexer import CollectionIndexer
from ingest.ledger.rows import PageState, RunKind, RunState
from ingest.maintenance.gathered import publish_gathered
from wrac.errors import ConfigError, LossGuard, StoreError
from wrac.records import Outcome, PageOutcome


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.setattr("ingest.run.WorkerPool", InlinePool)
    made = Maintained(tmp_path, monkeypatch)
    made.crawl(*pages())
    return made


def gone(number):
    return PageOutcome(f"{SITE}{number}.html", Outcome.GONE, "410", status=410)


def test_what_the_loss_guard_stopped_waits_for_a_person(site):
    before = site.texts()
    summary = site.crawl(page(0), ended=[gone(number) for number in range(1, PAGES)])
    assert summary.state is RunState.HELD_BACK
    assert site.texts() == before
    with pytest.raises(LossGuard, match="--accept-loss"):
        publish_gathered(site.settings, "docs")
    assert site.texts() == before
    done = publish_gathered(site.settings, "docs", accept_loss=True)
    assert (done.published, done.withdrawn, done.failed) == (0, PAGES - 1, ())
    assert site.paths() == {"0.html"}
    assert site.crawls.rows()["1.html"].state is PageState.TOMBSTONE


def test_what_could_not_be_written_is_published_without_embedding_again(site, monkeypatch):
    def fail(_):
        raise StoreError("the collection is out of order")

    with monkeypatch.context() as broken:
        broken.setattr("indexing.embedded_store.EmbeddedStore.upsert", lambda *_: fail(_))
        summary = site.crawl(*pages(year=1950))
    assert summary.state is RunState.UNPUBLISHED
    assert all("1900" in text for text in site.texts())
    site.embedded.clear()
    done = publish_gathered(site.settings, "docs")
    assert (done.published, done.embedded) == (PAGES, 0)
    assert site.embedded == []
    assert all("1950" in text for text in site.texts())
    with site.ledger() as ledger:
        published, crawl = ledger.runs.of_site("docs", limit=2)
        manifest = ledger.publishes.history("docs")[0]
    assert (published.kind, published.state, crawl.state) == (RunKind.PUBLISH, RunState.FINISHED, RunState.FINISHED)
    assert manifest.run_id == published.run_id
    assert manifest.completed_at


def test_half_of_a_crawl_is_refused(site):
    site.crawls.profile = {"name": "docs", "start_urls": (SITE,)}
    site.crawls.options = {"indexer": CollectionIndexer(site.settings, "docs")}
    site.crawls.crawl(page(0, 1950), completed=False)
    before = site.texts()
    with pytest.raises(ConfigError, match=r"run 2 of docs broke off .*wrac crawl"):
        publish_gathered(site.settings, "docs")
    assert site.texts() == before


def test_where_nothing_waits_nothing_is_done(site):
    done = publish_gathered(site.settings, "docs")
    assert (done.published, done.withdrawn) == (0, 0)
    with site.ledger() as ledger:
        assert ledger.runs.last("docs").kind is RunKind.CRAWL
