"""The spider over a real server: what is fetched, what is recorded, how it ends."""

from __future__ import annotations

import gzip
import signal
import time
from typing import TYPE_CHECKING

import pytest
from mock_site import Reply, redirect, text

if TYPE_CHECKING:
    from conftest import CrawlRunner
    from mock_site import MockSite


def page(*links: str, head: str = "") -> Reply:
    return Reply(f"<head>{head}</head>" + "".join(f'<p><a href="{link}">x</a></p>' for link in links))


def sitemap(*urls: str) -> str:
    return f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>"


def test_discovery_and_outcomes(site: MockSite, runner: CrawlRunner) -> None:
    """One site with a link of every kind; each URL of it ends with one outcome."""
    base = site.url
    nested = f"<sitemapindex><sitemap><loc>{base}/maps/a.xml.gz</loc></sitemap></sitemapindex>"
    site.routes = {
        "/robots.txt": text(f"User-agent: wrac\nDisallow: /d/private/\nSitemap: {base}/maps/index.xml\n"),
        "/maps/index.xml": Reply(nested, content_type="application/xml"),
        "/maps/a.xml.gz": Reply(gzip.compress(sitemap(f"{base}/d/mapped", f"{base}/out").encode())),
        "/sitemap.xml": Reply("<urlset><url><loc>" + base + "/d/mapped2</loc></url><url><loc>brok"),
        "/d/": page(
            "a?utm_source=x#top",
            "a/",
            "index.html",
            "/out",
            "https://elsewhere.example/",
            "mailto:x@example.org",
            "private/x",
            "picture.png",
            "download",
            "manual.pdf",
            "old",
            "ring1",
            "self",
            "stub",
            "leaves",
            "members",
            "missing",
            "broken",
            "cut",
            "slow",
            "slash",
            "n/n/n/n",
        ),
        "/d/a": page("deep1"),
        "/d/mapped": page(),
        "/d/mapped2": page(),
        "/d/download": Reply(b"PK", content_type="application/zip"),
        "/d/manual.pdf": Reply(b"%PDF-1.4", content_type="application/pdf"),
        "/d/old": redirect("new", 301),
        "/d/new": page(),
        "/d/ring1": redirect("ring2"),
        "/d/ring2": redirect("ring1"),
        "/d/self": redirect("self"),
        "/d/stub": Reply('<meta http-equiv="refresh" content="0; url=new">'),
        "/d/leaves": redirect("/out"),
        "/d/members": redirect("/login?next=/d/members"),
        "/d/broken": Reply("<h1>oops</h1>", status=500),
        "/d/cut": Reply("<p>half a page</p>" * 10, cut=True),
        "/d/slow": Reply("late", delay=4.0),
        "/d/slash": redirect("slash/"),
        "/d/slash/": page(),
        "/d/deep1": page("deep2"),
        "/d/deep2": page("deep3"),
    }
    crawl = runner.crawl(f"{base}/d/", "-a", "max_depth=3", "-a", "timeout=1.5")
    assert crawl.code == 3, crawl
    assert crawl.completed
    expected = {
        "": "indexed",
        "a": "indexed",
        "mapped": "indexed",
        "mapped2": "indexed",
        "private/x": "robots-denied",
        "picture.png": "unsupported",
        "download": "unsupported",
        "manual.pdf": "indexed",  # the stand-in takes any body
        "old": "redirected",
        "new": "indexed",
        "ring1": "redirected",
        "ring2": "http-error",
        "self": "http-error",
        "stub": "redirected",
        "leaves": "out-of-scope",
        "members": "login-wall",
        "missing": "gone",
        "broken": "http-error",
        "cut": "unreachable",
        "slow": "unreachable",
        "slash": "redirected",
        "slash/": "indexed",
        "n/n/n/n": "limit",
        "deep1": "indexed",
        "deep2": "indexed",
        "deep3": "limit",
    }
    assert {row[0].removeprefix(f"{base}/d/"): row[1] for row in crawl.rows} == expected
    assert len(crawl.rows) == len(expected), "a URL has two outcomes"
    assert "redirect loop" in crawl.reason(f"{base}/d/self")
    assert "timed out" in crawl.reason(f"{base}/d/slow")
    assert site.targets[0] == "/robots.txt"
    for target in ("/out", "/d/private/x", "/d/picture.png", "/login", "/d/n/n/n/n", "/d/deep3", "/d/index.html"):
        assert site.times(target) == 0, target
    for target in ("/d/", "/d/a", "/d/new", "/d/ring1", "/d/ring2", "/d/self", "/d/slash/", "/robots.txt"):
        assert site.times(target) == 1, target
    assert site.times("/d/broken") == 3, "retries are bounded"
    sent = site.log.requests[-1].headers
    assert sent["user-agent"].startswith("wrac/")
    assert not {"referer", "cookie"} & sent.keys()
    assert "25 URLs" in crawl.output or "26 URLs" in crawl.output
    assert 'wrac search "' in crawl.output
    assert "Traceback" not in crawl.errors


