"""One run of a site: every URL ends once, what is published is whole, nothing is done twice."""

import asyncio
from datetime import timedelta

import pytest
from made_up_crawls import SITE, fetched, html

from ingest.blocks import UrlPattern
from ingest.ledger import Ledger
from ingest.ledger.rows import PageState, RunState
from wrac.config import Settings
from wrac.errors import StoreLocked
from wrac.records import Outcome, PageOutcome, Validators

PILOT = html("Pilot", "The pilot boards at the outer buoy.", links=["/buoy.html"])
BUOY = html("Buoy", "The outer buoy shows a green light every four seconds.")
ELSEWHERE = "<link rel=canonical href=https://main.example/buoy.html>"


@pytest.mark.usefixtures("real_workers")
def test_a_page_is_indexed_and_its_links_come_back(crawls):
    [report], summary = crawls.crawl(fetched("pilot.html", PILOT))
    assert report.outcome == PageOutcome(SITE + "pilot.html", Outcome.INDEXED, "")
    assert [link.url for link in report.links] == [SITE + "buoy.html"]
    assert summary.state is RunState.FINISHED
    assert summary.outcomes == {Outcome.INDEXED: 1}
    assert summary.published == 1
    assert crawls.collection.urls() == {SITE + "pilot.html"}
    row = crawls.rows()["pilot.html"]
    assert row.state is PageState.LIVE
    assert set(row.point_ids) == set(crawls.collection.stored)


