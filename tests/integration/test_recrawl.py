"""Crawling a site again over the wire: less is fetched, nothing is lost on doubt, proof withdraws."""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from mock_pages import links, simple
from mock_site import Reply, Request, redirect, text

if TYPE_CHECKING:
    from mock_embeddings import MockEmbeddings
    from mock_site import MockSite
    from product import Workspace

START = "/docs/"
BERTHS = tuple(f"/docs/berth-{n}.html" for n in range(1, 13))
PAGES = (START, *BERTHS)
LOGIN = simple(
    "Sign in",
    "<form method=post action=/session><p>Sign in to read on.</p><input name=user><input type=password name=secret>"
    "<button>Sign in</button></form>",
)
NEVER = "There is no such page in this handbook. Begin at the list of all chapters, or ask the harbour office."


def tagged(reply: Reply) -> Reply:
    """The reply with an entity tag of its body."""
    body = reply.body.encode() if isinstance(reply.body, str) else reply.body
    return replace(reply, etag=f'"{zlib.crc32(body):08x}"')


def berth(path: str, *, link: str = "") -> Reply:
    """A page of its own; each links to the next one alone, so that a crawl follows a chain."""
    name = path.removesuffix(".html").rpartition("-")[2]
    body = f"<p>Berth {name} takes ships of {name}0 metres. Its ladder has {name}1 rungs of iron.</p>"
    return tagged(simple(f"Berth {name}", body + (links(link) if link else "")))


@pytest.fixture
def crawled(site: MockSite, workspace: Workspace) -> Workspace:
    """Twelve berths behind a start page, each but the last with a link to the next; crawled once."""
    site.prefixes.clear()
    site.routes = {"/robots.txt": text("User-agent: *\nAllow: /\n")}
    site.routes[START] = tagged(simple("Harbour", "<p>The berths of the harbour, one by one.</p>" + links(BERTHS[0])))
    for path, following in zip(BERTHS, (*BERTHS[1:], ""), strict=True):
        site.routes[path] = berth(path, link=following)
    workspace.write_site(site.url + START)
    run = workspace.crawl()
    assert run.code == 0, run
    assert found(site, workspace) == set(PAGES)
    site.forget()
    return workspace


def found(site: MockSite, workspace: Workspace) -> set[str]:
    """Paths of the pages that a search can find."""
    return {point["metadata"]["url"].removeprefix(site.url) for point in workspace.points().values()}


def told(workspace: Workspace) -> str:
    """What ``wrac status`` says."""
    status = workspace.wrac("status")
    assert status.code == 0, status
    return status.output


def test_unchanged_pages_are_not_sent_again_and_their_links_are_followed(
    site: MockSite, crawled: Workspace, embeddings: MockEmbeddings
) -> None:
    points = crawled.points()
    embeddings.texts.clear()
    again = crawled.crawl()
    assert again.code == 0, again
    statuses = [(target, status) for target, status in site.log.statuses if target in PAGES]
    assert sorted(statuses) == sorted((path, 304) for path in PAGES), "each is asked for once, and none is sent"
    assert embeddings.texts == []
    assert crawled.points() == points
    assert "0 texts embedded" in again.output


def whole_site(answer: Reply) -> dict[str, Reply]:
    return dict.fromkeys(PAGES, answer)


TROUBLES = {
    "503": (whole_site(Reply("<h1>Maintenance</h1>", status=503)), "503"),
    "empty page": (whole_site(Reply("<html><head><title>Docs</title></head><body></body></html>")), "empty"),
    "login form": (whole_site(LOGIN), "login"),
    "redirect to a login": (whole_site(redirect("/login?next=/docs/")), "login"),
    "robots.txt forbids": ({"/robots.txt": text("User-agent: *\nDisallow: /\n")}, "robots"),
}


def test_a_site_in_trouble_loses_nothing_and_the_run_says_why(site: MockSite, crawled: Workspace) -> None:
    points, routes = crawled.points(), dict(site.routes)
    for trouble, (answers, word) in TROUBLES.items():
        site.routes = routes | answers | {"/login": LOGIN}
        run = crawled.crawl()
        assert run.code == 4, (trouble, run)
        assert word in run.errors.casefold(), (trouble, run)
        assert crawled.points() == points, trouble
        [(note,)] = crawled.query("select note from runs order by run_id desc limit 1")
        assert word in note.casefold(), trouble
        assert note in told(crawled), trouble
    site.routes = routes
    again = crawled.crawl()
    assert again.code == 0, again
    assert crawled.points() == points


