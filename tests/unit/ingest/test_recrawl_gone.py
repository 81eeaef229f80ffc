"""Pages that are gone, forbidden or elsewhere: withdrawn on proof, with the evidence, and back when they are."""

import pytest
from made_up_crawls import SITE, Same, broken, ended, fetched, html, not_found, redirected

from ingest.ledger.rows import PageState
from wrac.records import Outcome, Validators

PILOT = html("Pilot", "The pilot boards at the outer buoy.")
BUOY = html("Buoy", "The outer buoy shows a green light every four seconds.")
CRANE = html("Crane", "The crane lifts sixty tons in calm weather and half of that in wind.")
PAGES = {"pilot.html": PILOT, "buoy.html": BUOY, "crane.html": CRANE}
NOINDEX = html("Buoy", "The outer buoy shows a green light.", head="<meta name=robots content=noindex>")
GONE_FOR_GOOD = ended("buoy.html", Outcome.GONE, "HTTP 410 Gone", 410)


@pytest.fixture
def published(crawls):
    crawls.crawl(*served())
    crawls.collection.forget()
    return crawls


def served(buoy=None, *more):
    """All pages, with something else instead of the buoy where that is given."""
    pages = [fetched(path, body) for path, body in PAGES.items() if buoy is None or path != "buoy.html"]
    return [*pages, *([] if buoy is None else [buoy]), *more]


def is_withdrawn(crawls, path="buoy.html"):
    row = crawls.rows()[path]
    return path not in crawls.collection.paths() and row.point_ids == () and row.tombstoned_at != ""


# ---------------------------------------------------------------- 404


def test_404_once_is_kept_twice_is_withdrawn_and_back_again_is_restored(published):
    points = dict(published.collection.stored)
    _, summary = published.crawl(*served(not_found("buoy.html")))
    assert published.collection.stored == points
    assert (summary.missing, summary.withdrawn) == (1, 0)
    assert published.rows()["buoy.html"].misses == 1

    _, summary = published.crawl(*served(not_found("buoy.html")))
    assert is_withdrawn(published)
    assert (summary.missing, summary.withdrawn) == (0, 1)
    assert published.collection.paths() == {"pilot.html", "crane.html"}

    published.collection.forget()
    _, summary = published.crawl(*served())
    assert published.collection.stored.keys() == points.keys(), "the same point ids"
    assert published.collection.embedded == []
    assert (summary.published, summary.embedded, summary.reused) == (1, 0, 1)
    assert [made for made, _ in published.decisions("buoy.html")] == ["missing", "tombstone", "restore"]
    row = published.rows()["buoy.html"]
    assert (row.state, row.misses, row.tombstoned_at) == (PageState.LIVE, 0, "")


def test_a_page_that_is_found_between_two_misses_is_not_withdrawn(published):
    for answer in (not_found("buoy.html"), None, not_found("buoy.html"), None, not_found("buoy.html")):
        published.crawl(*served(answer))
        assert published.collection.paths() == set(PAGES)
    assert published.collection.embedded == []


def test_an_error_between_two_misses_takes_no_part(published):
    """It says neither that the page is there nor that it is not."""
    published.crawl(*served(not_found("buoy.html")))
    _, summary = published.crawl(*served(broken("buoy.html")))
    assert published.rows()["buoy.html"].misses == 1
    assert (summary.missing, summary.kept) == (0, {Outcome.HTTP_ERROR: 1}), "this run did not find it missing"
    assert published.collection.paths() == set(PAGES)


@pytest.mark.parametrize("runs", [1, 3])
def test_how_many_runs_must_miss_a_page_is_the_profiles(published, runs):
    published.profile["missing_runs"] = runs
    for missed in range(1, runs + 1):
        assert "buoy.html" in published.collection.paths()
        published.crawl(*served(not_found("buoy.html")))
        assert is_withdrawn(published) == (missed == runs)


def test_a_page_that_was_withdrawn_and_is_gone_is_no_news(published):
    published.crawl(*served(GONE_FOR_GOOD))
    made = published.decisions("buoy.html")
    published.collection.forget()
    for _ in range(2):
        _, summary = published.crawl(*served(GONE_FOR_GOOD))
        assert (summary.withdrawn, summary.missing, summary.kept) == (0, 0, {})
    assert published.decisions("buoy.html") == made
    assert not published.collection.written


