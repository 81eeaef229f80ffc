"""Another embedder builds a collection beside the one in use; readers change over when it is whole."""

from __future__ import annotations

import json

import pytest
from made_up_crawls import InlinePool
from maintained import PAGES, Maintained, page, pages
from mock_embeddings import DIMENSION

from indexing.embedded_store import EmbeddedStore
from ingest.ledger.publishes import PublishLedger
from ingest.ledger.rows import RunKind
from ingest.maintenance.rebuild import Rebuild
from wrac.errors import ConfigError, NotSwitched, StoreError

OTHER = ("letters/2", DIMENSION)


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.setattr("ingest.run.WorkerPool", InlinePool)
    monkeypatch.setattr("ingest.maintenance.remake.WorkerPool", InlinePool)
    made = Maintained(tmp_path, monkeypatch)
    made.crawl(*pages())
    return made


def write_canaries(site, *canaries):
    site.write_profile('canaries = "canaries.jsonl"\n')
    lines = "\n".join(json.dumps(canary) for canary in canaries)
    (site.settings.data_dir.parent / "canaries.jsonl").write_text(lines + "\n")


def test_readers_are_switched_to_a_whole_collection_and_the_old_one_is_kept(site):
    before, old = site.points(), site.physical()
    site.embedder = OTHER
    told = site.forecast(RunKind.REEMBED)
    assert site.generations() == [old]
    [done] = site.remake(RunKind.REEMBED)
    new = site.physical_name("letters/2")
    assert told.collection == done.collection == new == site.physical()
    assert told.texts == done.embedded == len(site.embedded) == PAGES
    assert (done.previous, site.generations()) == (old, sorted([old, new]))
    assert site.points().keys() == before.keys(), "the same chunks under the same ids"
    assert site.points(collection=old) == before, "the old collection is as it was"


def test_a_crawl_after_it_finds_nothing_to_do(site):
    site.embedder = OTHER
    site.remake(RunKind.REEMBED)
    site.embedded.clear()
    summary = site.crawl(*pages())
    assert {outcome.value: count for outcome, count in summary.outcomes.items()} == {"unchanged": PAGES}
    assert site.embedded == []


def test_all_sites_of_the_collection_move(site):
    site.crawl(page(7, path="z.html"), site="other")
    site.embedder = OTHER
    done = site.remake(RunKind.REEMBED)
    assert [renewal.site for renewal in done] == ["docs", "other"]
    assert site.paths() == {f"{n}.html" for n in range(PAGES)}
    assert site.paths(site="other") == {"z.html"}
    with site.ledger() as ledger:
        assert [ledger.runs.last(name).kind for name in ("docs", "other")] == [RunKind.REEMBED] * 2


def test_points_of_a_site_that_the_ledger_does_not_know_stop_it(site):
    site.crawl(page(7, path="z.html"), site="other")
    before = site.physical()
    with site.ledger() as ledger, ledger._database.transaction() as connection:
        connection.exec_driver_sql("delete from runs where site = 'other'")
    site.embedder = OTHER
    with pytest.raises(StoreError, match="holds 1 points of sites that this ledger does not know"):
        site.remake(RunKind.REEMBED)
    assert site.physical() == before


def test_canaries_that_live_let_it_through(site):
    write_canaries(site, {"query": "rules for buoys", "url": "http://docs.test/1.html", "k": 1})
    site.embedder = OTHER
    site.remake(RunKind.REEMBED)
    assert site.physical() == site.physical_name("letters/2")


def test_a_dead_canary_switches_nothing_and_is_named(site):
    before, old = site.points(), site.physical()
    write_canaries(
        site,
        {"query": "rules for buoys", "url": "https://docs.test/1.html"},
        {"query": "rules for buoys", "url": "https://docs.test/2.html", "k": 1},
    )
    site.embedder = OTHER
    with pytest.raises(NotSwitched) as stopped:
        site.remake(RunKind.REEMBED)
    assert "1 of 2 canaries of docs" in str(stopped.value)
    assert "'rules for buoys': https://docs.test/2.html is not among the first 1 (https://docs.test/1.html" in str(
        stopped.value
    )
    assert old in str(stopped.value)
    assert (site.physical(), site.points()) == (old, before)
    write_canaries(site, {"query": "rules for buoys", "url": "https://docs.test/1.html"})
    site.remake(RunKind.REEMBED)
    assert site.embedded == [], "what was embedded is not paid for again"
    assert site.physical() != old


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"query": "x"}', r"canaries.jsonl, line 1: it does not say what should be found"),
        ("", r"canaries.jsonl holds no entry"),
    ],
)
def test_canaries_that_cannot_be_read_stop_it_before_any_work(site, line, message):
    site.write_profile('canaries = "canaries.jsonl"\n')
    (site.settings.data_dir.parent / "canaries.jsonl").write_text(line)
    site.embedder = OTHER
    with pytest.raises(ConfigError, match=message):
        site.remake(RunKind.REEMBED)
    assert site.embedded == []