def test_every_url_ends_with_one_outcome_and_they_add_up(crawls):
    pages = [
        fetched("pilot.html", PILOT),
        fetched("buoy.html", BUOY, asked="old-buoy.html"),
        fetched("chart.pdf", b"%PDF-1.7 ...", "application/pdf"),
        fetched("chart.html", b"%PDF-1.7 ...", "text/html"),
        fetched("empty.html", b""),
        fetched("picture", b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0d" * 9, "text/html"),
        fetched("secret.html", html("Secret", "Not for search.", head="<meta name=robots content=noindex>")),
    ]
    ended = [PageOutcome(SITE + "gone.html", Outcome.GONE, "404"), PageOutcome(SITE + "pilot.html", Outcome.LIMIT, "")]
    _, summary = crawls.crawl(*pages, ended=ended)
    assert crawls.outcomes() == {
        "pilot.html": "indexed",
        "buoy.html": "indexed",
        "old-buoy.html": "redirected",
        "chart.pdf": "failed",
        "chart.html": "failed",
        "empty.html": "empty",
        "picture": "unsupported",
        "secret.html": "noindex",
        "gone.html": "gone",
    }
    assert sum(summary.outcomes.values()) == 9
    assert all(row.reason for row in crawls.rows().values() if row.outcome is not Outcome.INDEXED)
    assert crawls.collection.urls() == {SITE + "pilot.html", SITE + "buoy.html"}


def test_two_ways_to_a_page_are_one_page(crawls):
    _, summary = crawls.crawl(
        fetched("buoy.html", BUOY, asked="a.html"),
        fetched("buoy.html", BUOY, asked="b.html"),
        fetched("buoy.html", BUOY),
    )
    assert crawls.outcomes() == {"buoy.html": "indexed", "a.html": "redirected", "b.html": "redirected"}
    assert summary.published == 1


def test_the_same_text_at_two_urls_is_indexed_once(crawls):
    crawls.crawl(fetched("buoy.html", BUOY), fetched("print/buoy.html", BUOY))
    row = crawls.rows()["print/buoy.html"]
    assert row.outcome is Outcome.DUPLICATE
    assert SITE + "buoy.html" in row.reason
    assert crawls.collection.urls() == {SITE + "buoy.html"}


def test_a_second_crawl_of_the_same_bytes_does_nothing(crawls):
    pages = [fetched("pilot.html", PILOT), fetched("buoy.html", BUOY)]
    crawls.crawl(*pages)
    before, opened = dict(crawls.collection.stored), crawls.collection.opened
    crawls.collection.embedded.clear()
    reports, summary = crawls.crawl(*pages)
    assert [report.outcome.outcome for report in reports] == [Outcome.UNCHANGED] * 2
    assert [link.url for link in reports[0].links] == [SITE + "buoy.html"], "links of unchanged pages are followed"
    assert crawls.collection.embedded == []
    assert crawls.collection.stored == before
    assert crawls.collection.opened == opened + 1, "opened once, to see that nothing was lost"
    assert summary.outcomes == {Outcome.UNCHANGED: 2}


def test_a_new_template_around_the_same_text_is_unchanged(crawls):
    crawls.crawl(fetched("buoy.html", BUOY))
    crawls.collection.embedded.clear()
    [report], _ = crawls.crawl(fetched("buoy.html", BUOY.replace(b"<main>", b"<nav>New menu</nav><main>")))
    assert report.outcome.outcome is Outcome.UNCHANGED
    assert crawls.collection.embedded == []


def test_a_changed_page_replaces_its_points_when_the_crawl_ends(crawls):
    crawls.crawl(fetched("buoy.html", BUOY))
    old = set(crawls.collection.stored)

    async def session():
        run = crawls.run()
        await run.start()
        await run.process(fetched("buoy.html", BUOY.replace(b"green", b"red")), 0)
        await asyncio.sleep(0.3)
        assert set(crawls.collection.stored) == old, "a later crawl gathers before it publishes"
        return await run.finish(True)

    asyncio.run(session())
    assert old.isdisjoint(crawls.collection.stored)
    assert len(crawls.collection.stored) == len(old)
    assert "red light" in next(iter(crawls.collection.stored.values())).payload["page_content"]


def test_a_page_not_seen_again_is_kept(crawls):
    crawls.crawl(fetched("pilot.html", PILOT), fetched("buoy.html", BUOY))
    crawls.crawl(fetched("pilot.html", PILOT))
    assert crawls.collection.urls() == {SITE + "pilot.html", SITE + "buoy.html"}


def test_a_page_that_fails_later_is_kept(crawls):
    crawls.crawl(fetched("buoy.html", BUOY))
    crawls.crawl(ended=[PageOutcome(SITE + "buoy.html", Outcome.HTTP_ERROR, "503")])
    assert crawls.collection.urls() == {SITE + "buoy.html"}
    row = crawls.rows()["buoy.html"]
    assert (row.state, row.outcome) == (PageState.LIVE, Outcome.HTTP_ERROR)


def test_another_recipe_is_published_again_from_kept_vectors(crawls):
    crawls.crawl(fetched("buoy.html", BUOY))
    crawls.collection.embedded.clear()
    crawls.collection.recipe = "fake/2"
    [report], summary = crawls.crawl(fetched("buoy.html", BUOY))
    assert report.outcome.outcome is Outcome.INDEXED
    assert (summary.embedded, summary.reused) == (0, 1)


def test_a_lost_collection_is_written_again_without_embedding(crawls):
    crawls.crawl(fetched("pilot.html", PILOT), fetched("buoy.html", BUOY))
    before = set(crawls.collection.stored)
    crawls.collection.stored.clear()
    crawls.collection.embedded.clear()
    _, summary = crawls.crawl(fetched("pilot.html", PILOT))
    assert set(crawls.collection.stored) == before, "pages that this crawl did not meet are written, too"
    assert crawls.collection.embedded == []
    assert summary.waiting == 0


def test_a_lost_collection_gets_pages_again_that_declare_a_canonical_elsewhere(crawls):
    """Such a page is held until the crawl ends; what the collection lacks must not be forgotten meanwhile."""
    pages = [fetched("pilot.html", PILOT), fetched("buoy.html", html("Buoy", "A green light.", head=ELSEWHERE))]
    crawls.crawl(*pages)
    before = set(crawls.collection.stored)
    crawls.collection.stored.clear()
    crawls.collection.embedded.clear()
    _, summary = crawls.crawl(*pages)
    assert set(crawls.collection.stored) == before
    assert crawls.collection.embedded == []
    assert summary.waiting == 0


def test_so_it_is_where_the_crawl_is_interrupted_while_they_are_held(crawls):
    pages = [fetched("pilot.html", PILOT), fetched("buoy.html", html("Buoy", "A green light.", head=ELSEWHERE))]
    crawls.crawl(*pages)
    before = set(crawls.collection.stored)
    crawls.collection.stored.clear()
    crawls.crawl(*pages, completed=False)
    assert crawls.rows()["buoy.html"].state is PageState.HELD
    crawls.crawl()
    assert set(crawls.collection.stored) == before


def test_a_refused_page_does_not_take_others_with_it(crawls):
    crawls.collection.refuses = "green"
    _, summary = crawls.crawl(fetched("pilot.html", PILOT), fetched("buoy.html", BUOY))
    row = crawls.rows()["buoy.html"]
    assert row.outcome is Outcome.FAILED
    assert row.reason == "embed: embedding-failed: too rude"
    assert crawls.collection.urls() == {SITE + "pilot.html"}
    assert summary.state is RunState.FINISHED


@pytest.mark.parametrize(
    "fault", [ValueError("too long to encode"), UnicodeError("a surrogate"), IndexError("7"), RecursionError("deep")]
)
def test_a_text_over_which_the_embedder_stumbles_does_not_end_the_run(crawls, fault):
    crawls.collection.refuses, crawls.collection.refusal = "green", fault
    _, summary = crawls.crawl(fetched("pilot.html", PILOT), fetched("buoy.html", BUOY))
    row = crawls.rows()["buoy.html"]
    assert (row.outcome, row.reason) == (Outcome.FAILED, f"embed: {fault!r}")
    assert crawls.collection.urls() == {SITE + "pilot.html"}
    assert summary.state is RunState.FINISHED


def test_a_locked_collection_is_an_error_before_any_work(crawls):
    crawls.collection.locked = True
    with pytest.raises(StoreLocked, match="4711"):
        crawls.crawl(fetched("pilot.html", PILOT))
    crawls.collection.locked = False
    _, summary = crawls.crawl(fetched("pilot.html", PILOT))
    assert summary.published == 1


def test_a_collection_locked_meanwhile_keeps_everything_for_the_next_run(crawls, monkeypatch):
    monkeypatch.setattr("ingest.publishing.LOCK_PATIENCE_SECONDS", 0.0)

    async def session():
        run = crawls.run()
        await run.start()
        crawls.collection.locked = True
        await run.process(fetched("pilot.html", PILOT), 0)
        return await run.finish(True)

    summary = asyncio.run(session())
    assert summary.state is RunState.UNPUBLISHED
    assert "4711" in str(summary.error)
    assert summary.waiting == 1
    assert any("Run the same command again" in note for note in summary.notes)

    crawls.collection.locked = False
    crawls.collection.embedded.clear()
    _, summary = crawls.crawl()
    assert summary.state is RunState.FINISHED
    assert crawls.collection.urls() == {SITE + "pilot.html"}
    assert crawls.collection.embedded == [], "what was embedded is not paid for twice"


def test_an_embedder_that_is_down_loses_nothing(crawls):
    crawls.collection.down = True
    _, summary = crawls.crawl(fetched("pilot.html", PILOT))
    assert summary.state is RunState.UNPUBLISHED
    assert "down" in str(summary.error)
    crawls.collection.down = False
    _, summary = crawls.crawl()
    assert crawls.collection.urls() == {SITE + "pilot.html"}


def test_a_store_that_breaks_half_way_is_mended_by_the_next_run(crawls):
    crawls.collection.fails_after = 1
    _, summary = crawls.crawl(fetched("pilot.html", PILOT), fetched("buoy.html", BUOY))
    assert summary.state is RunState.UNPUBLISHED
    assert summary.published == 1
    assert summary.waiting == 1
    crawls.collection.fails_after = -1
    _, summary = crawls.crawl()
    assert crawls.collection.urls() == {SITE + "pilot.html", SITE + "buoy.html"}
    assert {point for row in crawls.rows().values() for point in row.point_ids} == set(crawls.collection.stored)


def test_an_interrupted_run_goes_on_where_it_stopped(crawls):
    _, summary = crawls.crawl(fetched("pilot.html", PILOT), completed=False)
    assert summary.state is RunState.INTERRUPTED

    async def session():
        run = crawls.run()
        await run.start()
        resumed = dict(run.resumed())
        await run.process(fetched("buoy.html", BUOY), 2)
        return resumed, await run.finish(True)

    resumed, again = asyncio.run(session())
    assert list(resumed) == [SITE + "pilot.html"]
    assert resumed[SITE + "pilot.html"].depth == 1
    assert [link.url for link in resumed[SITE + "pilot.html"].links] == [SITE + "buoy.html"]
    assert again.run_id == summary.run_id
    assert again.outcomes == {Outcome.INDEXED: 2}, "counts are of the whole run"
    assert crawls.collection.urls() == {SITE + "pilot.html", SITE + "buoy.html"}
    assert crawls.last_run().sessions == 2


def test_a_finished_run_is_not_resumed(crawls):
    _, first = crawls.crawl(fetched("pilot.html", PILOT))
    _, second = crawls.crawl(fetched("pilot.html", PILOT))
    assert second.run_id != first.run_id


def test_an_old_interrupted_run_is_not_resumed(crawls):
    crawls.crawl(fetched("pilot.html", PILOT), completed=False)
    crawls.clock.now = crawls.clock.now.replace(day=20)
    _, summary = crawls.crawl(fetched("buoy.html", BUOY))
    assert summary.run_id == 2
    assert crawls.collection.urls() == {SITE + "pilot.html", SITE + "buoy.html"}, "what it gathered is still published"


def test_failures_are_tried_again_by_a_resumed_run(crawls):
    unreachable = PageOutcome(SITE + "buoy.html", Outcome.UNREACHABLE, "connection refused")
    crawls.crawl(ended=[unreachable], completed=False)
    crawls.crawl(fetched("buoy.html", BUOY))
    assert crawls.outcomes() == {"buoy.html": "indexed"}


@pytest.mark.usefixtures("real_workers")
def test_a_page_that_hangs_ends_as_failed_and_the_others_go_on(crawls):
    crawls.options["page_seconds"] = 0.001
    [hung], _ = crawls.crawl(fetched("pilot.html", html("Long", *["word " * 50] * 2000)))
    assert hung.outcome.outcome is Outcome.FAILED
    assert hung.outcome.reason.startswith("worker: no result within")


def test_two_crawls_of_one_site_at_a_time_are_refused(crawls):
    async def session():
        first, second = crawls.run(), crawls.run()
        await first.start()
        with pytest.raises(StoreLocked, match="site docs is being crawled by process"):
            await second.start()
        return await first.finish(True)

    assert asyncio.run(session()).state is RunState.FINISHED


def test_other_languages_are_said_in_the_summary(crawls):
    page = html("Lotse", "Der Lotse kommt an der Ansteuerungstonne an Bord.").replace(b"lang=en", b"lang=de")
    _, summary = crawls.crawl(fetched("lotse.html", page), fetched("pilot.html", PILOT))
    [note] = summary.notes
    assert note.startswith("1 page is in 'de', which the embedder does not read (it reads en)")


def test_languages_outside_of_the_profile_are_left_out(crawls):
    crawls.profile["languages"] = ("en",)
    page = html("Lotse", "Der Lotse kommt an Bord.").replace(b"lang=en", b"lang=de-AT")
    crawls.crawl(fetched("lotse.html", page))
    assert crawls.outcomes() == {"lotse.html": "language"}


def test_validators_are_offered_for_pages_that_are_published(crawls):
    known = Validators(etag='"1"', last_modified="")
    crawls.crawl(fetched("pilot.html", PILOT, validators=known), ended=[PageOutcome(SITE + "x.html", Outcome.GONE, "")])

    async def session():
        run = crawls.run()
        await run.start()
        offered = [run.validators(SITE + path) for path in ("pilot.html", "x.html", "new.html")]
        report = await run.not_modified(SITE + "pilot.html", depth=0)
        return offered, report, await run.finish(True)

    offered, report, summary = asyncio.run(session())
    assert offered == [known, Validators(), Validators()]
    assert report.outcome.outcome is Outcome.UNCHANGED
    assert [link.url for link in report.links] == [SITE + "buoy.html"]
    assert summary.outcomes == {Outcome.UNCHANGED: 1}


@pytest.mark.parametrize("first", [True, False], ids=["canonical first", "variant first"])
def test_a_variant_is_recorded_under_its_canonical(crawls, first):
    main = fetched("buoy.html", BUOY)
    text = BUOY.replace(b"</title>", b"</title><link rel=canonical href=/buoy.html>").replace(
        b"</p>", b"</p><p>Print</p>"
    )
    pages = [main, fetched("buoy-print.html", text)]
    crawls.crawl(*(pages if first else reversed(pages)))
    assert crawls.outcomes() == {"buoy.html": "indexed", "buoy-print.html": "duplicate"}
    assert crawls.collection.urls() == {SITE + "buoy.html"}


def test_a_template_that_names_the_home_page_everywhere_loses_no_page(crawls):
    head = "<link rel=canonical href=/>"
    home = html("Home", "Welcome to the harbour.", head=head)
    pages = [html(f"Berth {n}", f"Berth {n} takes ships of up to {n * 20} metres.", head=head) for n in range(3)]
    crawls.crawl(fetched("", home), *(fetched(f"{n}.html", page) for n, page in enumerate(pages)))
    assert set(crawls.outcomes().values()) == {"indexed"}
    assert len(crawls.collection.urls()) == 4


def test_the_canonical_is_among_the_links_to_follow(crawls):
    page = html("Buoy", "The buoy.", head="<link rel=canonical href=/buoy.html>")
    [report], _ = crawls.crawl(fetched("print.html", page))
    assert report.canonical == SITE + "buoy.html"
    assert crawls.outcomes() == {"print.html": "indexed"}, "its canonical was never seen"


def test_a_full_disk_stops_the_run_and_loses_nothing(crawls, monkeypatch):
    import errno
    from pathlib import Path

    from wrac.errors import StoreError

    real = Path.write_bytes

    async def session():
        run = crawls.run()
        await run.start()
        await run.process(fetched("pilot.html", PILOT), 0)

        def full(self, data):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(Path, "write_bytes", full)
        with pytest.raises(StoreError, match="no space is left for the archive"):
            await run.process(fetched("buoy.html", BUOY), 1)
        with pytest.raises(StoreError):
            await run.process(fetched("other.html", BUOY), 1)
        return await run.finish(completed=False)

    summary = asyncio.run(session())
    assert summary.state is RunState.INTERRUPTED
    assert "no space" in str(summary.error)
    assert list(crawls.outcomes()) == ["pilot.html"], (
        "the page that could not be kept has no outcome: it is fetched again"
    )
    monkeypatch.setattr(Path, "write_bytes", real)
    _, summary = crawls.crawl(fetched("buoy.html", BUOY))
    assert summary.run_id == 1
    assert crawls.collection.urls() == {SITE + "pilot.html", SITE + "buoy.html"}


def test_the_collection_is_left_to_readers_while_texts_are_embedded(crawls):
    """``FakeCollection.vectors`` asserts it for every text."""
    pages = [fetched(f"{n}.html", html(f"Berth {n}", f"Berth {n} is {n} metres deep.")) for n in range(30)]
    _, summary = crawls.crawl(*pages)
    assert summary.published == 30
    assert crawls.collection.opened < 10


def test_a_twin_of_an_earlier_session_is_recognised(crawls):
    crawls.crawl(fetched("buoy.html", BUOY), completed=False)
    crawls.crawl(fetched("copy.html", BUOY))
    assert crawls.outcomes() == {"buoy.html": "indexed", "copy.html": "duplicate"}


def test_a_page_that_moved_is_indexed_where_it_is_now(crawls):
    """The old URL is gone; that it is still in the collection must not hide the new one."""
    crawls.crawl(fetched("old.html", BUOY))
    crawls.collection.embedded.clear()
    crawls.crawl(fetched("new.html", BUOY), ended=[PageOutcome(SITE + "old.html", Outcome.GONE, "404")])
    assert crawls.outcomes() == {"old.html": "gone", "new.html": "indexed"}
    assert crawls.collection.urls() == {SITE + "old.html", SITE + "new.html"}
    assert crawls.collection.embedded == [], "moved text keeps its vectors"


@pytest.mark.parametrize("first", [True, False], ids=["canonical first", "copy first"])
def test_an_exact_copy_that_names_its_canonical_never_takes_its_place(crawls, first):
    copy = BUOY.replace(b"</title>", b"</title><link rel=canonical href=/buoy.html>")
    pages = [fetched("buoy.html", BUOY), fetched("copy.html", copy)]
    crawls.crawl(*(pages if first else reversed(pages)))
    assert crawls.outcomes() == {"buoy.html": "indexed", "copy.html": "duplicate"}
    assert crawls.collection.urls() == {SITE + "buoy.html"}


def test_what_was_forgotten_does_not_come_back(crawls):
    crawls.crawl(fetched("buoy.html", BUOY))
    with Ledger(Settings(**crawls.settings).ledger_url) as ledger:
        pattern = UrlPattern.of(SITE + "pilot.html")
        ledger.blocks.add("docs", [(pattern, SITE + "pilot.html")], "2026-01-05T08:00:00+00:00")
    [report], _ = crawls.crawl(fetched("pilot.html", PILOT))
    assert report.outcome.outcome is Outcome.BLOCKED
    assert crawls.collection.urls() == {SITE + "buoy.html"}
    assert crawls.rows()["pilot.html"].body_digest == "", "its body is not kept either"


def test_a_page_is_asked_for_whole_now_and_then(crawls):
    """Its validator may be one that never changes."""
    crawls.crawl(fetched("pilot.html", PILOT, validators=Validators(etag='"1"')))

    async def offered(days):
        crawls.clock.now += timedelta(days=days)
        run = crawls.run()
        await run.start()
        found = run.validators(SITE + "pilot.html")
        await run.finish(completed=False)
        return found

    assert asyncio.run(offered(29)) == Validators(etag='"1"')
    assert asyncio.run(offered(2)) == Validators()
