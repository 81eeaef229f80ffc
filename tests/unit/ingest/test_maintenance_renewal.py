"""Pages made anew from the archive: nothing is fetched or paid twice, and a page keeps what it has on doubt."""

from __future__ import annotations

import pytest
from made_up_crawls import InlinePool, fetched, html
from maintained import PAGES, Maintained, page, pages

from ingest.ledger.rows import RunKind, RunState
from ingest.maintenance.rollback import rollback
from wrac.errors import ConfigError, LossGuard, StoreError, StoreLocked


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.setattr("ingest.run.WorkerPool", InlinePool)
    monkeypatch.setattr("ingest.maintenance.remake.WorkerPool", InlinePool)
    return Maintained(tmp_path, monkeypatch)


LONG = html("Tides", *[f"Tide number {n} rises {n} feet above the sill of the lock at noon." for n in range(40)])


@pytest.mark.parametrize("kind", [RunKind.REPLAN, RunKind.REEMBED, RunKind.RECONVERT])
def test_with_the_same_recipe_there_is_nothing_to_do(site, kind):
    site.crawl(*pages())
    before = site.points()
    [done] = site.remake(kind)
    assert (done.pages, done.changed, done.kept) == (PAGES, 0, ())
    assert site.embedded == []
    assert site.points() == before


def test_vectors_that_the_archive_lost_are_embedded_again(site):
    """It is what `wrac check` names as the command that mends them."""
    site.crawl(*pages())
    before = site.points()
    for file in (site.settings.data_dir / "archive" / "vectors").rglob("*.zst"):
        file.unlink()
    assert site.forecast(RunKind.REEMBED).texts == PAGES
    [done] = site.remake(RunKind.REEMBED)
    assert (done.changed, len(site.embedded)) == (PAGES, PAGES)
    assert site.points() == before
    site.crawl(page(0, 1950), *pages()[1:])
    rollback(site.settings, "docs")
    assert site.points() == before
    [done] = site.remake(RunKind.REEMBED)
    assert done.changed == 0


def test_replanning_cuts_the_archived_markdown_anew(site):
    site.crawl(fetched("tides.html", LONG), *pages(2))
    before = site.texts()
    site.more = {"chunk_target_tokens": 60, "chunk_min_tokens": 30, "chunk_max_tokens": 100}
    told = site.forecast(RunKind.REPLAN)
    assert site.texts() == before
    assert site.embedded == []
    [done] = site.remake(RunKind.REPLAN)
    assert (told.pages, told.changed, told.chunks_before, told.chunks_after) == (3, 3, len(before), len(site.points()))
    assert told.texts == len(site.embedded) == done.embedded
    assert done.changed == 3
    assert len(site.texts()) > len(before)
    assert set(site.texts()) - set(before), "the long page is cut into other chunks"
    assert {text for text in before if "rules for" in text} <= set(site.texts()), "short pages keep theirs"
    assert not [text for text in site.embedded if "rules for" in text], "text that stays keeps its vectors"
    site.remake(RunKind.REPLAN)
    assert site.embedded == []


def test_embedding_anew_in_other_windows_keeps_every_point(site):
    site.crawl(*pages())
    before = set(site.points())
    site.more = {"window_tokens": 16}
    told = site.forecast(RunKind.REEMBED)
    [done] = site.remake(RunKind.REEMBED)
    assert told.texts == done.embedded == PAGES
    assert told.chunks_new == 0
    assert set(site.points()) == before
    assert (done.collection, done.previous) == ("", "")


def test_converting_anew_reads_the_archived_body(site):
    body = html("Buoys", "The buoy is green. It shows a light at night that can be seen for a mile.")
    body = body.replace(b"</main>", b"<div class=legal>All rights are reserved by the port.</div></main>")
    site.crawl(fetched("buoys.html", body), *pages(3))
    assert any("All rights" in text for text in site.texts())
    site.write_profile('strip = [".legal"]\n')
    told = site.forecast(RunKind.RECONVERT)
    assert any("All rights" in text for text in site.texts())
    [done] = site.remake(RunKind.RECONVERT)
    assert not any("All rights" in text for text in site.texts())
    assert (told.changed, told.chunks_new, done.changed) == (4, 1, 4)
    assert done.embedded == told.texts == 1
    assert len(site.points()) == 4