def test_one_run_misses_a_page_once_however_often_it_meets_it(published):
    published.crawl(*served(not_found("buoy.html"), not_found("buoy.html"), not_found("buoy.html")))
    assert published.rows()["buoy.html"].misses == 1
    assert published.collection.paths() == set(PAGES)


def test_one_run_misses_a_page_once_whatever_it_answers_each_time(published):
    steps = served(redirected("buoy.html", ""), redirected("buoy.html", ""), not_found("buoy.html"))
    published.crawl(*steps, missing="")
    assert published.rows()["buoy.html"].misses == 1
    assert published.collection.paths() == set(PAGES)


# ---------------------------------------------------------------- proof


PROOFS = {
    "410": (GONE_FOR_GOOD, "410"),
    "noindex": (fetched("buoy.html", NOINDEX), "noindex"),
    "noindex by header": (fetched("buoy.html", BUOY, robots_tag="noindex"), "noindex"),
    "redirect": (redirected("buoy.html", "pilot.html"), SITE + "pilot.html"),
    "canonical": (
        fetched("buoy.html", PILOT.replace(b"</title>", b"</title><link rel=canonical href=/pilot.html>")),
        SITE + "pilot.html",
    ),
    "copy": (fetched("buoy.html", PILOT), SITE + "pilot.html"),
    "scope": (ended("buoy.html", Outcome.OUT_OF_SCOPE, "outside of the profile's scope"), "profile"),
}


@pytest.mark.parametrize("proof", PROOFS)
def test_proof_withdraws_a_page_at_once_with_the_evidence(published, proof):
    answer, told = PROOFS[proof]
    _, summary = published.crawl(*served(answer))
    assert is_withdrawn(published)
    assert published.collection.paths() == {"pilot.html", "crane.html"}
    assert summary.withdrawn == 1
    assert summary.kept == {}
    made, why = published.decisions("buoy.html")[-1]
    assert made == "tombstone"
    assert told in why
    assert published.rows()["buoy.html"].tombstoned_at.startswith("2026-01-05T08:")

    published.collection.forget()
    published.crawl(*served())
    assert published.collection.paths() == set(PAGES), "what comes back is restored"
    assert published.collection.embedded == []


@pytest.mark.parametrize("proof", PROOFS)
def test_proof_stays_proof_in_the_next_run(published, proof):
    answer, _ = PROOFS[proof]
    published.crawl(*served(answer))
    published.collection.forget()
    _, summary = published.crawl(*served(answer))
    assert is_withdrawn(published)
    assert not published.collection.written
    assert summary.withdrawn == 0


@pytest.mark.parametrize("proof", PROOFS)
def test_in_whatever_order_the_evidence_comes(published, proof):
    answer, _ = PROOFS[proof]
    published.crawl(answer, *served(answer)[:-1])
    assert is_withdrawn(published)
    assert published.collection.paths() == {"pilot.html", "crane.html"}


def test_a_language_that_the_profile_drops_is_withdrawn(crawls):
    german = html("Lotse", "Der Lotse kommt an der Tonne an Bord.").replace(b"lang=en", b"lang=de")
    pages = [fetched("lotse.html", german), *served()]
    crawls.crawl(*pages)
    crawls.profile["languages"] = ("en",)
    crawls.crawl(*pages)
    assert is_withdrawn(crawls, "lotse.html")
    assert "profile" in crawls.decisions("lotse.html")[-1][1]


@pytest.mark.parametrize("before", [b"lang=en", b""], ids=["English before", "undeclared before"])
def test_a_server_that_sends_another_language_proves_nothing(crawls, before):
    """The profile is as it was: it is the answer that changed, by a cookie wall or a guess at the visitor's country."""
    crawls.profile["languages"] = ("en",)
    crawls.crawl(*served(fetched("buoy.html", BUOY.replace(b"lang=en", before))))
    german = html("Tonne", "Die Tonne blinkt alle vier Sekunden.").replace(b"lang=en", b"lang=de")
    for _ in range(2):
        _, summary = crawls.crawl(*served(fetched("buoy.html", german)))
        assert crawls.collection.paths() == set(PAGES)
        assert summary.kept == {Outcome.LANGUAGE: 1}


