"""A crawl that is stopped, politely or not, goes on where it was and asks for no finished page again."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

import pytest
from mock_faults import generated
from mock_pages import START, simple
from mock_site import Reply
from product import Workspace

if TYPE_CHECKING:
    from mock_embeddings import MockEmbeddings
    from mock_site import MockSite, Request, Route
    from product import Finished, Running

PAGES = 60
RESUMABLE = 6
DONE = ("gathered", "live", "held")


@pytest.fixture
def slow_site(site: MockSite) -> MockSite:
    def slowly(route: Route) -> Route:
        return Reply(route.body, delay=0.1) if isinstance(route, Reply) else route

    site.forget()
    site.routes = {path: slowly(route) for path, route in generated(PAGES, sections=1).items()}
    return site


def all_pages(site: MockSite) -> set[str]:
    return {f"{site.url}/docs/p/{number}.html" for number in range(PAGES)} | {site.url + START}


def started(site: MockSite, workspace: Workspace, requests: int) -> Running:
    workspace.write_site(site.url + START, sitemap=False, concurrency=2)
    running = workspace.start_crawl()
    running.wait_until(lambda: len(site.targets) > requests)
    return running


def done(workspace: Workspace) -> set[str]:
    return {url for url, row in workspace.rows().items() if row.state in DONE}


def check_whole(site: MockSite, workspace: Workspace, run: Finished) -> None:
    assert run.code == 0, run
    rows = workspace.rows()
    assert {url for url, row in rows.items() if row.state == "live"} == all_pages(site)
    payloads = workspace.points().values()
    assert {payload["metadata"]["url"] for payload in payloads} == all_pages(site)
    assert len(payloads) == len({payload["page_content"] for payload in payloads}), "a chunk is stored twice"
    assert {point for row in rows.values() for point in row.points} == set(workspace.points())


def test_sigint_stops_in_order_and_the_same_command_goes_on(
    slow_site: MockSite, workspace: Workspace, embeddings: MockEmbeddings
) -> None:
    embeddings.texts.clear()
    running = started(slow_site, workspace, 25)
    running.interrupt()
    stopped = running.finish(120)
    assert stopped.code == RESUMABLE, stopped
    assert "Traceback" not in stopped.everything, stopped
    assert "scrapy crawl docs_site" in stopped.everything or "wrac crawl" in stopped.everything, stopped
    assert running.group_is_gone(), "worker processes were left behind"
    finished = done(workspace)
    answered = {slow_site.url + target for target, status in slow_site.log.statuses if target.startswith("/docs/")}
    assert len(finished) >= 15
    forgotten = {url for url in answered - finished if "/no-such-page-" not in url}
    assert forgotten == set(), "a page was fetched and then forgotten"

    slow_site.forget()
    run = workspace.crawl()
    check_whole(slow_site, workspace, run)
    again = {slow_site.url + target for target in slow_site.targets} & finished
    assert again == set(), "finished pages were fetched again"
    assert len(embeddings.texts) == len(set(embeddings.texts)), "a text was paid for twice"


def test_sigkill_loses_nothing_that_was_finished(slow_site: MockSite, workspace: Workspace) -> None:
    running = started(slow_site, workspace, 40)
    running.kill()
    running.finish(10)
    assert running.group_is_gone(), "worker processes outlive their foreman"
    finished = done(workspace)
    assert len(finished) >= 10, "at most the last batch of rows may be lost"

    slow_site.forget()
    run = workspace.crawl()
    check_whole(slow_site, workspace, run)
    assert {slow_site.url + target for target in slow_site.targets} & finished == set()


def test_sigkill_while_publishing_leaves_no_page_half(site: MockSite, workspace: Workspace) -> None:
    """Killed after the last page was fetched, while points are written."""
    site.forget()
    site.routes = generated(PAGES, sections=1)
    workspace.write_site(site.url + START, sitemap=False, concurrency=8)
    running = workspace.start_crawl()
    running.wait_until(lambda: len(site.targets) >= PAGES)
    running.kill()
    running.finish(10)
    assert running.group_is_gone()
    check_whole(site, workspace, workspace.crawl())


def test_a_second_crawl_of_the_same_site_at_the_same_time_is_refused(site: MockSite, workspace: Workspace) -> None:
    refused_already = Event()

    def waiting(_: Request) -> Reply:
        refused_already.wait(240)
        return simple("Register", "<p>Served once the other crawl was refused.</p>")

    site.forget()
    site.routes = {START: waiting}
    workspace.write_site(site.url + START, sitemap=False, timeout=300)
    running = workspace.start_crawl()
    running.wait_until(lambda: START in site.targets)
    second = Workspace(workspace.folder / "second", None, WRAC_DATA_DIR=str(workspace.data))
    second.write_site(site.url + START, sitemap=False)
    try:
        refused = second.crawl()
    finally:
        refused_already.set()
    assert refused.code in (2, 5), refused
    assert str(running.process.pid) in refused.everything, f"says which process: {refused}"
    assert "Traceback" not in refused.everything
    assert running.finish().code == 0
