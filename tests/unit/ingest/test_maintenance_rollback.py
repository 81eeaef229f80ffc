"""A site as it was after an earlier manifest, out of ledger and archive, with nothing fetched and nothing embedded."""

from __future__ import annotations

import pytest
from made_up_crawls import SITE, InlinePool
from maintained import PAGES, Maintained, page, pages
from mock_embeddings import DIMENSION

from indexing.embedded_store import EmbeddedStore
from ingest.ledger.publishes import PublishLedger
from ingest.ledger.rows import PageState, RunKind
from ingest.maintenance.rollback import rollback
from wrac.errors import ConfigError, StoreError
from wrac.records import Outcome, PageOutcome

ALL = {f"{n}.html" for n in range(PAGES)}


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.setattr("ingest.run.WorkerPool", InlinePool)
    made = Maintained(tmp_path, monkeypatch)
    made.crawl(*pages())
    return made


def roll_back(site, name="docs", to=0):
    """The rollback; an embedder that is asked for anything fails the test."""
    site.embedded.clear()
    done = rollback(site.settings, name, to)
    assert site.embedded == []
    return done


def gone(path):
    return PageOutcome(SITE + path, Outcome.GONE, "410", status=410)


def change(site):
    """Page 0 changes, page 1 goes for good, a new page comes."""
    site.crawl(page(0, 1950), *pages()[2:], page(7, path="new.html"), ended=[gone("1.html")])


def test_changed_gone_and_new_pages_are_as_they_were(site):
    before = site.points()
    change(site)
    assert site.paths() == ALL - {"1.html"} | {"new.html"}
    done = roll_back(site)
    assert (done.restored, done.withdrawn, done.unchanged) == (2, 1, PAGES - 2)
    assert {key: p["page_content"] for key, p in site.points().items()} == {
        key: p["page_content"] for key, p in before.items()
    }
    rows = site.crawls.rows()
    assert rows["1.html"].state is rows["0.html"].state is PageState.LIVE
    assert rows["new.html"].state is PageState.TOMBSTONE
    assert rows["new.html"].point_ids == ()


def test_a_rollback_can_be_rolled_back(site):
    before = site.texts()
    change(site)
    after = site.texts()
    roll_back(site)
    assert site.texts() == before
    roll_back(site)
    assert site.texts() == after
    roll_back(site)
    assert site.texts() == before


def test_to_a_manifest_by_number(site):
    first = site.texts()
    for year in (1950, 1960, 1970):
        site.crawl(*pages(year=year))
    with site.ledger() as ledger:
        numbers = [manifest.manifest_id for manifest in ledger.publishes.history("docs")]
    roll_back(site, to=numbers[-1])
    assert site.texts() == first
    roll_back(site, to=numbers[1])
    assert all("1960" in text for text in site.texts())


def test_a_crawl_that_changed_nothing_is_passed_over(site):
    before = site.texts()
    site.crawl(*pages(year=1950))
    site.crawl(*pages(year=1950))
    roll_back(site)
    assert site.texts() == before


def test_the_next_crawl_takes_the_site_as_it_is(site):
    change(site)
    after = site.texts()
    roll_back(site)
    site.embedded.clear()
    site.crawl(page(0, 1950), *pages()[2:], page(7, path="new.html"), ended=[gone("1.html")])
    assert site.texts() == after
    assert site.embedded == [], "vectors are still in the archive"


def test_a_crawl_that_finds_the_old_version_again_has_nothing_to_do(site):
    site.crawl(*pages(year=1950))
    roll_back(site)
    summary = site.crawl(*pages())
    assert {outcome.value: count for outcome, count in summary.outcomes.items()} == {"unchanged": PAGES}


@pytest.mark.parametrize(("to", "message"), [(0, "nothing to roll docs back to"), (99, "no manifest 99 of docs")])
def test_where_there_is_nothing_to_go_back_to_it_says_so(site, to, message):
    with pytest.raises(ConfigError, match=message):
        rollback(site.settings, "docs", to)