# ---------------------------------------------------------------- where a redirect or a canonical proves nothing


NOT_INDEXED = {
    "was never met": (),
    "is gone": (not_found("new.html"),),
    "fails": (broken("new.html"),),
    "is empty": (fetched("new.html", b""),),
    "asks for a login": (ended("new.html", Outcome.LOGIN_WALL, "HTTP 401"),),
}


@pytest.mark.parametrize("fate", NOT_INDEXED)
def test_a_redirect_to_a_page_that_is_not_indexed_keeps_the_old_one(published, fate):
    for _ in range(2):
        _, summary = published.crawl(*served(redirected("buoy.html", "new.html"), *NOT_INDEXED[fate]))
        assert published.collection.paths() == set(PAGES)
        assert summary.kept[Outcome.REDIRECTED] == 1


@pytest.mark.parametrize("fate", NOT_INDEXED)
def test_a_canonical_that_is_not_indexed_takes_nothing_away(published, fate):
    page = BUOY.replace(b"</title>", b"</title><link rel=canonical href=/new.html>")
    published.crawl(*served(fetched("buoy.html", page), *NOT_INDEXED[fate]))
    assert published.collection.paths() == set(PAGES)
    assert published.collection.embedded == []


def test_redirects_one_after_another_lead_to_the_page_at_their_end(published):
    published.crawl(
        *served(redirected("buoy.html", "b.html"), redirected("b.html", "c.html"), redirected("c.html", "pilot.html"))
    )
    assert is_withdrawn(published)
    assert SITE + "pilot.html" in published.decisions("buoy.html")[-1][1]


def test_a_redirect_is_decided_once_when_the_fate_of_its_target_is_known(published):
    for target, decision in (("new.html", "keep"), ("pilot.html", "tombstone")):
        published.crawl(*served(redirected("buoy.html", target)))
        assert published.decisions("buoy.html")[-1][0] == decision
    assert len(published.decisions("buoy.html")) == 2
    assert published.decisions("buoy.html")[-1][1] == f"is indexed as {SITE}pilot.html | to pilot.html"
    assert published.last_run().figures.get("pages_keep", 0) == 0


def test_a_redirect_of_a_page_that_was_about_to_leave_keeps_it(published):
    """It was found forbidden, but the publish was stopped; what it answers now proves nothing."""
    leave = [fetched(path, NOINDEX) for path in PAGES]
    published.crawl(*leave)
    assert {row.state for row in published.rows().values()} == {PageState.LEAVING}
    _, summary = published.crawl(*(redirected(path, "nowhere.html") for path in PAGES))
    assert summary.error is None
    assert published.collection.paths() == set(PAGES)


def test_redirects_in_a_ring_prove_nothing(published):
    published.profile["loss_guard"] = 1.0
    ring = [redirected("buoy.html", "crane.html"), redirected("crane.html", "buoy.html")]
    for steps in (ring, ring[::-1], [redirected("buoy.html", "buoy.html"), *ring[1:]]):
        _, summary = published.crawl(fetched("pilot.html", PILOT), *steps)
        assert summary.error is None
        assert published.collection.paths() == set(PAGES)


def test_two_pages_that_name_each_other_are_never_both_withdrawn(published):
    swapped = [
        fetched("buoy.html", BUOY.replace(b"</title>", b"</title><link rel=canonical href=/buoy2.html>")),
        fetched("buoy2.html", BUOY.replace(b"</title>", b"</title><link rel=canonical href=/buoy.html>")),
    ]
    for pages in (swapped, swapped[::-1], swapped):
        published.crawl(*served(pages[0], pages[1]))
        assert published.collection.paths() == set(PAGES)
        assert "green light" in published.collection.text()


# ---------------------------------------------------------------- moved


