"""Sitemaps as the protocol wants them, and as they come."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime

import pytest

from crawler.sitemaps import Location, decompressed, read_sitemap

BASE = "https://docs.example.org/sitemap.xml"
NAMESPACES = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"'


def urls(body: str | bytes) -> list[str]:
    raw = body.encode() if isinstance(body, str) else body
    return [location.url for location in read_sitemap(raw, BASE)]


def test_urlset_with_alternates() -> None:
    body = f"""<?xml version="1.0" encoding="UTF-8"?>
    <!-- made by hand -->
    <urlset {NAMESPACES}>
      <url><loc> https://docs.example.org/en/a </loc><lastmod>2024-01-01</lastmod>
        <xhtml:link rel="alternate" hreflang="de" href="https://docs.example.org/de/a"/></url>
      <url><lastmod>2024-01-01</lastmod></url>
      <url><loc>/relative</loc></url>
    </urlset>"""
    end_of_day = datetime(2024, 1, 2, tzinfo=UTC)
    alternates = (("de", "https://docs.example.org/de/a"),)
    assert list(read_sitemap(body.encode(), BASE)) == [
        Location("https://docs.example.org/en/a", alternates=alternates, modified=end_of_day),
        Location("https://docs.example.org/relative"),
    ]


def test_index() -> None:
    body = f"<sitemapindex {NAMESPACES}><sitemap><loc>https://docs.example.org/1.xml</loc></sitemap></sitemapindex>"
    assert list(read_sitemap(body.encode(), BASE)) == [Location("https://docs.example.org/1.xml", is_sitemap=True)]


def test_plain_text() -> None:
    assert urls("https://docs.example.org/a\r\nnonsense\nhttps://docs.example.org/b\n") == [
        "https://docs.example.org/a",
        "https://docs.example.org/b",
    ]


def test_what_can_be_read_of_a_broken_one_is_read() -> None:
    body = (
        "<urlset><url><loc>https://docs.example.org/a</loc></url><url><loc>https://docs.example.org/b&c</loc></url><ur"
    )
    assert urls(body)[0] == "https://docs.example.org/a"


@pytest.mark.parametrize(
    "body", ["", "<!DOCTYPE html><html><body>Not found</body></html>", "no map", b"\x00\xff\xfe", "<"]
)
def test_what_is_no_sitemap_gives_nothing(body: str | bytes) -> None:
    assert urls(body) == []


def test_entities_are_not_resolved() -> None:
    body = """<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY x SYSTEM "file:///etc/passwd">]>
    <urlset><url><loc>https://docs.example.org/&x;</loc></url></urlset>"""
    assert urls(body) == []
    late = (
        "<urlset>"
        + " " * 5000
        + "<!DOCTYPE a [<!ENTITY b 'c'>]><url><loc>https://docs.example.org/&b;</loc></url></urlset>"
    )
    assert [url for url in urls(late) if url.endswith("c")] == []


def test_gzip_is_bounded_and_damage_is_survived() -> None:
    assert decompressed(gzip.compress(b"<urlset/>")) == b"<urlset/>"
    assert decompressed(b"<urlset/>") == b"<urlset/>"
    assert decompressed(b"\x1f\x8bnonsense") == b""
    assert decompressed(gzip.compress(b"<urlset/>" * 1000)[:-20]).startswith(b"<urlset/>")
    text = b"".join(b"<url><loc>https://docs.example.org/%x</loc></url>" % number for number in range(200_000))
    broken = bytearray(gzip.compress(text))
    broken[len(broken) // 2 :] = bytes(len(broken) - len(broken) // 2)
    read = decompressed(bytes(broken))
    assert len(read) > 0.3 * len(text)
    assert read[:1_000_000] == text[:1_000_000]
    bomb = gzip.compress(bytes(80 * 1024 * 1024))
    assert len(decompressed(bomb)) == 64 * 1024 * 1024


def test_a_large_map_keeps_little_memory() -> None:
    import tracemalloc

    body = b"<urlset>" + b"<url><loc>https://docs.example.org/a</loc></url>" * 20_000 + b"</urlset>"
    tracemalloc.start()
    assert sum(1 for _ in read_sitemap(body, BASE)) == 20_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * 1024 * 1024
