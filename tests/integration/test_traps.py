"""URL spaces without end, limits, languages, and sites that declare nonsense."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mock_faults import calendar, canonical_to_home, generated, localized, pagination
from mock_pages import START, frame, links, simple
from mock_site import Reply

if TYPE_CHECKING:
    from mock_site import MockSite
    from product import Workspace


def indexed(workspace: Workspace) -> set[str]:
    return {url for url, row in workspace.rows().items() if row.outcome == "indexed"}


def test_an_endless_calendar_and_endless_pages_are_bounded(site: MockSite, workspace: Workspace) -> None:
    """The real pages behind the traps are all indexed; what was not fetched for a limit is recorded as such."""
    site.routes = {
        START: simple("Start", "<p>Go on.</p>" + links("/docs/calendar/2026/1", "/docs/list", "/docs/real.html")),
        "/docs/real.html": simple("Real", "<p>A page that matters more than any calendar.</p>"),
        "/docs/list": pagination,
    }
    site.prefixes = {"/docs/calendar/": calendar}
    workspace.write_site(site.url + START, max_per_pattern=8, max_depth=100, sitemap=False)
    run = workspace.crawl()
    site.prefixes = {}
    assert run.code in (0, 3), run
    assert len([target for target in site.targets if "calendar" in target]) <= 9
    assert len([target for target in site.targets if "/list" in target]) <= 10
    assert {site.url + START, site.url + "/docs/real.html"} <= indexed(workspace)
    limited = [row for row in workspace.rows().values() if row.outcome == "limit"]
    assert {"calendar" in row.url for row in limited} == {True, False}
    assert all(row.reason for row in limited)
    assert "limit" in run.everything, "a bounded crawl that does not say so is taken for a whole one"


def test_max_pages_and_depth_are_kept_and_told(site: MockSite, workspace: Workspace) -> None:
    site.forget()
    site.routes = generated(200, sections=1)
    workspace.write_site(site.url + START, max_pages=10, sitemap=False)
    run = workspace.crawl()
    asked = [target for target in site.targets if target.startswith("/docs/") and "/no-such-page-" not in target]
    assert len(asked) <= 10
    rows = workspace.rows()
    assert len(indexed(workspace)) == 10
    assert [row for row in rows.values() if row.outcome == "limit"]
    assert "limit" in run.everything

    site.forget()
    workspace.write_site(site.url + START, max_depth=1, sitemap=False, name="shallow")
    workspace.crawl("-a", "site=shallow")
    assert "/docs/p/0.html" in site.targets
    assert "/docs/p/1.html" not in site.targets, "two links away from the start"


def test_only_the_languages_of_the_profile(site: MockSite, workspace: Workspace) -> None:
    site.forget()
    site.routes = localized(site.url)
    workspace.write_site(site.url + START, languages=["en"], sitemap=False)
    run = workspace.crawl()
    assert run.code in (0, 3), run
    rows = workspace.rows()
    assert rows[site.url + "/docs/en/chain.html"].outcome == "indexed"
    for tag in ("de", "ja"):
        assert rows[site.url + f"/docs/{tag}/chain.html"].outcome == "language", tag
    texts = [payload["page_content"] for payload in workspace.points().values()]
    assert not [text for text in texts if "Schäkeln" in text or "錨" in text]


def test_all_languages_by_default_each_under_its_own(site: MockSite, workspace: Workspace) -> None:
    site.routes = localized(site.url)
    workspace.write_site(site.url + START, sitemap=False)
    run = workspace.crawl()
    assert run.code == 0, run
    languages = {row[0]: row[1] for row in workspace.query("select url, language from pages")}
    for tag in ("en", "de", "ja"):
        assert languages[site.url + f"/docs/{tag}/chain.html"].partition("-")[0] == tag
    found = workspace.wrac("search", "沿岸船", "--limit", "1")
    assert "/docs/ja/chain.html" in found.output, "the lexical side finds Japanese text"


def test_every_page_canonical_to_the_home_page_loses_no_page(site: MockSite, workspace: Workspace) -> None:
    site.routes = canonical_to_home(site.url)
    workspace.write_site(site.url + START, sitemap=False)
    run = workspace.crawl()
    texts = "\n".join(payload["page_content"] for payload in workspace.points().values())
    for name in ("ropes", "lamps", "sails"):
        assert f"All about {name}" in texts, run


def test_the_same_text_under_two_urls_is_one_page(site: MockSite, workspace: Workspace) -> None:
    page = simple("Twin", "<p>The same words stand under two addresses of this site.</p>")
    site.routes = {
        START: simple("Start", "<p>Two doors.</p>" + links("/docs/one.html", "/docs/two.html", "/docs/three/")),
        "/docs/one.html": page,
        "/docs/two.html": page,
        "/docs/three/": simple("Three", "<p>Reached with and without a slash.</p>" + links("/docs/three")),
        "/docs/three": simple("Three", "<p>Reached with and without a slash.</p>" + links("/docs/three")),
    }
    workspace.write_site(site.url + START, sitemap=False)
    run = workspace.crawl()
    assert run.code == 0, run
    texts = [payload["page_content"] for payload in workspace.points().values()]
    assert len([text for text in texts if "The same words" in text]) == 1
    assert len([text for text in texts if "with and without a slash" in text]) == 1
    outcomes = sorted(workspace.outcome(site.url + f"/docs/{name}.html") for name in ("one", "two"))
    assert outcomes == ["duplicate", "indexed"]


def test_a_declared_canonical_is_the_page_and_its_variants_are_recorded(site: MockSite, workspace: Workspace) -> None:
    head = f'<link rel="canonical" href="{site.url}/docs/guide.html">'
    guide = frame("Guide", "<h1>Guide</h1><p>A guide that is reached in several ways.</p>", head=head)
    page = Reply(guide)
    site.routes = {
        START: simple("Start", links("/docs/guide-print.html", "/docs/guide.html", "/docs/guide.html?sort=up")),
        "/docs/guide.html": page,
        "/docs/guide-print.html": page,
    }
    workspace.write_site(site.url + START, sitemap=False)
    run = workspace.crawl()
    assert run.code == 0, run
    rows = workspace.rows()
    assert rows[site.url + "/docs/guide.html"].outcome == "indexed"
    assert rows[site.url + "/docs/guide-print.html"].outcome == "duplicate"
    urls = [payload["metadata"]["url"] for payload in workspace.points().values()]
    assert urls.count(site.url + "/docs/guide.html") == 1
    assert site.url + "/docs/guide-print.html" not in urls
