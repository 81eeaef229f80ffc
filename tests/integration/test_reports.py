"""The report of a real crawl, as an operator gets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from mock_pages import PAGES, START, Page, Section, handbook, page_reply
from mock_site import Reply

if TYPE_CHECKING:
    from mock_site import MockSite
    from product import Workspace


@pytest.fixture
def crawled_twice(site: MockSite, workspace: Workspace) -> Workspace:
    """Between the crawls one page got a section, one broke, and one was not found."""
    site.routes = handbook(site.url)
    workspace.write_site(site.url + START)
    first = workspace.crawl()
    assert first.code == 0, first
    fog = PAGES[4]
    storm = Section("Signals in a storm", "storm", "<p>In a storm three red lamps hang from the signal mast.</p>")
    site.routes[fog.path] = page_reply(site.url, Page(fog.path, fog.title, fog.lead, (*fog.sections, storm)))
    site.routes["/docs/berths.html"] = Reply("<h1>Error</h1>", status=500)
    second = workspace.crawl()
    assert second.code == 3, second
    return workspace


def test_what_changed_and_what_is_kept(site: MockSite, crawled_twice: Workspace) -> None:
    printed = crawled_twice.wrac("report")
    assert printed.code == 0, printed
    page = crawled_twice.folder / Path(printed.output.strip())
    html = page.read_text("utf-8")
    assert "three red lamps" in html
    report = json.loads(crawled_twice.wrac("report", "--json").output)
    lists = report["lists"]
    (changed,) = lists["changed"]["pages"]
    assert changed["url"] == site.url + PAGES[4].path
    assert changed["diff"]["words_added"] == len(
        "Signals in a storm In a storm three red lamps hang from the signal mast".split()
    )
    assert changed["diff"]["words_removed"] == 0
    assert changed["points_added"] == report["reuse"]["points_added"] > 0
    assert report["reuse"]["embedded"] == changed["points_added"]
    assert [note["url"] for note in lists["kept"]["pages"]] == [site.url + "/docs/berths.html"]
    assert lists["gone"]["total"] == lists["new"]["total"] == 0
    assert report["outcomes"]["http-error"]["total"] == 1
    assert report["cleaning"]["pages"] == 1
    assert [run["run_id"] for run in report["history"]] == [1, 2]
