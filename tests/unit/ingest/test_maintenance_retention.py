"""The archive keeps what the present and the last manifests need, and nothing goes on doubt."""

from __future__ import annotations

import pytest
from made_up_crawls import SITE, InlinePool
from maintained import PAGES, Maintained, page, pages
from mock_embeddings import DIMENSION

from ingest.ledger.rows import RunKind
from ingest.maintenance.retention import prune
from ingest.maintenance.rollback import rollback
from ingest.site_lock import SiteLock
from wrac.errors import ConfigError, StoreError, StoreLocked
from wrac.records import Outcome, PageOutcome

YEARS = (1900, 1910, 1920, 1930)


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.setattr("ingest.run.WorkerPool", InlinePool)
    made = Maintained(tmp_path, monkeypatch)
    for year in YEARS:
        made.crawl(*pages(year=year))
    return made


def counts(site):
    return {kind: len(keys) for kind, keys in sorted(site.archived().items())}


def of_each(number):
    return {"bodies": number, "pages": number, "vectors": number}


def size(site):
    return sum(file.stat().st_size for file in (site.settings.data_dir / "archive").rglob("*.zst"))


def test_the_last_manifests_stay_and_can_be_rolled_back_to(site):
    assert counts(site) == of_each(PAGES * len(YEARS))
    before = size(site)
    done = prune(site.settings)
    assert counts(site) == of_each(PAGES * 2)
    assert done.objects == of_each(PAGES * 2)
    assert (done.bytes, done.manifests) == (before - size(site), 2)
    assert all("1930" in text for text in site.texts())
    rollback(site.settings, "docs")
    assert all("1920" in text for text in site.texts())


def test_what_went_cannot_be_rolled_back_to(site):
    prune(site.settings, keep=1)
    assert counts(site) == of_each(PAGES)
    with pytest.raises(ConfigError, match="nothing to roll docs back to"):
        rollback(site.settings, "docs")


def test_a_dry_run_says_the_same_and_deletes_nothing(site):
    before = counts(site)
    told = prune(site.settings, dry_run=True)
    assert counts(site) == before
    done = prune(site.settings)
    assert (told.objects, told.bytes, told.manifests) == (done.objects, done.bytes, done.manifests)
    assert prune(site.settings).bytes == 0


def test_a_page_published_long_ago_is_part_of_every_later_state(site):
    site.crawl(page(0, 1990), *pages(year=1930)[1:])
    site.crawl(page(0, 1991), *pages(year=1930)[1:])
    before = site.points()
    prune(site.settings)
    assert counts(site) == of_each(PAGES + 1)
    site.embedded.clear()
    site.more = {"window_tokens": 16}
    assert site.remake(RunKind.REEMBED)[0].kept == ()
    assert site.points().keys() == before.keys()


def test_a_page_that_is_gone_goes_with_the_manifests_that_had_it(site):
    site.crawl(*pages(year=1930)[1:], ended=[PageOutcome(SITE + "0.html", Outcome.GONE, "410", status=410)])
    prune(site.settings, keep=1)
    with site.ledger() as ledger:
        numbers = [manifest.manifest_id for manifest in ledger.publishes.history("docs")]
        assert len(ledger.publishes.state_after("docs", numbers[0])) == PAGES - 1


def test_what_waits_to_be_published_stays(site):
    site.crawl(page(0, 1990), index=False)
    prune(site.settings, keep=1)
    assert counts(site) == {"bodies": PAGES + 1, "pages": PAGES + 1, "vectors": PAGES}


def test_a_collection_of_no_kept_manifest_goes(site):
    first = site.physical()
    site.embedder = ("letters/2", DIMENSION)
    site.remake(RunKind.REEMBED)
    assert prune(site.settings).collections == []
    site.crawl(*pages(year=1990))
    done = prune(site.settings)
    assert done.collections == [first]
    assert site.generations() == [site.physical()]


def test_nothing_goes_while_any_site_is_crawled(site):
    site.crawl(page(7), site="other")
    before = counts(site)
    lock = SiteLock(site.settings.data_dir, "other")
    try:
        with pytest.raises(StoreLocked, match="other is being crawled"):
            prune(site.settings, "docs")
    finally:
        lock.release()
    assert counts(site) == before


def test_another_site_keeps_all_of_its_manifests(site):
    for year in (1900, 1910, 1920):
        site.crawl(page(7, year, path="z.html"), site="other")
    prune(site.settings, "docs", keep=1)
    assert counts(site) == of_each(PAGES + 3)


def test_a_record_that_cannot_be_read_keeps_all_vectors(site):
    with site.ledger() as ledger:
        record = next(ledger.pages.published("docs")).record
    next((site.settings.data_dir / "archive" / "pages").rglob(f"{record}.zst")).unlink()
    done = prune(site.settings, keep=1)
    assert len(site.archived()["vectors"]) == PAGES * len(YEARS)
    assert "1 records" in done.doubts[0]


def test_a_site_that_is_not_known_is_named(site):
    with pytest.raises(ConfigError, match="no site 'doc'"):
        prune(site.settings, "doc")


@pytest.mark.parametrize("step", ["drop_manifests", "drop_vectors"])
def test_broken_off_anywhere_nothing_that_is_needed_is_lost(site, monkeypatch, step):
    with monkeypatch.context() as broken:

        def fail(*_, **__):
            raise StoreError("the ledger is locked")

        broken.setattr(f"ingest.ledger.erasing.EraseLedger.{step}", fail)
        with pytest.raises(StoreError):
            prune(site.settings)
    prune(site.settings)
    assert counts(site) == of_each(PAGES * 2)
    rollback(site.settings, "docs")
    assert all("1920" in text for text in site.texts())