def test_trouble_of_some_pages_keeps_them_and_is_no_success(site: MockSite, crawled: Workspace) -> None:
    points = crawled.points()
    answers = [answer[START] for answer, _ in (TROUBLES[name] for name in list(TROUBLES)[:4])]
    for path, answer in zip(BERTHS[4:8], answers, strict=True):
        site.routes[path] = answer
    site.routes["/robots.txt"] = text(f"User-agent: *\nDisallow: {BERTHS[9]}\n")
    run = crawled.crawl()
    assert run.code == 3, run
    assert crawled.points() == points
    kept = {crawled.outcome(site.url + path) for path in BERTHS[4:8]}
    assert kept == {"http-error", "empty", "login-wall"}
    assert crawled.outcome(site.url + BERTHS[9]) == "robots-denied"
    explained = crawled.wrac("explain", site.url + BERTHS[4])
    assert "keep" in explained.output, explained
    assert "503" in explained.output


def test_pages_that_nothing_links_to_any_more_are_asked_for_by_themselves(site: MockSite, crawled: Workspace) -> None:
    """The crawl comes by one page of thirteen."""
    site.routes[START] = tagged(simple("Harbour", "<p>The berths of the harbour, one by one.</p>"))
    site.routes[BERTHS[3]] = Reply("Gone", status=404)
    for _ in range(2):
        site.forget()
        run = crawled.crawl()
        assert run.code == 0, run
        assert {path for path in PAGES if site.times(path) == 1} == set(PAGES)
    assert found(site, crawled) == {*PAGES} - {BERTHS[3]}, "one was missed twice; of the others nothing is concluded"


def test_the_loss_guard_stops_a_publish_and_a_person_lets_it_pass(site: MockSite, crawled: Workspace) -> None:
    points, routes = crawled.points(), dict(site.routes)
    site.routes |= dict.fromkeys(BERTHS[7:10], Reply("Gone", status=410))
    run = crawled.crawl()
    assert run.code == 7, run
    for said in (run.errors, told(crawled)):
        assert "would lose 3 of 13 pages" in said, said
        assert "--accept-loss" in said
    assert crawled.points() == points

    accepted = crawled.crawl("-a", "accept_loss=true")
    assert accepted.code == 0, accepted
    assert found(site, crawled) == set(PAGES) - set(BERTHS[7:10])

    site.routes = routes
    mended = crawled.crawl()
    assert mended.code == 0, mended
    assert crawled.points().keys() == points.keys()
    assert "0 texts embedded" in mended.output, mended


def test_a_site_that_answers_everything_with_success_loses_pages_by_two_looks_as_well(
    site: MockSite, crawled: Workspace
) -> None:
    before = found(site, crawled)

    def sorry(request: Request) -> Reply:
        return simple("Not here", f"<p>{NEVER}</p>", head='<link rel="canonical" href="/docs/">')

    site.prefixes["/"] = sorry
    del site.routes[BERTHS[11]]
    run = crawled.crawl()
    assert run.code == 0, run
    assert found(site, crawled) == before
    assert crawled.outcome(site.url + BERTHS[11]) == "gone"
    crawled.crawl()
    assert found(site, crawled) == before - {BERTHS[11]}


def test_an_answer_304_that_forbids_indexing_is_heeded(site: MockSite, crawled: Workspace) -> None:
    """The header came by the server's configuration: the page, and so its entity tag, is the same."""
    known = site.routes[BERTHS[2]]
    assert isinstance(known, Reply)
    site.routes[BERTHS[2]] = replace(known, headers=(("X-Robots-Tag", "noindex"),))
    run = crawled.crawl()
    assert run.code == 0, run
    assert found(site, crawled) == set(PAGES) - {BERTHS[2]}


def test_pages_that_are_not_due_are_not_asked_for(site: MockSite, crawled: Workspace) -> None:
    crawled.write_site(site.url + START, recheck_min="6h", recheck_max="4d")
    assert crawled.crawl().code == 0
    site.forget()
    run = crawled.crawl()
    assert run.code == 0, run
    assert [path for path in site.targets if path in PAGES] == [START], "only where the crawl begins"
    assert {crawled.outcome(site.url + path) for path in PAGES} == {"unchanged"}
    assert found(site, crawled) == set(PAGES)
