"""What is forgotten is nowhere any more, what others share stays, and neither rollback nor crawl brings it back."""

from __future__ import annotations

import pytest
from made_up_crawls import SITE, InlinePool, fetched, html
from maintained import PAGES, SUBJECTS, Maintained, page, pages
from mock_embeddings import DIMENSION

from ingest.archive import FileArchive, Kind
from ingest.blocks import UrlPattern
from ingest.check import check_site
from ingest.indexer import CollectionIndexer
from ingest.ledger.rows import RunKind
from ingest.maintenance.forgetting import allow_again, find_targets, forget
from ingest.maintenance.retention import prune
from ingest.maintenance.rollback import rollback
from ingest.maintenance.session import open_session
from wrac.errors import ConfigError


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.setattr("ingest.run.WorkerPool", InlinePool)
    made = Maintained(tmp_path, monkeypatch)
    made.crawl(*pages())
    return made


def erase(site, url, name=""):
    return forget(site.settings, find_targets(site.settings, url, name))


def everything(site):
    """All bytes that are kept, archive objects unpacked."""
    archive = FileArchive(site.settings.archive_url)
    kept = [archive.get(kind, key) for kind in Kind for key, _ in archive.objects(kind)]
    kept += [str(payload).encode() for payload in site.points().values()]
    with site.ledger() as ledger, ledger._database.transaction() as connection:
        for table in ("pages", "decisions", "publications", "variants"):
            kept += [str(row).encode() for row in connection.exec_driver_sql(f"select * from {table}")]
    return b"\n".join(kept)


def test_a_page_is_nowhere_any_more(site):
    site.crawl(page(0, 1950), *pages()[1:])
    assert SUBJECTS[0].encode() in everything(site)
    [done] = erase(site, SITE + "0.html")
    assert (done.pages, done.points) == (1, 1)
    assert SUBJECTS[0].encode() not in everything(site), "both versions are gone"
    assert b"0.html" not in everything(site)
    assert site.paths() == {f"{n}.html" for n in range(1, PAGES)}
    for kind, keys in site.archived().items():
        assert len(keys) == PAGES - 1, f"one {kind} object for each page that stays"


def test_pages_are_known_as_published_when_the_last_manifest_held_only_what_is_forgotten(site):
    site.crawl(page(0, 1950), *pages()[1:])
    prune(site.settings, keep=1)
    erase(site, SITE + "0.html")
    with open_session(site.settings, ["docs"]) as session:
        assert check_site(session, "docs").violations == []


def test_a_page_out_of_the_middle_of_shared_vectors_leaves_those_of_others(site):
    """Texts that were embedded with another page's lie in its object."""
    shared = html("Locks", "The lock opens at noon.")
    site.crawl(
        *pages(), fetched("a.html", shared), fetched("b.html", shared.replace(b"</main>", b"<p>And at nine.</main>"))
    )
    erase(site, SITE + "a.html")
    site.embedded.clear()
    site.more = {"window_tokens": 16}
    site.remake(RunKind.REEMBED)
    site.more = {}
    site.remake(RunKind.REEMBED)
    assert site.embedded == [], "the vectors of every page that stays are still there"


def test_every_spelling_means_the_page_and_a_folder_all_below_it(site):
    site.crawl(*pages(), page(5, path="in/5.html"), page(6, path="in/deep/6.html"), page(7, path="inner.html"))
    [target] = find_targets(site.settings, "http://docs.test/0.html/")
    assert [row.url for row in target.pages] == [SITE + "0.html"]
    [target] = find_targets(site.settings, "docs.test/in/")
    assert [row.url for row in target.pages] == [SITE + "in/5.html", SITE + "in/deep/6.html"]
    [target] = find_targets(site.settings, SITE + "in*")
    assert len(target.pages) == 3
    assert find_targets(site.settings, SITE + "nowhere.html") == []
    with pytest.raises(ConfigError, match="no URL"):
        find_targets(site.settings, "mailto:x")
    with pytest.raises(ConfigError, match="say what is to be forgotten"):
        find_targets(site.settings, "")


def test_other_urls_of_the_page_go_and_are_blocked_with_it(site):
    site.crawl(*pages(), fetched("0.html", page(0).body, asked="old.html"), page(0, path="copy.html"))
    [target] = find_targets(site.settings, SITE + "0.html")
    assert {row.url for row in target.pages} == {SITE + "0.html", SITE + "old.html", SITE + "copy.html"}
    forget(site.settings, [target])
    assert SUBJECTS[0].encode() not in everything(site)
    with site.ledger() as ledger:
        blocks = ledger.blocks.of_site("docs")
    assert all(SITE + path in blocks for path in ("0.html", "old.html", "copy.html"))