def test_a_crawl_after_it_finds_nothing_to_do(site):
    site.crawl(*pages())
    site.more = {"chunk_target_tokens": 60, "chunk_min_tokens": 30, "chunk_max_tokens": 100}
    site.remake(RunKind.REPLAN)
    before = site.points()
    summary = site.crawl(*pages())
    assert {outcome.value: count for outcome, count in summary.outcomes.items()} == {"unchanged": PAGES}
    assert site.points() == before


def test_a_page_that_would_all_but_vanish_is_kept(site):
    site.crawl(fetched("tides.html", LONG), *pages(3))
    before = site.texts()
    site.write_profile('strip = ["p:nth-of-type(n+2)"]\n')
    [done] = site.remake(RunKind.RECONVERT)
    assert [(url, "hardly any content" in reason) for url, reason in done.kept] == [
        ("https://docs.test/tides.html", True)
    ]
    assert site.texts() == before


def test_a_profile_that_strips_half_of_the_site_is_stopped(site):
    two = [
        fetched(
            f"{n}.html", html(f"Lock {n}", f"Lock {n} opens at noon every day.", f"Lock {n} closes at nine at night.")
        )
        for n in range(4)
    ]
    site.crawl(*two)
    before = site.texts()
    site.write_profile('strip = ["p:nth-of-type(2)"]\n')
    with pytest.raises(LossGuard, match=r"wrac reconvert docs --accept-loss"):
        site.remake(RunKind.RECONVERT)
    assert site.texts() == before
    [done] = site.remake(RunKind.RECONVERT, accept_loss=True)
    assert done.changed == 4
    assert not any("closes" in text for text in site.texts())


def test_a_page_whose_body_is_lost_is_kept_and_named(site):
    site.crawl(*pages())
    for file in (site.settings.data_dir / "archive" / "bodies").rglob("*.zst"):
        file.unlink()
    site.write_profile('strip = [".legal"]\n')
    [done] = site.remake(RunKind.RECONVERT)
    assert len(done.kept) == PAGES
    assert done.changed == 0
    assert len(site.points()) == PAGES


def test_it_is_on_record_as_a_run_with_a_manifest(site):
    site.crawl(*pages())
    site.more = {"window_tokens": 16}
    site.remake(RunKind.REEMBED)
    with site.ledger() as ledger:
        run = ledger.runs.last("docs")
        manifests = ledger.publishes.history("docs")
    assert (run.kind, run.state, run.exit_code) == (RunKind.REEMBED, RunState.FINISHED, 0)
    assert (run.counts["changed"], run.figures["embedded"]) == (PAGES, PAGES)
    assert manifests[0].run_id == run.run_id
    assert manifests[0].completed_at
    assert manifests[0].pages == PAGES


def test_it_is_refused_while_the_site_is_crawled(site):
    from ingest.site_lock import SiteLock

    site.crawl(*pages(1))
    lock = SiteLock(site.settings.data_dir, "docs")
    try:
        with pytest.raises(StoreLocked, match="docs is being crawled"):
            site.remake(RunKind.REPLAN)
    finally:
        lock.release()


def test_a_site_that_nobody_crawled_is_named(site):
    site.crawl(*pages(1))
    with pytest.raises(ConfigError, match=r"no site 'doc' was crawled \(sites: docs\)"):
        site.remake(RunKind.REPLAN, site="doc")


def test_replanning_with_another_embedder_names_the_command_that_rebuilds(site):
    site.crawl(*pages(2))
    site.embedder = ("letters/2", 32)
    site.more = {"chunk_target_tokens": 60, "chunk_min_tokens": 30, "chunk_max_tokens": 100}
    with pytest.raises(StoreError, match="wrac reembed"):
        site.remake(RunKind.REPLAN)
    with pytest.raises(StoreError, match="wrac reembed"):
        site.crawl(page(0, 1950))


def test_a_version_that_waits_for_its_publish_is_left_alone(site):
    site.crawl(*pages())
    site.crawl(page(0, 1950), index=False)
    site.more = {"window_tokens": 16}
    [done] = site.remake(RunKind.REEMBED)
    assert (done.changed, done.waiting) == (PAGES - 1, 1)
    assert any("paragraph 0" in text and "1900" in text for text in site.texts())