@pytest.mark.parametrize(("catch_all", "fetched"), [("/d/404.html", 0), ("/d/a", 1)], ids=["own page", "known page"])
def test_where_unknown_addresses_are_redirected_is_no_page_unless_something_else_leads_there(
    site: MockSite, runner: CrawlRunner, catch_all: str, fetched: int
) -> None:
    site.routes = {"/robots.txt": text(""), "/d/": page("dead", "a"), "/d/a": page(), "/d/404.html": page()}
    site.prefixes = {"/d/": redirect(catch_all)}
    site.forget()
    crawl = runner.crawl(f"{site.url}/d/", "-a", "sitemap=false")
    site.prefixes = {}
    assert crawl.outcome(f"{site.url}/d/dead") == "redirected"
    assert crawl.outcome(f"{site.url}/d/a") == "indexed"
    assert site.times(catch_all) == fetched, crawl


def test_nofollow_canonical_and_hreflang(site: MockSite, runner: CrawlRunner) -> None:
    base = site.url
    alternates = "".join(
        f'<link rel="alternate" hreflang="{tag}" href="{base}/d/{tag}/">' for tag in ("en", "de", "x-default")
    )
    site.forget()
    site.routes = {
        "/d/": Reply(
            f'{alternates}<a href="en/">e</a><a href="de/">d</a><a href="de/more">m</a><a href="c?view=print">c</a>'
            '<a rel="nofollow" href="secret">s</a><a href="nf">n</a>'
        ),
        "/d/en/": page(),
        "/d/c": Reply(f'<link rel="canonical" href="{base}/d/canonical"><p>c</p>'),
        "/d/canonical": page(),
        "/d/nf": Reply('<meta name="robots" content="nofollow"><a href="hidden">h</a>'),
    }
    crawl = runner.crawl(f"{base}/d/", "-a", "languages=en", "-a", "sitemap=false")
    assert crawl.code == 0, crawl
    assert crawl.outcome(f"{base}/d/canonical") == "indexed"
    assert crawl.outcome(f"{base}/d/de/") == "language"
    assert not [target for target in site.targets if target in ("/d/secret", "/d/hidden", "/d/de/")]


def test_limits(site: MockSite, runner: CrawlRunner) -> None:
    site.forget()
    site.routes = {}
    site.prefixes = {"/cal/": lambda request: page(f"/cal/{int(request.path.rsplit('/', 1)[1] or 0) + 1}")}
    bounded = runner.crawl(f"{site.url}/cal/", "-a", "max_per_pattern=5", "-a", "max_depth=1000", "-a", "sitemap=false")
    assert bounded.code == 0, bounded
    assert len([row for row in bounded.rows if row[1] == "indexed"]) == 6
    assert "max_per_pattern 5" in bounded.rows[-1][2]
    pages = runner.crawl(f"{site.url}/cal/", "-a", "max_pages=3", "-a", "max_depth=1000", "-a", "sitemap=false")
    assert [row[1] for row in pages.rows] == ["indexed"] * 3 + ["limit"]
    site.prefixes = {}


def test_start_url_that_moves_to_another_host_is_followed(site: MockSite, runner: CrawlRunner) -> None:
    site.forget()
    site.routes = {"/docs/": page("b"), "/docs/b": page()}
    from mock_site import MockSite as Server

    with Server({"/": redirect(f"{site.url}/docs/")}) as old:
        refused = runner.crawl(f"{old.url}/", "-a", "sitemap=false")
        allowed = runner.crawl(f"{old.url}/", "-a", "sitemap=false", "-a", "allow_private=127.0.0.1")
    assert refused.code == 4, "consent is for one host and port"
    assert "allow_private" in refused.errors
    assert allowed.code == 0, allowed
    assert allowed.outcome(f"{site.url}/docs/b") == "indexed"


def test_every_start_page_failing_ends_the_run(site: MockSite, runner: CrawlRunner) -> None:
    site.forget()
    site.routes = {"/sitemap.xml": Reply(sitemap(f"{site.url}/d/a")), "/d/a": page()}
    crawl = runner.crawl(f"{site.url}/d/")
    assert crawl.code == 4, crawl
    assert f"{site.url}/d/" in crawl.errors
    assert "404" in crawl.errors
    assert site.times("/d/a") == 0