@pytest.mark.parametrize("first", ["old", "new"])
@pytest.mark.parametrize("way", ["404", "410", "redirect"])
def test_a_page_that_moved_is_indexed_where_it_is_now_without_embedding(published, first, way):
    left = {
        "404": not_found("buoy.html"),
        "410": GONE_FOR_GOOD,
        "redirect": redirected("buoy.html", "signals/buoy.html"),
    }[way]
    arrived = fetched("signals/buoy.html", BUOY)
    for _ in range(2):
        published.crawl(*served(*([left, arrived] if first == "old" else [arrived, left])))
        assert "signals/buoy.html" in published.collection.paths(), "at once, in whatever order the two were met"
        assert "green light" in published.collection.text()
    assert published.collection.paths() == {"pilot.html", "crane.html", "signals/buoy.html"}
    assert published.collection.embedded == []
    assert is_withdrawn(published)


# ---------------------------------------------------------------- copies


def copies_of(crawls):
    return crawls.collection.paths() & {"a.html", "b.html", "c.html"}


@pytest.mark.parametrize("order", ["abc", "cba", "bca"])
def test_which_copy_is_indexed_does_not_flip_between_runs(crawls, order):
    crawls.crawl(fetched("pilot.html", PILOT), *(fetched(f"{name}.html", BUOY) for name in "bac"))
    [indexed] = copies_of(crawls)
    crawls.collection.forget()
    for body in (BUOY, BUOY.replace(b"<main>", b"<nav>menu</nav><main>"), BUOY):
        crawls.crawl(fetched("pilot.html", PILOT), *(fetched(f"{name}.html", body) for name in order))
        assert copies_of(crawls) == {indexed}
    assert not crawls.collection.written
    assert crawls.collection.embedded == []


@pytest.mark.parametrize("copy_first", [True, False])
def test_a_new_copy_does_not_take_the_place_of_the_page(published, copy_first):
    copy = fetched("a.html", BUOY)
    published.crawl(*([copy, *served()] if copy_first else [*served(), copy]))
    assert published.collection.paths() == set(PAGES)
    assert not published.collection.written
    assert published.rows()["a.html"].state is PageState.VARIANT


@pytest.mark.parametrize("way", ["404", "410", "noindex", "edited"])
@pytest.mark.parametrize("copy_first", [True, False])
def test_a_copy_takes_over_when_the_page_goes(published, way, copy_first):
    published.crawl(*served(), fetched("a.html", BUOY))
    published.collection.forget()
    left = {
        "404": not_found("buoy.html"),
        "410": GONE_FOR_GOOD,
        "noindex": fetched("buoy.html", NOINDEX),
        "edited": fetched("buoy.html", html("Buoy", "The outer buoy was replaced by a lighthouse.")),
    }[way]
    for _ in range(2):
        steps = [left, fetched("a.html", BUOY)]
        published.crawl(*served(*(steps[::-1] if copy_first else steps)))
        assert "green light every four seconds" in published.collection.text(), "search never misses the text"
    assert "a.html" in published.collection.paths()
    assert ("buoy.html" in published.collection.paths()) == (way == "edited")
    assert all("green" not in text for text in published.collection.embedded)


@pytest.mark.parametrize("copy_first", [True, False])
def test_by_304_a_copy_takes_over_as_well(crawls, copy_first):
    tag = Validators(etag='"1"')
    crawls.crawl(*served(), fetched("a.html", BUOY, validators=tag))
    steps = [Same("a.html"), GONE_FOR_GOOD] if copy_first else [GONE_FOR_GOOD, Same("a.html")]
    crawls.crawl(*served(*steps))
    assert crawls.collection.paths() == {"pilot.html", "crane.html", "a.html"}


@pytest.mark.parametrize("copy_first", [True, False])
def test_after_a_short_absence_one_of_two_copies_is_indexed_again(published, copy_first):
    published.crawl(*served(), fetched("a.html", BUOY))
    published.crawl(*served(not_found("buoy.html")), fetched("a.html", BUOY))
    steps = [fetched("buoy.html", BUOY), fetched("a.html", BUOY)]
    for _ in range(2):
        published.crawl(*served(*(steps[::-1] if copy_first else steps)))
    assert len(published.collection.paths() & {"buoy.html", "a.html"}) == 1
    assert len(published.collection.stored) == 3


def test_a_page_in_doubt_keeps_its_place_before_its_copy(published):
    for _ in range(2):
        published.crawl(*served(broken("buoy.html")), fetched("a.html", BUOY))
        assert published.collection.paths() == set(PAGES)