def test_what_the_archive_lost_refuses_it_before_anything_changes(site):
    with site.ledger() as ledger, ledger._database.transaction() as connection:
        [(key,)] = connection.exec_driver_sql("select record from pages where url like '%/0.html'").all()
    site.crawl(*pages(year=1950))
    before = site.points()
    next((site.settings.data_dir / "archive" / "pages").rglob(f"{key}.zst")).unlink()
    with pytest.raises(StoreError, match=r"1 pages of docs cannot be brought back .*0\.html.*Nothing was changed"):
        rollback(site.settings, "docs")
    assert site.points() == before


def test_vectors_that_the_archive_lost_refuse_it_too(site):
    first = site.archived()["vectors"]
    site.crawl(*pages(year=1950))
    before = site.points()
    for key in first:
        next((site.settings.data_dir / "archive" / "vectors").rglob(f"{key}.zst")).unlink()
    with pytest.raises(StoreError, match=f"{PAGES} pages of docs cannot be brought back"):
        rollback(site.settings, "docs")
    assert site.points() == before


@pytest.mark.parametrize(
    ("owner", "step"), [(EmbeddedStore, "upsert"), (EmbeddedStore, "delete"), (PublishLedger, "complete_manifest")]
)
def test_broken_off_anywhere_the_same_command_goes_on(site, monkeypatch, owner, step):
    before = site.texts()
    change(site)
    there = site.paths()
    with monkeypatch.context() as broken:

        def fail(*_, **__):
            raise KeyboardInterrupt

        broken.setattr(owner, step, fail)
        with pytest.raises(KeyboardInterrupt):
            rollback(site.settings, "docs")
    assert site.paths() >= there & (ALL | {"0.html"}), "no page of both states is ever missing"
    roll_back(site)
    assert site.texts() == before


def test_an_earlier_collection_is_switched_back_to(site):
    before, old = site.points(), site.physical()
    site.embedder = ("letters/2", DIMENSION)
    site.remake(RunKind.REEMBED)
    new = site.physical()
    done = roll_back(site)
    assert (done.collection, done.embedder) == (old, "words/1")
    assert site.physical() == old
    assert site.points() == before
    done = roll_back(site)
    assert (done.collection, site.physical()) == (new, new)


def test_an_earlier_collection_is_brought_in_line_first(site):
    before = site.texts()
    change(site)
    site.embedder = ("letters/2", DIMENSION)
    site.remake(RunKind.REEMBED)
    with site.ledger() as ledger:
        first = ledger.publishes.history("docs")[-1].manifest_id
    roll_back(site, to=first)
    assert site.texts() == before
    assert site.paths() == ALL


def test_other_sites_keep_their_state_in_the_earlier_collection(site):
    site.crawl(page(7, path="z.html"), site="other")
    site.embedder = ("letters/2", DIMENSION)
    site.remake(RunKind.REEMBED)
    roll_back(site)
    assert site.paths(site="other") == {"z.html"}


def test_other_sites_that_changed_since_refuse_it(site):
    """Their new pages have no vectors of the old embedder, and a rollback embeds nothing."""
    site.crawl(page(7, path="z.html"), site="other")
    site.embedder = ("letters/2", DIMENSION)
    site.remake(RunKind.REEMBED)
    now = site.physical()
    site.crawl(page(7, 1950, path="z.html"), site="other")
    with pytest.raises(StoreError, match="1 pages of other cannot be brought back"):
        rollback(site.settings, "docs")
    assert site.physical() == now
    assert site.paths(site="other") == {"z.html"}


def test_an_earlier_collection_that_was_dropped_is_named(site):
    old = site.physical()
    site.embedder = ("letters/2", DIMENSION)
    site.remake(RunKind.REEMBED)
    with site.client() as client:
        client.delete_collection(old)
    with pytest.raises(StoreError, match=rf"{old} of manifest 1 is no longer in .*wrac reembed docs"):
        rollback(site.settings, "docs")
