"""Credentials go wherever the site wants them, and nowhere else."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from mock_site import MockSite, Reply, redirect, text
from scrapy import Request

from crawler.credentials import Credentials
from crawler.middlewares.credentials import CredentialsMiddleware
from wrac.config import SiteProfile

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import CrawlRunner
    from mock_site import Request as Seen

KEY = "let-me-in-5150"


def carried(start: str, url: str, monkeypatch: pytest.MonkeyPatch, **headers: str) -> bytes | None:
    """The key on a request for ``url`` in a crawl of ``start``."""
    monkeypatch.setenv("DOCS_KEY", KEY)
    profile = SiteProfile.model_validate({"start_urls": [start], "auth": {"header_env": {"X-Key": "DOCS_KEY"}}})
    crawler = SimpleNamespace(spider=SimpleNamespace(credentials=Credentials(profile)))
    request = Request(url, headers=headers)
    asyncio.run(CredentialsMiddleware(crawler).process_request(request))
    value: bytes | None = request.headers.get("X-Key")
    return value


@pytest.mark.parametrize(
    ("start", "url", "trusted"),
    [
        ("https://docs.example.org/a/", "https://docs.example.org/sitemap.xml", True),
        ("https://docs.example.org/a/", "https://DOCS.example.org:443/b", True),
        ("http://docs.example.org/", "https://docs.example.org/", True),
        ("https://docs.example.org/", "http://docs.example.org/", False),
        ("http://docs.example.org/", "https://www.docs.example.org/", False),
        ("https://docs.example.org/", "https://docs.example.org.evil.example/", False),
        ("https://docs.example.org/", "https://docs.example.org:8443/", False),
        ("https://docs.example.org/", "https://docs.example.org@evil.example/", False),
    ],
)
def test_who_is_trusted(start: str, url: str, trusted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = KEY.encode() if trusted else None
    assert carried(start, url, monkeypatch) == expected
    assert carried(start, url, monkeypatch, **{"X-Key": KEY}) == expected


def test_a_header_of_the_same_name_that_is_no_secret_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    assert carried("https://a.example/", "https://b.example/", monkeypatch, **{"X-Key": "other"}) == b"other"


def test_a_protected_site_is_found_by_its_robots_and_sitemaps(site: MockSite, runner: CrawlRunner) -> None:
    def guarded(body: str, **options: str) -> Callable[[Seen], Reply]:
        return lambda seen: Reply(body, **options) if seen.headers.get("x-key") == KEY else Reply("no", status=401)

    with MockSite() as elsewhere:
        urls = "".join(f"<url><loc>{site.url}/d/{name}</loc></url>" for name in ("mapped", "closed"))
        elsewhere.routes = {"/map.xml": Reply("<urlset/>"), "/robots.txt": text("")}
        site.routes = {
            "/robots.txt": guarded(
                f"User-agent: *\nDisallow: /d/closed\nSitemap: {site.url}/map.xml\nSitemap: {site.url}/away.xml\n",
                content_type="text/plain",
            ),
            "/map.xml": guarded(f"<urlset>{urls}</urlset>", content_type="application/xml"),
            "/away.xml": redirect(elsewhere.url + "/map.xml"),
            "/d/": guarded("<p>start</p>"),
            "/d/mapped": guarded("<p>mapped</p>"),
        }
        (runner.folder / "sites").mkdir()
        (runner.folder / "sites" / "guarded.toml").write_text(
            f'start_urls = ["{site.url}/d/"]\nallow_private = ["127.0.0.1"]\n[auth.header_env]\nX-Key = "DOCS_KEY"\n'
        )
        crawl = runner.finish(runner.start("-a", "site=guarded", "-a", "delay=0", DOCS_KEY=KEY))
        assert crawl.outcome(f"{site.url}/d/mapped") == "indexed", crawl
        assert crawl.outcome(f"{site.url}/d/closed") == "robots-denied"
        assert elsewhere.times("/map.xml") == 1
        assert [seen for seen in elsewhere.log.requests if "x-key" in seen.headers] == []
