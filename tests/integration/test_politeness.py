"""What the owner of a site sees of a crawl."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from mock_faults import generated
from mock_pages import START
from mock_site import Reply, text

if TYPE_CHECKING:
    from mock_site import MockSite
    from product import Workspace

TOLERANCE = 0.2
"""Seconds by which a busy machine may see two requests closer together than they were sent; it cannot add up."""


def starts(site: MockSite) -> list[float]:
    return [request.started for request in site.log.requests if request.path.startswith("/docs/")]


def test_crawl_delay_of_robots_txt_is_kept(site: MockSite, workspace: Workspace) -> None:
    site.routes = generated(4, sections=1) | {"/robots.txt": text("User-agent: *\nCrawl-delay: 1\nDisallow:\n")}
    workspace.write_site(site.url + START, concurrency=4, sitemap=False)
    run = workspace.crawl()
    assert run.code == 0, run
    gaps = [later - earlier for earlier, later in pairwise(starts(site))]
    assert len(gaps) == 5, "a start page, four pages, and the page that does not exist"
    assert min(gaps) >= 1 - TOLERANCE, gaps
    assert sum(gaps) >= len(gaps) - TOLERANCE, gaps


def test_the_delay_of_the_profile_is_kept(site: MockSite, workspace: Workspace) -> None:
    site.forget()
    site.routes = generated(5, sections=1)
    workspace.write_site(site.url + START, delay=0.4, concurrency=4, sitemap=False)
    assert workspace.crawl().code == 0
    gaps = [later - earlier for earlier, later in pairwise(starts(site))]
    assert min(gaps) >= 0.4 - TOLERANCE, gaps
    assert sum(gaps) >= 0.4 * len(gaps) - TOLERANCE, gaps


def test_no_more_requests_at_a_time_than_the_profile_allows(site: MockSite, workspace: Workspace) -> None:
    site.forget()
    pages = generated(21, sections=1)

    def slowly(reply: Reply) -> Reply:
        return Reply(reply.body, delay=0.15)

    site.routes = {path: slowly(page) if isinstance(page, Reply) else page for path, page in pages.items()}
    workspace.write_site(site.url + START, concurrency=2, sitemap=False)
    run = workspace.crawl()
    assert run.code == 0, run
    assert site.log.most_at_once == 2
    assert len(starts(site)) == len(set(site.targets) - {"/robots.txt"}), "a page was asked for twice"


def test_the_profile_may_name_a_contact(site: MockSite, workspace: Workspace) -> None:
    site.forget()
    site.routes = generated(1, sections=1)
    workspace.write_site(site.url + START, contact="https://ops.example.org/crawler", sitemap=False)
    assert workspace.crawl().code == 0
    agents = {request.headers["user-agent"] for request in site.log.requests}
    assert len(agents) == 1
    assert "https://ops.example.org/crawler" in agents.pop()
