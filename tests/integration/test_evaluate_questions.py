"""A user evaluates his own site: crawl, questions, a change, and what it did; on the folder and on a server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from mock_pages import CODE, PAGES, START, handbook
from mock_qdrant import MockQdrant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mock_site import MockSite
    from product import Workspace


@pytest.fixture(params=["folder", "server"])
def crawled(request: pytest.FixtureRequest, site: MockSite, workspace: Workspace) -> Iterator[Workspace]:
    site.forget()
    site.routes = handbook(site.url)
    workspace.write_site(site.url + START)
    with MockQdrant() as server:
        if request.param == "server":
            workspace.environment["WRAC_STORE"] = server.url
        done = workspace.crawl()
        assert done.code == 0, done
        yield workspace


def test_questions_are_asked_and_compared(crawled: Workspace, site: MockSite) -> None:
    rows = [f'"{page.title}",{page.path}' for page in PAGES]
    rows += [f"what stands on no page?,{site.url}/docs/nowhere.html", "how do I start?,/docs/*"]
    questions = crawled.folder / "questions.csv"
    questions.write_text("\n".join(["query,url", *rows]) + "\n", encoding="utf-8")
    options = ["--site", "docs_site", "--json", "before.json", "--html", "result.html", "--fail-under", "hit@5=1"]
    asked = crawled.wrac("evaluate", "queries", "questions.csv", *options)
    assert asked.code == 3, asked
    assert "hit@5 is 0.875, below the 1 of --fail-under" in asked.errors
    assert "not crawled: no crawl met this URL" in asked.output
    page = (crawled.folder / "result.html").read_text(encoding="utf-8")
    assert "what stands on no page?" in page
    before = json.loads((crawled.folder / "before.json").read_bytes())
    assert [answer["verdict"] for answer in before["answers"]].count("found") == len(PAGES) + 1

    again = crawled.wrac("evaluate", "queries", "questions.csv", "--site", "docs_site", "--json", "after.json")
    assert again.code == 0, again
    assert (crawled.folder / "after.json").read_bytes() == (crawled.folder / "before.json").read_bytes()
    compared = crawled.wrac("evaluate", "compare", "before.json", "after.json")
    assert compared.code == 0, compared
    assert f"0 lost, 0 won, 0 moved down, 0 moved up, {len(rows)} as before" in compared.output
    assert crawled.wrac("search", CODE[:30]).code == 0, "the collection is let go of"
