"""Crawling a site again: what is done about each page, and that nothing is lost on doubt."""

from datetime import UTC, datetime, timedelta

import pytest
from made_up_crawls import (
    SITE,
    NotDue,
    Same,
    broken,
    ended,
    fetched,
    html,
    not_found,
    redirected,
)

from ingest.archive import FileArchive, Kind
from ingest.ledger.rows import PageState, RunState
from wrac.config import Settings
from wrac.records import Outcome, Validators

TIDE = html("Tide", "High water at the bar comes two hours after high water at the mole.", links=["/pilot.html"])
PILOT = html("Pilot", "The pilot boards at the outer buoy.", links=["/buoy.html"])
BUOY = html("Buoy", "The outer buoy shows a green light every four seconds.")
LOGIN = (
    b"<html lang=en><head><title>Sign in</title></head><body><main><form action=/session method=post>"
    b"<h1>Sign in</h1><label>User <input name=user></label><label>Password <input type=password name=pw></label>"
    b"<button>Sign in</button></form></main></body></html>"
)
PAGES = {"tide.html": TIDE, "pilot.html": PILOT, "buoy.html": BUOY}
DOUBTS = {
    "503": broken,
    "500": lambda path: broken(path, 500),
    "no answer": lambda path: ended(path, Outcome.UNREACHABLE, "timed out"),
    "robots": lambda path: ended(path, Outcome.ROBOTS_DENIED, "robots.txt: Disallow: /"),
    "401": lambda path: ended(path, Outcome.LOGIN_WALL, "HTTP 401 Unauthorized", 401),
    "redirect to login": lambda path: ended(path, Outcome.LOGIN_WALL, "redirects to the login https://docs.test/login"),
    "redirect out of the site": lambda path: ended(
        path, Outcome.OUT_OF_SCOPE, "redirects to https://parked.test/", leads_to="https://parked.test/"
    ),
    "redirect to nothing": lambda path: redirected(path, "nowhere.html"),
    "204": lambda path: ended(path, Outcome.EMPTY, "HTTP 204 No Content", 204),
    "too large": lambda path: ended(path, Outcome.TOO_LARGE, "larger than max_body_mib of the site profile"),
    "limit": lambda path: ended(path, Outcome.LIMIT, "max_pages"),
    "another type": lambda path: ended(path, Outcome.UNSUPPORTED, "content type image/png"),
    "empty page": lambda path: fetched(path, b""),
    "page without text": lambda path: fetched(path, html("")),
    "script only": lambda path: fetched(path, b"<html><body><div id=app></div><script src=/app.js></script></body>"),
    "login form": lambda path: fetched(path, LOGIN),
    "picture": lambda path: fetched(path, b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0d" * 9),
}


@pytest.fixture
def published(crawls):
    """Three pages, published; nothing counted yet."""
    _, summary = crawls.crawl(*served())
    assert summary.published == 3
    crawls.collection.forget()
    return crawls


def served(**changed):
    """Every page as it is served, but for those whose name (without its suffix) is given."""
    pages = []
    for path, body in PAGES.items():
        given = changed.get(path.removesuffix(".html"), body)
        pages.append(fetched(path, given) if isinstance(given, bytes) else given)
    return [page for page in pages if page is not None]


def is_untouched(crawls, points):
    return crawls.collection.stored == points and not crawls.collection.embedded and not crawls.collection.written


# ---------------------------------------------------------------- nothing changed


def test_a_second_run_embeds_nothing_and_writes_nothing(published):
    points = dict(published.collection.stored)
    _, summary = published.crawl(*served())
    assert is_untouched(published, points)
    assert summary.outcomes == {Outcome.UNCHANGED: 3}
    assert (summary.published, summary.withdrawn, summary.embedded, summary.reused) == (0, 0, 0, 0)


def test_neither_does_a_third_one_by_304(crawls):
    crawls.crawl(*(fetched(path, body, validators=Validators(etag=f'"{path}"')) for path, body in PAGES.items()))
    points = dict(crawls.collection.stored)
    for _ in range(2):
        crawls.collection.forget()
        reports, summary = crawls.crawl(*map(Same, PAGES))
        assert is_untouched(crawls, points)
        assert summary.outcomes == {Outcome.UNCHANGED: 3}
        assert [[link.url for link in report.links] for report in reports] == [
            [SITE + "pilot.html"],
            [SITE + "buoy.html"],
            [],
        ], "the links of the stored page are followed"


def test_a_new_template_on_all_pages_embeds_nothing_and_writes_nothing(published):
    points = dict(published.collection.stored)
    frame = b"<nav><ul><li><a href=/new>New menu</a></li></ul></nav><main>"
    footer = b"</main><footer>Made on Monday, build 4711</footer>"
    pages = [fetched(path, body.replace(b"<main>", frame).replace(b"</main>", footer)) for path, body in PAGES.items()]
    _, summary = published.crawl(*pages)
    assert is_untouched(published, points)
    assert summary.outcomes == {Outcome.UNCHANGED: 3}
    _, summary = published.crawl(*pages)
    assert is_untouched(published, points)


def test_another_title_is_written_without_embedding_when_the_text_is_the_same(crawls):
    body = (
        b"<html lang=en><head><title>Old</title></head><body><main><h1>Buoy</h1><p>It shows a green light.</p></main>"
    )
    crawls.crawl(fetched("buoy.html", body))
    ids = set(crawls.collection.stored)
    crawls.collection.forget()
    crawls.crawl(fetched("buoy.html", body.replace(b"Old", b"New")))
    assert crawls.collection.embedded == []
    assert set(crawls.collection.stored) == ids
    assert {point.payload["metadata"]["title"] for point in crawls.collection.stored.values()} == {"New"}


# ---------------------------------------------------------------- doubt


@pytest.mark.parametrize("doubt", DOUBTS)
def test_doubt_about_one_page_deletes_nothing(published, doubt):
    points, before = dict(published.collection.stored), published.rows()["buoy.html"]
    for _ in range(3):
        _, summary = published.crawl(*served(buoy=DOUBTS[doubt]("buoy.html")))
        assert is_untouched(published, points)
        assert summary.withdrawn == 0
    after = published.rows()["buoy.html"]
    assert after.state is PageState.LIVE
    assert after.outcome not in (Outcome.INDEXED, Outcome.UNCHANGED)
    assert after.reason
    kept = ("record", "body_digest", "markdown_digest", "etag", "last_modified", "point_ids", "recipe", "tokens")
    assert [getattr(after, name) for name in kept] == [getattr(before, name) for name in kept], (
        "what was good last is not forgotten over what was seen last"
    )
    assert [made for made, _ in published.decisions("buoy.html")] == ["keep"] * 3

    _, summary = published.crawl(*served())
    assert is_untouched(published, points), "it is as it was: nothing to embed, nothing to write"
    assert summary.outcomes == {Outcome.UNCHANGED: 3}


@pytest.mark.parametrize("doubt", DOUBTS)
def test_doubt_about_every_page_deletes_nothing(published, doubt):
    points = dict(published.collection.stored)
    for _ in range(2):
        _, summary = published.crawl(*(DOUBTS[doubt](path) for path in PAGES))
        assert is_untouched(published, points)
        assert summary.withdrawn == 0
        if doubt != "limit":
            assert sum(summary.kept.values()) == 3, "kept on doubt: the exit code says so"


def test_kept_pages_are_counted_for_the_exit_code(published):
    _, summary = published.crawl(*served(buoy=fetched("buoy.html", LOGIN), pilot=broken("pilot.html")))
    assert summary.kept == {Outcome.LOGIN_WALL: 1, Outcome.HTTP_ERROR: 1}


def test_a_crawl_that_gets_nothing_has_its_reason_in_the_run(published):
    points = dict(published.collection.stored)
    published.crawl(broken("tide.html"), note="the start page https://docs.test/ gave nothing: HTTP 503 (http-error)")
    assert published.last_run().note.startswith("the start page https://docs.test/ gave nothing")
    assert is_untouched(published, points)


def test_a_page_left_with_hardly_any_content_is_kept_until_a_person_looked(crawls):
    long = html("Buoy", *(f"Buoy {n} shows a green light every {n} seconds." for n in range(20)))
    short = html("Buoy", "Moved soon.")
    crawls.crawl(fetched("buoy.html", long), fetched("pilot.html", PILOT))
    points = dict(crawls.collection.stored)
    crawls.collection.forget()
    _, summary = crawls.crawl(fetched("buoy.html", short), fetched("pilot.html", PILOT))
    assert is_untouched(crawls, points)
    assert summary.kept == {Outcome.SHRUNK: 1}
    [(_, told)] = crawls.decisions("buoy.html")
    assert "--accept-loss" in told
    crawls.options["accept_loss"] = True
    crawls.crawl(fetched("buoy.html", short), fetched("pilot.html", PILOT))
    assert "Moved soon." in crawls.collection.text()
    assert "Buoy 7 shows" not in crawls.collection.text()


def test_neither_does_a_canonical_in_its_head_hide_that_hardly_any_content_is_left(crawls):
    """The page is held until the fate of its canonical is known; what was good last must outlive that, too."""
    long = html("Buoy", *(f"Buoy {n} shows a green light every {n} seconds." for n in range(20)))
    short = html("Buoy", "Moved soon.", head="<link rel=canonical href=/never-met.html>")
    crawls.crawl(fetched("buoy.html", long), fetched("pilot.html", PILOT))
    points, record = set(crawls.collection.stored), crawls.rows()["buoy.html"].record
    crawls.collection.forget()
    _, summary = crawls.crawl(fetched("buoy.html", short), fetched("pilot.html", PILOT))
    assert summary.kept == {Outcome.SHRUNK: 1}
    row = crawls.rows()["buoy.html"]
    assert (row.state, row.record) == (PageState.LIVE, record)
    assert crawls.asked(lambda run: run.validators(SITE + "buoy.html")) == Validators()

    crawls.collection.stored.clear()
    crawls.crawl(fetched("pilot.html", PILOT))
    assert set(crawls.collection.stored) == points, "a lost collection gets the good text, not what was seen last"
    _, summary = crawls.crawl(fetched("buoy.html", long), fetched("pilot.html", PILOT))
    assert summary.outcomes == {Outcome.UNCHANGED: 2}
    assert crawls.collection.embedded == []


def test_the_share_that_is_too_little_is_the_profiles(crawls):
    long = html("Buoy", *(f"Buoy {n} shows a green light every {n} seconds." for n in range(20)))
    crawls.profile |= {"keep_below": 0.0, "loss_guard": 1.0}
    crawls.crawl(fetched("buoy.html", long))
    crawls.crawl(fetched("buoy.html", html("Buoy", "Moved soon.")))
    assert "Moved soon." in crawls.collection.text()


# ---------------------------------------------------------------- the four failures of other indexers


def test_an_empty_listing_deletes_nothing(published):
    points = dict(published.collection.stored)
    for _ in range(3):
        _, summary = published.crawl()
        assert summary.state is RunState.FINISHED
        assert is_untouched(published, points)


def test_a_crawl_that_reaches_one_page_of_fifty_deletes_none(crawls):
    pages = [fetched(f"{n}.html", html(f"Berth {n}", f"Berth {n} is {n} metres deep.")) for n in range(50)]
    crawls.crawl(*pages)
    points = dict(crawls.collection.stored)
    crawls.collection.forget()
    for _ in range(3):
        crawls.crawl(pages[0])
        assert is_untouched(crawls, points)
    assert crawls.collection.paths() == {f"{n}.html" for n in range(50)}


def test_pages_that_a_crawl_did_not_meet_are_named_to_be_asked_for(published):
    def question(run):
        return sorted(run.unseen())

    assert published.asked(question) == [(SITE + path, 1) for path in ("buoy.html", "pilot.html", "tide.html")]


def test_a_met_page_is_not_named_whatever_it_answered(published):
    import asyncio

    async def session():
        run = published.run()
        await run.start()
        await run.not_modified(SITE + "tide.html", 0)
        run.record(broken("pilot.html"), depth=1)
        unseen = [url for url, _ in run.unseen()]
        return unseen, await run.finish(True)

    unseen, _ = asyncio.run(session())
    assert unseen == [SITE + "buoy.html"]


@pytest.mark.parametrize("fault", ["between upsert and delete", "before upsert", "embedder"])
def test_a_later_step_that_fails_leaves_the_page_to_be_found(published, fault):
    red = BUOY.replace(b"green", b"red")
    store = published.collection
    store.keeps_stale = fault == "between upsert and delete"
    store.fails_after = 0 if fault == "before upsert" else -1
    store.down = fault == "embedder"
    _, summary = published.crawl(*served(buoy=red))
    assert summary.state is RunState.UNPUBLISHED
    assert summary.error is not None
    assert store.paths() == set(PAGES)
    assert ("green light" in store.text()) or ("red light" in store.text())
    assert str(summary.error) in published.last_run().note

    store.keeps_stale, store.fails_after, store.down = False, -1, False
    _, summary = published.crawl(*served(buoy=red))
    assert summary.state is RunState.FINISHED
    assert store.paths() == set(PAGES)
    assert "red light" in store.text()
    assert "green light" not in store.text()
    assert {point for row in published.rows().values() for point in row.point_ids} == set(store.stored)


def test_a_withdrawal_that_fails_is_done_by_the_next_run(published):
    published.collection.keeps_stale = True
    gone = ended("buoy.html", Outcome.GONE, "HTTP 410 Gone", 410)
    _, summary = published.crawl(*served(buoy=gone))
    assert summary.state is RunState.UNPUBLISHED
    assert published.collection.paths() == set(PAGES)
    published.collection.keeps_stale = False
    _, summary = published.crawl(*served(buoy=gone))
    assert (summary.state, summary.withdrawn) == (RunState.FINISHED, 1)
    assert published.collection.paths() == {"tide.html", "pilot.html"}
    assert published.rows()["buoy.html"].state is PageState.TOMBSTONE


# ---------------------------------------------------------------- an end before the end


@pytest.mark.parametrize("gone", [None, ended("pilot.html", Outcome.GONE, "HTTP 410 Gone", 410)], ids=["edit", "410"])
def test_an_interrupted_run_publishes_nothing_half(published, gone):
    points = dict(published.collection.stored)
    steps = [fetched("buoy.html", BUOY.replace(b"green", b"red")), *([gone] if gone else [])]
    _, summary = published.crawl(*steps, completed=False)
    assert summary.state is RunState.INTERRUPTED
    assert published.collection.stored == points
    assert not published.collection.written
    _, summary = published.crawl(fetched("tide.html", TIDE), *([] if gone else [fetched("pilot.html", PILOT)]))
    assert summary.state is RunState.FINISHED
    assert "red light" in published.collection.text()
    assert published.collection.paths() == ({"tide.html", "buoy.html"} if gone else set(PAGES))


def test_what_an_interrupted_run_found_gone_is_looked_at_again_by_a_later_one(published):
    published.crawl(ended("buoy.html", Outcome.GONE, "HTTP 410 Gone", 410), completed=False)
    published.clock.now = published.clock.now.replace(day=25)
    published.collection.forget()
    points = dict(published.collection.stored)
    _, summary = published.crawl(*served())
    assert summary.run_id == 3
    assert is_untouched(published, points)
    assert summary.outcomes == {Outcome.UNCHANGED: 3}


def test_one_run_in_two_sessions_misses_a_page_once(published):
    published.crawl(not_found("buoy.html"), completed=False)
    _, summary = published.crawl(*served(buoy=not_found("buoy.html")))
    assert summary.run_id == 2
    assert published.rows()["buoy.html"].misses == 1
    assert published.collection.paths() == set(PAGES)


# ---------------------------------------------------------------- conditional requests


def test_validators_are_sent_only_while_the_body_they_came_with_is_the_last_word(crawls):
    known = Validators(etag='"1"', last_modified="Mon, 05 Jan 2026 08:00:00 GMT")
    noindex = html("Secret", "Not for search.", head="<meta name=robots content=noindex>")
    crawls.crawl(
        fetched("buoy.html", BUOY, validators=known),
        fetched("secret.html", noindex, validators=known),
        fetched("void.html", b"", validators=known),
        broken("tide.html"),
    )
    crawls.crawl(broken("pilot.html"), broken("buoy.html"))

    def question(run):
        paths = ("buoy.html", "secret.html", "void.html", "tide.html", "pilot.html", "never.html")
        return {path: run.validators(SITE + path) for path in paths}

    offered = crawls.asked(question)
    assert offered.pop("buoy.html") == known, "an error of the server takes nothing from what came before it"
    assert set(offered.values()) == {Validators()}


def test_a_page_whose_content_was_not_taken_is_asked_for_whole(crawls):
    """304 would be said of the empty page, whose validators were never kept; the old ones still fit the old page."""
    first, second = Validators(etag='"full"'), Validators(etag='"void"')
    crawls.crawl(fetched("buoy.html", BUOY, validators=first))
    crawls.crawl(fetched("buoy.html", b"", validators=second))
    assert crawls.asked(lambda run: run.validators(SITE + "buoy.html")) == first


def test_another_recipe_is_made_from_the_archive_after_304(crawls):
    crawls.crawl(fetched("buoy.html", BUOY, validators=Validators(etag='"1"')))
    crawls.collection.forget()
    crawls.collection.recipe = "fake/2"
    [report], summary = crawls.crawl(Same("buoy.html"))
    assert report.outcome.outcome is Outcome.INDEXED
    assert (summary.published, summary.embedded) == (1, 0)
    row = crawls.rows()["buoy.html"]
    assert row.recipe == row.published_recipe
    assert row.etag == '"1"'
    _, summary = crawls.crawl(Same("buoy.html"))
    assert summary.outcomes == {Outcome.UNCHANGED: 1}


def test_a_page_that_must_be_made_anew_is_asked_for_whole_where_the_archive_lost_its_body(crawls):
    crawls.crawl(fetched("buoy.html", BUOY, validators=Validators(etag='"1"')))
    points = set(crawls.collection.stored)
    archive = FileArchive(Settings(**crawls.settings).archive_url)
    archive.discard(Kind.BODY, crawls.rows()["buoy.html"].body_digest)
    crawls.collection.recipe = "fake/2"
    assert crawls.asked(lambda run: run.validators(SITE + "buoy.html")) == Validators()
    crawls.crawl(Same("buoy.html"))
    assert set(crawls.collection.stored) == points, "a server that says 304 all the same takes nothing away"


def test_304_about_a_page_that_nobody_knows_is_no_page(crawls):
    [report], summary = crawls.crawl(Same("never.html"))
    assert report.outcome.outcome is not Outcome.INDEXED
    assert crawls.rows() == {}
    assert summary.published == 0


# ---------------------------------------------------------------- due dates


@pytest.fixture
def unhurried(crawls):
    """Pages that are looked at between every six hours and every four days."""
    crawls.profile |= {"recheck_min": "6h", "recheck_max": "4d"}
    crawls.crawl(*served())
    crawls.collection.forget()
    return crawls


def due(crawls, path, **options):
    return crawls.asked(lambda run: run.is_due(SITE + path, **options))


def test_a_page_that_is_not_due_is_passed_by_and_its_links_are_followed(unhurried):
    points = dict(unhurried.collection.stored)
    assert not due(unhurried, "pilot.html")
    assert due(unhurried, "new.html")
    [report], summary = unhurried.crawl(NotDue("pilot.html"))
    assert [link.url for link in report.links] == [SITE + "buoy.html"]
    assert summary.outcomes[Outcome.UNCHANGED] == 1
    assert unhurried.rows()["pilot.html"].reason.startswith("not due before 2026-01-05T14:0")
    assert is_untouched(unhurried, points)


def test_a_date_beyond_the_longest_wait_makes_it_due(unhurried):
    """The profile was shortened, or the clock was wrong when the date was set."""
    unhurried.clock.now += timedelta(days=4000)
    unhurried.crawl(*served())
    unhurried.clock.now -= timedelta(days=3996)
    assert due(unhurried, "pilot.html"), "the clock was ten years ahead"
    unhurried.crawl(*served())
    assert not due(unhurried, "pilot.html")
    unhurried.profile |= {"recheck_min": "1h", "recheck_max": "2h"}
    assert due(unhurried, "pilot.html"), "it was put off for six hours, two are the most now"


def test_a_sitemap_that_says_it_changed_makes_it_due(unhurried):
    assert due(unhurried, "pilot.html", last_modified=datetime(2026, 1, 5, 8, 30, tzinfo=UTC))
    assert not due(unhurried, "pilot.html", last_modified=datetime(2025, 1, 5, tzinfo=UTC))


def test_doubt_and_a_new_recipe_make_it_due(unhurried):
    unhurried.crawl(broken("pilot.html"), not_found("buoy.html"))
    assert due(unhurried, "pilot.html")
    assert due(unhurried, "buoy.html")
    assert not due(unhurried, "tide.html")
    unhurried.collection.recipe = "fake/2"
    assert due(unhurried, "tide.html")


def test_the_wait_doubles_while_nothing_changes(unhurried):
    waits = []
    for _ in range(5):
        unhurried.clock.now += timedelta(days=5)
        unhurried.crawl(fetched("buoy.html", BUOY))
        waits.append(unhurried.rows()["buoy.html"].interval_seconds / 3600)
    assert waits == [12, 24, 48, 96, 96]


def test_a_page_passed_by_keeps_its_date(unhurried):
    before = unhurried.rows()["pilot.html"]
    for _ in range(3):
        unhurried.crawl(NotDue("pilot.html"))
    after = unhurried.rows()["pilot.html"]
    assert (after.due_at, after.interval_seconds) == (before.due_at, before.interval_seconds)
    assert after.state is PageState.LIVE