def test_another_url_of_a_page_that_stays_says_so(site):
    site.crawl(*pages(), page(0, path="copy.html"))
    [target] = find_targets(site.settings, SITE + "copy.html")
    assert target.elsewhere == (SITE + "0.html",)
    forget(site.settings, [target])
    assert "0.html" in site.paths()
    assert len(site.archived()["vectors"]) == PAGES, "shared by the page that stays"


def test_no_rollback_brings_it_back(site):
    site.crawl(*pages(year=1950))
    erase(site, SITE + "0.html")
    done = rollback(site.settings, "docs")
    assert done.restored == PAGES - 1
    assert site.paths() == {f"{n}.html" for n in range(1, PAGES)}


def test_not_even_where_a_copy_of_the_ledger_was_put_back(site):
    site.crawl(*pages(year=1950))
    with site.ledger() as ledger:
        ledger.blocks.add("docs", [(UrlPattern.of(SITE + "0.html"), SITE + "0.html")], "2026-01-06T00:00:00+00:00")
    done = rollback(site.settings, "docs")
    assert done.skipped == (SITE + "0.html",)
    assert site.paths() == {f"{n}.html" for n in range(1, PAGES)}


def test_it_goes_out_of_the_collection_before_as_well(site):
    old = site.physical()
    site.embedder = ("letters/2", DIMENSION)
    site.remake(RunKind.REEMBED)
    [done] = erase(site, SITE + "0.html")
    assert done.points == 2
    assert site.paths(collection=old) == {f"{n}.html" for n in range(1, PAGES)}


def test_a_whole_site_goes_and_its_neighbour_stays(site):
    site.crawl(page(0), page(7), site="other")
    before = site.points(site="other")
    [done] = erase(site, "", "docs")
    assert done.points == PAGES
    assert site.points() == {}
    assert site.points(site="other") == before
    with site.ledger() as ledger:
        assert ledger.runs.sites() == ["other"]
        assert SITE + "anything" in ledger.blocks.of_site("docs")
        assert SITE + "anything" not in ledger.blocks.of_site("other")
    assert len(site.archived()["bodies"]) == 2, "the page that both have is the neighbour's now"


def test_what_is_not_known_yet_can_be_kept_out(site):
    [done] = erase(site, SITE + "secret/", "docs")
    assert done.pages == 0
    with site.ledger() as ledger:
        assert SITE + "secret/plan.html" in ledger.blocks.of_site("docs")
        assert SITE + "secret" in ledger.blocks.of_site("docs")
        assert SITE + "secrets.html" not in ledger.blocks.of_site("docs")


def test_it_can_be_allowed_again(site):
    erase(site, SITE + "0.html")
    assert allow_again(site.settings, SITE + "0.html", "") == ["docs"]
    assert allow_again(site.settings, SITE + "0.html", "") == []
    site.crawl(*pages())
    assert "0.html" in site.paths()


@pytest.mark.parametrize("step", ["_erase_points", "_erase_reports", "_erase_vectors", "_discard", "erase_pages"])
def test_broken_off_anywhere_the_same_command_goes_on(site, monkeypatch, step):
    owner = "ingest.ledger.erasing.EraseLedger" if step == "erase_pages" else "ingest.maintenance.forgetting._Erasure"
    with monkeypatch.context() as broken:

        def fail(*_, **__):
            raise KeyboardInterrupt

        broken.setattr(f"{owner}.{step}", fail)
        with pytest.raises(KeyboardInterrupt):
            erase(site, SITE + "0.html")
    with site.ledger() as ledger:
        assert SITE + "0.html" in ledger.blocks.of_site("docs"), "blocked before anything is erased"
    erase(site, SITE + "0.html")
    assert SUBJECTS[0].encode() not in everything(site)
    assert len(site.archived()["vectors"]) == PAGES - 1
    assert site.paths() == {f"{n}.html" for n in range(1, PAGES)}


def test_reports_that_name_it_go(site):
    folder = site.settings.data_dir / "reports" / "docs"
    for run, text in (("98", SITE + "0.html"), ("99", SITE + "1.html")):
        (folder / run).mkdir(parents=True)
        (folder / run / "report.json").write_text(text)
    [done] = erase(site, SITE + "0.html")
    assert done.reports >= 1
    assert not (folder / "98").exists()
    assert (folder / "99" / "report.json").exists()


def test_it_goes_out_of_a_collection_that_the_site_has_left(site):
    site.crawls.profile = {"name": "docs", "start_urls": (SITE,), "collection": "elsewhere"}
    site.crawls.options = {"indexer": CollectionIndexer(site.settings, "elsewhere")}
    site.crawls.crawl(*pages(year=1950))
    assert "0.html" in site.paths()
    erase(site, SITE + "0.html")
    assert "0.html" not in site.paths()
    assert "0.html" not in site.paths(collection="elsewhere")
