"""Soft 404s: a site that answers with success for what does not exist."""

import pytest
from made_up_crawls import SITE, fetched, html, redirected

from ingest.ledger.rows import PageState
from wrac.records import Outcome

HOME = html("Harbour", "The handbook of the harbour office, for pilots, clerks and crane drivers.")
BUOY = html("Buoy", "The outer buoy shows a green light every four seconds.")
SORRY = (
    "We could not find what you were looking for. Perhaps it was moved when the handbook was printed anew.",
    "Search for it by its title, or begin at the list of all chapters.",
)
MISSING = fetched("no-such-page-1f", html("Page not found", *SORRY))
PILOT = fetched("pilot.html", html("Pilot", "The pilot boards at the outer buoy."))


def lost(path, *more, head=""):
    """The site's answer for a page that it lost."""
    return fetched(path, html("Page not found", *SORRY, *more, head=head))


@pytest.fixture
def published(crawls):
    crawls.crawl(fetched("", HOME), PILOT, fetched("buoy.html", BUOY), missing=MISSING)
    crawls.collection.forget()
    return crawls


def recrawl(crawls, *steps, missing=MISSING):
    return crawls.crawl(fetched("", HOME), PILOT, *steps, missing=missing)[1]


def is_missed_and_then_withdrawn(crawls, answer, missing=MISSING):
    points = dict(crawls.collection.stored)
    summary = recrawl(crawls, answer, missing=missing)
    assert crawls.collection.stored == points, "once is no proof"
    assert (summary.missing, summary.withdrawn) == (1, 0)
    assert crawls.outcomes()["buoy.html"] == "gone"
    summary = recrawl(crawls, answer, missing=missing)
    assert summary.withdrawn == 1
    assert crawls.collection.paths() == {"", "pilot.html"}
    assert [made for made, _ in crawls.decisions("buoy.html")] == ["missing", "tombstone"]
    assert crawls.collection.embedded == []
    return True


def test_a_page_like_the_one_for_unknown_addresses_is_missing(published):
    assert is_missed_and_then_withdrawn(published, lost("buoy.html"))
    assert "do not exist" in published.rows()["buoy.html"].reason
    recrawl(published, fetched("buoy.html", BUOY))
    assert "green light" in published.collection.text()
    assert published.collection.embedded == []


def test_small_differences_do_not_hide_it(published):
    assert is_missed_and_then_withdrawn(published, lost("buoy.html", "You asked for /buoy.html."))


@pytest.mark.parametrize("canonical", ["/", "/404.html", "/pilot.html"])
def test_a_canonical_in_its_head_does_not_hide_it(published, canonical):
    assert is_missed_and_then_withdrawn(published, lost("buoy.html", head=f"<link rel=canonical href={canonical}>"))


def test_a_redirect_to_where_unknown_addresses_lead_is_missing(published):
    assert is_missed_and_then_withdrawn(published, redirected("buoy.html", ""), missing="")


def test_an_application_that_answers_everything_with_its_home_page(published):
    """Not a copy of the home page, which would be proof at once, but an address that may have gone."""
    assert is_missed_and_then_withdrawn(published, fetched("buoy.html", HOME), missing=fetched("no-such-page-1f", HOME))
    assert published.rows()[""].state is PageState.LIVE


def test_the_start_page_never_is_one(crawls):
    for _ in range(3):
        crawls.crawl(fetched("", HOME), depth=0, missing=fetched("no-such-page-1f", HOME))
    assert crawls.collection.paths() == {""}
    for _ in range(3):
        crawls.crawl(redirected("", "index.html"), depth=0, missing="index.html")
    assert crawls.collection.paths() == {""}


def test_a_new_address_that_does_not_exist_is_not_indexed(published):
    summary = recrawl(published, fetched("buoy.html", BUOY), lost("typo.html"), lost("typo2.html"))
    assert published.collection.paths() == {"", "pilot.html", "buoy.html"}
    assert published.outcomes()["typo.html"] == published.outcomes()["typo2.html"] == "gone"
    assert summary.missing == 0


def test_a_redirect_elsewhere_proves_what_redirects_prove(published):
    recrawl(published, redirected("buoy.html", "pilot.html"), missing="")
    assert published.collection.paths() == {"", "pilot.html"}
    assert published.outcomes()["buoy.html"] == "redirected"


def test_pages_that_merely_resemble_it_are_content(crawls):
    help_page = fetched(
        "help.html",
        html("Help", SORRY[1], "The harbour office answers by telephone between eight and twelve on weekdays."),
    )
    long_page = lost("long.html", *(f"Chapter {n} has {n} pages about mooring and {n} about fog." for n in range(30)))
    for _ in range(2):
        crawls.crawl(fetched("", HOME), help_page, long_page, missing=MISSING)
        assert crawls.collection.paths() == {"", "help.html", "long.html"}


@pytest.mark.parametrize(
    "probe",
    [
        fetched("no-such-page-1f", b""),
        fetched("no-such-page-1f", html("Sorry", head="<meta name=robots content=noindex>")),
        fetched("no-such-page-1f", b"\x00\x01\x02"),
    ],
    ids=["empty", "noindex", "binary"],
)
def test_from_an_answer_without_content_nothing_is_learnt(published, probe):
    points = dict(published.collection.stored)
    for _ in range(2):
        summary = recrawl(published, fetched("buoy.html", BUOY), missing=probe)
        assert summary.outcomes == {Outcome.UNCHANGED: 3}
    assert published.collection.stored == points


def test_the_probe_is_no_page_of_the_site(published):
    assert set(published.rows()) == {"", "pilot.html", "buoy.html"}
    assert not any("no-such-page" in url for url in published.collection.urls())
    assert SITE + "no-such-page-1f" not in published.collection.text()
