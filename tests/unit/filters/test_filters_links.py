"""Links and directives of the whole page."""

from __future__ import annotations

from urllib.parse import urldefrag, urljoin

import pytest

from filters.links import base_url, find_directives, find_links
from filters.parse import parse_html
from filters.survey import take_survey
from wrac.records import Directives, Link

BASE = "https://docs.example/en/guide/page.html"


def links(html: str, base: str = BASE) -> tuple[Link, ...]:
    return find_links(take_survey(parse_html(html.encode())), base)


@pytest.mark.parametrize(
    "href",
    [
        "next.html",
        "./next.html",
        "../up.html",
        "../../top.html",
        "../../../../beyond.html",
        "/root.html",
        "/a/../b.html",
        "a/./b.html",
        "sub/",
        "?page=2",
        "next.html?x=1#part",
        "//other.example/x",
        "https://other.example/y#z",
        "HTTP://OTHER.example/",
        "dir/..",
        "..",
        ".",
        "x.html;v=1",
    ],
)
def test_a_link_is_resolved_as_the_standard_library_resolves_it(href: str) -> None:
    assert [link.url for link in links(f'<a href="{href}">x</a>')] == [urldefrag(urljoin(BASE, href)).url]


@pytest.mark.parametrize(
    "href", ["#part", "", "  ", "mailto:a@b.example", "javascript:void(0)", "tel:1", "data:text/plain,x", "ftp://x/y"]
)
def test_what_leads_nowhere_by_http_is_no_link(href: str) -> None:
    assert links(f'<a href="{href}">x</a>') == ()


def test_each_target_stands_once_and_is_nofollow_only_where_every_mention_is() -> None:
    html = '<a href="a" rel="nofollow">1</a><a href="b" rel="ugc nofollow">2</a><a href="a#x">3</a><area href="c">'
    folder = "https://docs.example/en/guide/"
    assert links(html) == (Link(folder + "a"), Link(folder + "b", nofollow=True), Link(folder + "c"))


def test_frames_and_link_next_are_followed() -> None:
    html = '<head><link rel="next" href="n.html"></head><frameset><frame src="f.html"></frameset>'
    assert {link.url.rpartition("/")[2] for link in links(html)} == {"n.html", "f.html"}


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("", BASE),
        ('<base href="/v2/">', "https://docs.example/v2/"),
        ('<base href="https://cdn.example/m/">', "https://cdn.example/m/"),
        ('<base target="_blank"><base href="b/">', "https://docs.example/en/guide/b/"),
        ('<base href="data:x">', BASE),
    ],
)
def test_the_first_base_with_an_address_counts(head: str, expected: str) -> None:
    survey = take_survey(parse_html(f"<html><head>{head}</head><body>x</body></html>".encode()))
    assert base_url(survey, BASE) == expected


@pytest.mark.parametrize(
    ("meta", "header", "expected"),
    [
        ("", "", Directives()),
        ('<meta name="robots" content="NOINDEX, follow">', "", Directives(noindex=True)),
        ('<meta name="googlebot" content="nofollow">', "", Directives(nofollow=True)),
        ('<meta name="robots" content="none">', "", Directives(noindex=True, nofollow=True)),
        ('<meta name="bingbot" content="noindex">', "", Directives()),
        ("", "noindex", Directives(noindex=True)),
        ("", "otherbot: noindex, nofollow", Directives()),
        ("", "otherbot: noindex, googlebot: nofollow", Directives(nofollow=True)),
        ("", "max-snippet: 20, noindex", Directives(noindex=True)),
    ],
)
def test_directives(meta: str, header: str, expected: Directives) -> None:
    survey = take_survey(parse_html(f"<html><head>{meta}</head><body>x</body></html>".encode()))
    assert find_directives(survey, header) == expected