def test_canaries_are_a_file_of_questions(site):
    """A path, a quote; what has no answer is passed over."""
    site.write_profile('canaries = "canaries.csv"\n')
    lines = (
        "query,url,quote,nothing",
        "rules for buoys,/1.html,,",
        "charts in port,,rules for charts,",
        "zebras,,,yes",
    )
    file = site.settings.data_dir.parent / "canaries.csv"
    file.write_text("\n".join(lines))
    site.embedder = OTHER
    site.remake(RunKind.REEMBED)
    assert site.physical() == site.physical_name("letters/2")
    file.write_text("query,quote\nrules for buoys,rules for zebras\n")
    site.embedder = ("letters/3", OTHER[1])
    with pytest.raises(NotSwitched, match=r"'rules for buoys': rules for zebras is not among the first 5"):
        site.remake(RunKind.REEMBED)


def test_canaries_may_be_toml(site):
    site.write_profile('canaries = "canaries.toml"\n')
    text = '[[canary]]\nquery = "rules for charts"\nurl = "https://docs.test/2.html"\n'
    (site.settings.data_dir.parent / "canaries.toml").write_text(text)
    site.embedder = OTHER
    site.remake(RunKind.REEMBED)
    assert site.physical() == site.physical_name("letters/2")


@pytest.mark.parametrize(
    ("owner", "step"),
    [(EmbeddedStore, "upsert"), (Rebuild, "_check_count"), (EmbeddedStore, "switch"), (PublishLedger, "moved")],
)
def test_broken_off_anywhere_readers_miss_nothing_and_the_same_command_goes_on(site, monkeypatch, owner, step):
    old = site.physical()
    site.embedder = OTHER
    with monkeypatch.context() as broken:

        def fail(*_, **__):
            raise KeyboardInterrupt

        broken.setattr(owner, step, fail)
        with pytest.raises(KeyboardInterrupt):
            site.remake(RunKind.REEMBED)
    assert (site.physical() == old) is (step != "moved")
    assert site.paths() == {f"{n}.html" for n in range(PAGES)}
    site.remake(RunKind.REEMBED)
    assert site.embedded == [], "embedded by the first attempt"
    assert site.physical() != old
    assert site.paths() == {f"{n}.html" for n in range(PAGES)}


def test_an_older_generation_of_the_same_embedder_is_brought_up_to_date(site):
    """There and back again, with a change and a page that went in between."""
    first = site.physical()
    site.embedder = OTHER
    site.remake(RunKind.REEMBED)
    site.crawl(page(0, 1950), *pages()[1:])
    site.embedder = ("words/1", DIMENSION)
    [done] = site.remake(RunKind.REEMBED)
    assert done.embedded == 1
    assert site.physical() == first
    assert [text for text in site.texts() if "1950" in text]
    assert len(site.points()) == PAGES


def test_what_an_older_generation_holds_of_a_site_that_moved_away_does_not_come_back(site):
    site.crawl(page(7, path="z.html"), site="other")
    site.embedder = OTHER
    site.remake(RunKind.REEMBED)
    with site.client() as client:
        client.delete("docs", points_selector=_ids(client, "other"))
    with site.ledger() as ledger, ledger._database.transaction() as connection:
        connection.exec_driver_sql("delete from runs where site = 'other'")
    site.embedder = ("words/1", DIMENSION)
    site.remake(RunKind.REEMBED)
    assert site.paths(site="other") == set()
    assert len(site.points()) == PAGES


def _ids(client, site):
    found, _ = client.scroll("docs", limit=100, with_payload=True)
    return [point.id for point in found if point.payload["site"] == site]


def test_a_page_that_is_damaged_in_the_archive_switches_nothing(site):
    old = site.physical()
    some = next((site.settings.data_dir / "archive" / "pages").rglob("*.zst"))
    some.unlink()
    site.embedder = OTHER
    with pytest.raises(NotSwitched, match=r"1 pages of docs could not be made .*set the embedder back and crawl"):
        site.remake(RunKind.REEMBED)
    assert site.physical() == old
