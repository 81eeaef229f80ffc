"""Spellings of URLs, identities of pages, marks of endless spaces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wrac.urls import join_url, netloc_of, normalize_url, page_key, path_of, request_url, trap_reason, url_pattern


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://docs.example.org", "https://docs.example.org/"),
        ("HTTPS://Docs.EXAMPLE.org:443/A", "https://docs.example.org/A"),
        ("http://example.org:8080/", "http://example.org:8080/"),
        ("http://example.org:443/", "http://example.org:443/"),
        ("http://example.org./a", "http://example.org/a"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("http://[2001:DB8:0::1]:80/", "http://[2001:db8::1]/"),
        ("https://example.org/a/./b/../c", "https://example.org/a/c"),
        ("https://example.org/a/b/..", "https://example.org/a/"),
        ("https://example.org/../../a", "https://example.org/a"),
        ("https://example.org/a/%2e%2e/b", "https://example.org/b"),
        ("https://example.org/.hidden", "https://example.org/.hidden"),
        ("https://example.org/%7euser/%c3%a4", "https://example.org/~user/%C3%A4"),
        ("https://example.org/ä b", "https://example.org/%C3%A4%20b"),
        ("https://example.org/100%", "https://example.org/100%25"),
        ("https://example.org/a%2Fb", "https://example.org/a%2Fb"),
        ("https://example.org/a#part", "https://example.org/a"),
        ("  https://example.org/a\n", "https://example.org/a"),
        ("https://example.org/a\n/b", "https://example.org/a/b"),
        ("https:\\\\example.org\\a", "https://example.org/a"),
        ("https://user:secret@example.org/a", "https://example.org/a"),
        ("https://example.org/a?", "https://example.org/a"),
        ("https://example.org?q=1", "https://example.org/?q=1"),
        ("https://example.org/a?b=2&a=1", "https://example.org/a?b=2&a=1"),
        ("https://example.org/a?q=a+b&&x", "https://example.org/a?q=a+b&x"),
        ("https://example.org/index.html", "https://example.org/index.html"),
    ],
)
def test_one_spelling(url: str, expected: str) -> None:
    assert request_url(url) == expected


@pytest.mark.parametrize(
    "query",
    [
        "utm_source=x&utm_medium=y",
        "gclid=1",
        "fbclid=1",
        "mc_cid=1&mc_eid=2",
        "_ga=2.1",
        "pk_campaign=x",
        "PHPSESSID=abc",
        "sid=1",
        "access_token=abc",
        "token=abc",
        "api_key=abc",
        "X-Amz-Signature=abc",
        "password=abc",
    ],
)
def test_what_tells_of_the_visitor_goes(query: str) -> None:
    assert request_url(f"https://example.org/a?{query}") == "https://example.org/a"
    assert request_url(f"https://example.org/a?page=2&{query}") == "https://example.org/a?page=2"


@pytest.mark.parametrize("query", ["id=7", "ref=main", "version=3", "tokens=5", "author=x", "key=home", "q=token"])
def test_what_tells_of_the_page_stays(query: str) -> None:
    assert request_url(f"https://example.org/a?{query}") == f"https://example.org/a?{query}"


def test_session_ids_in_the_path_go() -> None:
    assert request_url("https://example.org/a;jsessionid=1F?q=1") == "https://example.org/a?q=1"
    assert request_url("https://example.org/(S(abc123))/a.aspx") == "https://example.org/a.aspx"
    assert request_url("https://example.org/f(x)/a;v=2") == "https://example.org/f(x)/a;v=2"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/a/b",
        "//example.org/a",
        "mailto:a@example.org",
        "javascript:void(0)",
        "ftp://example.org/",
        "file:///etc/passwd",
        "data:text/html,x",
        "http://",
        "http:///a",
        "http://exa mple.org/",
        "http://[::1/",
        "http://example.org:port/",
        "http://example.org:70000/",
        "http://exa\u0000mple.org/",
    ],
)
def test_what_is_no_web_address_becomes_empty(url: str) -> None:
    assert request_url(url) == normalize_url(url) == page_key(url) == ""


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.org/a/index.html", "https://example.org/a/"),
        ("https://example.org/a/INDEX.HTM", "https://example.org/a/"),
        ("https://example.org/default.aspx", "https://example.org/"),
        ("https://example.org/a/index.php?title=Main", "https://example.org/a/index.php?title=Main"),
        ("https://example.org/a/genindex.html", "https://example.org/a/genindex.html"),
        ("https://example.org/index", "https://example.org/index"),
    ],
)
def test_default_documents_are_their_folder(url: str, expected: str) -> None:
    assert normalize_url(url) == expected


@pytest.mark.parametrize(
    "variant",
    [
        "https://example.org/a/?x=1&y=2",
        "http://example.org/a/?x=1&y=2",
        "https://example.org/a?y=2&x=1",
        "https://EXAMPLE.org:443/./a?x=1&y=2&utm_source=z#part",
    ],
)
def test_variants_of_one_page_have_one_key(variant: str) -> None:
    assert page_key(variant) == "example.org/a?x=1&y=2"


def test_different_pages_have_different_keys() -> None:
    urls = ["https://example.org/a", "https://example.org/A", "https://example.org:8443/a", "https://example.org/a?b"]
    assert len({page_key(url) for url in urls}) == len(urls)


@given(st.text(max_size=60))
def test_normalising_is_total_and_idempotent(text: str) -> None:
    for url in (text, f"https://example.org/{text}", f"http://{text}/a?{text}"):
        once = normalize_url(url)
        assert normalize_url(once) == once
        assert request_url(request_url(url)) == request_url(url)
        assert once.isascii()
        assert page_key(once) == page_key(url)


@given(st.from_regex(r"\Ahttps://[a-z]{1,8}\.org/([a-z.]{0,4}/){0,5}[a-z.]{0,6}\Z"))
def test_no_dot_segments_are_left(url: str) -> None:
    segments = path_of(request_url(url)).split("/")
    assert "." not in segments
    assert ".." not in segments


def test_joining() -> None:
    assert join_url("https://example.org/a/b", "../c?d#e") == "https://example.org/c?d"
    assert join_url("https://example.org/a/b", " //other.org ") == "https://other.org/"
    assert join_url("https://example.org/a/b", "javascript:1") == ""
    assert join_url("https://example.org/", "http://[broken") == ""


def test_parts_of_a_request_url() -> None:
    assert netloc_of("https://example.org:8443/a?b=/c") == "example.org:8443"
    assert path_of("https://example.org/a/b?c=/d") == "/a/b"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.org/cal/2024/05", "example.org/cal/#/#"),
        ("https://example.org/list?page=7&sort=up", "example.org/list?page&sort"),
        ("https://example.org/commit/deadbeef01", "example.org/commit/#"),
        ("https://example.org/guide/intro", ""),
    ],
)
def test_patterns_blank_numbers_and_values(url: str, expected: str) -> None:
    assert url_pattern(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/a/a/a",
        "https://example.org/x/a/b/a/b/a/b/c",
        "https://example.org/" + "x" * 2000,
        "https://example.org" + "/x1y" * 30,
        "https://example.org/?q=1&q=2&q=3&q=4",
    ],
)
def test_endless_spaces_are_known_by_sight(url: str) -> None:
    assert trap_reason(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/a/a/b",
        "https://example.org/api/v1/v1alpha/v1beta",
        "https://example.org/aaa/aaaa/aaaaa",
        "https://example.org/?tag=a&tag=b&tag=c",
        "https://example.org/en/3.11/library/os/path/join.html",
    ],
)
def test_ordinary_urls_are_no_traps(url: str) -> None:
    assert trap_reason(url) == ""


def test_a_hostile_path_is_judged_fast() -> None:
    import time

    since = time.perf_counter()
    for url in ("https://example.org/" + "a" * 1900 + "!", "https://example.org" + "/a" * 900 + "!"):
        request_url(url)
        trap_reason(url)
    assert time.perf_counter() - since < 1.0