def test_an_unreadable_robots_txt_forbids_everything(site: MockSite, runner: CrawlRunner) -> None:
    site.forget()
    site.routes = {"/robots.txt": text("", status=500), "/d/": page()}
    crawl = runner.crawl(f"{site.url}/d/")
    assert crawl.code == 4, crawl
    assert crawl.outcome(f"{site.url}/d/") == "robots-denied"
    assert "robots.txt answers 500" in crawl.errors
    ignored = runner.crawl(f"{site.url}/d/", "-a", "obey_robots=false", "-a", "sitemap=false")
    assert ignored.code == 0, ignored


def test_a_robots_txt_over_the_limit_is_named_as_what_is_too_large(site: MockSite, runner: CrawlRunner) -> None:
    site.forget()
    site.routes = {"/robots.txt": text("#", filler=2 * 1024 * 1024), "/d/": page()}
    crawl = runner.crawl(f"{site.url}/d/", "-a", "max_body_mib=1")
    assert crawl.code == 4, crawl
    assert crawl.outcome(f"{site.url}/d/") == "robots-denied"
    assert "robots.txt is larger than max_body_mib" in crawl.errors


def test_the_store_fails_while_crawling(site: MockSite, runner: CrawlRunner) -> None:
    site.forget()
    site.routes = {"/d/": page("a"), "/d/a": Reply("store-breaks")}
    crawl = runner.crawl(f"{site.url}/d/", "-a", "sitemap=false")
    assert crawl.code == 5, crawl
    assert "no space left on device" in crawl.errors
    assert "Traceback" not in crawl.errors
    assert not crawl.completed


def test_the_store_is_locked_before_any_work(site: MockSite, runner: CrawlRunner) -> None:
    site.forget()
    crawl = runner.crawl(f"{site.url}/d/", FAKE_RUN_LOCKED="held by process 42")
    assert crawl.code == 5, crawl
    assert "held by process 42" in crawl.errors
    assert site.targets == []


def test_done_pages_are_not_fetched_again_and_their_links_are(site: MockSite, runner: CrawlRunner) -> None:
    site.forget()
    site.routes = {"/d/": page("a", "b"), "/d/a": page("c"), "/d/b": page(), "/d/c": page()}
    done = f'{{"{site.url}/d/": [0, ["{site.url}/d/a", "{site.url}/d/b"]], "{site.url}/d/a": [1, ["{site.url}/d/c"]]}}'
    crawl = runner.crawl(f"{site.url}/d/", "-a", "sitemap=false", FAKE_RUN_RESUMED=done)
    assert crawl.code == 0, crawl
    assert sorted(set(site.targets) - {"/robots.txt"}) == ["/d/b", "/d/c"]
    assert [row[3] for row in crawl.rows if row[0].endswith("/c")] == [2]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_in_order(site: MockSite, runner: CrawlRunner, number: signal.Signals) -> None:
    """Also while a host is held by a Retry-After of minutes: what was not sent is dropped, not waited for."""
    site.forget()
    busy = Reply("later", status=503, headers=(("Retry-After", "200"),))
    site.routes = {"/d/": page(*(f"{i}" for i in range(40)))}
    site.prefixes = {"/d/": lambda request: busy if request.path == "/d/9" else Reply("x", delay=0.1)}
    process = runner.start("-a", f"url={site.url}/d/", "-a", "delay=0", "-a", "sitemap=false")
    deadline = time.monotonic() + 20
    while site.times("/d/9") == 0 and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(number)
    since = time.monotonic()
    crawl = runner.finish(process)
    site.prefixes = {}
    assert time.monotonic() - since < 10
    assert crawl.code == 6, crawl
    assert not crawl.completed
    assert f"wrac crawl {site.url}/d/ --set delay=0 --set sitemap=false" in crawl.errors
    assert "Traceback" not in crawl.errors
    answered = {site.url + target for target, status in site.log.statuses if status == 200 and target.startswith("/d/")}
    answered = {url for url in answered if "/no-such-page-" not in url}
    assert answered == {row[0] for row in crawl.rows if row[1] == "indexed"}


def test_mistakes_are_named_without_a_traceback(runner: CrawlRunner) -> None:
    """Before the reactor runs, and after: the consents are only read by a middleware."""
    missing = runner.finish(runner.start())
    nonsense = runner.finish(runner.start("-a", "url=http://x/", "-a", "allow_private=http://y/"))
    assert (missing.code, nonsense.code) == (2, 2), (missing, nonsense)
    assert "sites/docs_site.toml" in missing.errors
    assert "allow_private" in nonsense.errors
    assert "Traceback" not in missing.errors + nonsense.errors
