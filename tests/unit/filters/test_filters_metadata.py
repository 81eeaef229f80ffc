"""What a page says about itself."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from filters import clean_page
from filters.metadata import iso_date, page_title
from wrac.ids import digest
from wrac.records import FetchedPage, PageMetadata

BODY = "<main><h1>Berths</h1><p>A berth costs 40 a night, children are free of charge.</p></main>"


def metadata(head: str = "", body: str = BODY, html: str = "", canonical: str = "") -> PageMetadata:
    raw = f"<html {html}><head>{head}</head><body>{body}</body></html>".encode()
    url = "https://docs.example/en/page.html"
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    return clean_page(
        FetchedPage(url, url, 200, "text/html", raw, moment, digest(raw), link_canonical=canonical)
    ).metadata


@pytest.mark.parametrize(
    ("raw", "h1", "og", "site", "expected"),
    [
        ("Berths | Depot", "Berths", "", "", "Berths"),
        (
            "shelve — Python object persistence — Python 3.11.2 documentation",
            "shelve — Python object persistence",
            "",
            "",
            "shelve — Python object persistence",
        ),
        ("Depot - Berths", "Berths", "", "", "Berths"),
        ("Berths - a guide", "Harbour", "", "", "Berths - a guide"),
        ("Berths • Depot", "", "", "Depot", "Berths"),
        ("Depot: Berths", "", "", "Depot", "Berths"),
        ("Middleware — Depot 3.2 documentation", "", "", "", "Middleware"),
        ("Berths and lanes", "Berths", "", "", "Berths and lanes"),
        ("", "Berths", "", "", "Berths"),
        ("Depot --", "Depot Release Notes", "", "", "Depot Release Notes"),
        ("Depot --", "", "", "", "Depot --"),
        ("Berths in the Depot | Depot", "Prices", "Berths in the Depot", "", "Berths in the Depot"),
    ],
)
def test_the_site_is_cut_off_a_title_only_where_something_confirms_it(
    raw: str, h1: str, og: str, site: str, expected: str
) -> None:
    assert page_title(raw, h1, og, site) == expected


def test_a_heading_outside_of_the_content_may_be_the_site_s_name() -> None:
    page = metadata(
        head="<title>Release lanes - The Depot Book</title>",
        body="<h1>The Depot Book</h1><main><h2>Release lanes</h2><p>There are four lanes in the yard.</p></main>",
    )
    assert page.title == "Release lanes - The Depot Book"


@pytest.mark.parametrize(
    ("head", "html", "expected"),
    [
        ("", 'lang="pt_BR"', "pt-br"),
        ("", 'xml:lang="de"', "de"),
        ('<meta http-equiv="content-language" content="fr-FR, en">', "", "fr-fr"),
        ('<meta name="docsearch:language" content="ja">', "", "ja"),
        ('<script type="application/ld+json">{"@type": "TechArticle", "inLanguage": "nl"}</script>', "", "nl"),
        ("", 'lang="{{ lang }}"', ""),
    ],
)
def test_language(head: str, html: str, expected: str) -> None:
    assert metadata(head, html=html).language == expected


def test_dates_come_from_meta_json_ld_and_update_marks() -> None:
    head = (
        '<meta property="article:published_time" content="2024-03-01T10:00:00+01:00">'
        '<script type="application/ld+json">{"@graph": [{"@type": "Article", "dateModified": "2024-04-02"}]}</script>'
    )
    page = metadata(head)
    assert (page.published, page.modified) == ("2024-03-01T10:00:00+01:00", "2024-04-02")
    body = BODY + '<footer class="theme-last-updated">On <time datetime="2024-05-03">3 May</time></footer>'
    assert metadata(body=body).modified == "2024-05-03"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2024-01-31", "2024-01-31"),
        ("2024-01-31T05:06:07Z", "2024-01-31T05:06:07+00:00"),
        ("Wed, 31 Jan 2024 05:06:07 GMT", "2024-01-31T05:06:07+00:00"),
        ("yesterday", ""),
        ("", ""),
    ],
)
def test_a_date_is_iso_or_nothing(value: str, expected: str) -> None:
    assert iso_date(value) == expected


def test_canonical_alternates_and_version() -> None:
    head = (
        '<link rel="canonical" href="/en/berths.html#x"><link rel="alternate" hreflang="DE" href="../de/berths.html">'
        '<meta name="docsearch:version" content="2.1">'
    )
    page = metadata(head, canonical="/other.html")
    assert page.canonical == "https://docs.example/en/berths.html"
    assert page.alternates == (("de", "https://docs.example/de/berths.html"),)
    assert page.version == "2.1"
    assert metadata(canonical="/other.html").canonical == "https://docs.example/other.html"


TRAIL = ("Home", "Guide")
JSON_LD = """<script type="application/ld+json">
{"@type": "BreadcrumbList", "itemListElement": [
{"position": 2, "item": {"name": "Guide"}},
{"position": 1, "name": "Home"}, {"position": 3, "name": "Berths"}]}</script>"""
MICRODATA = """<ol class="breadcrumb" itemtype="https://schema.org/BreadcrumbList">
<li><span itemprop="name">Home</span></li>
<li><span itemprop="name">Guide</span></li></ol>"""
BY_CLASS = """<ul class="breadcrumbs"><li><a href="/">Home</a> »</li><li><a href="/g">Guide</a> »</li>
<li>This page</li></ul>"""
SPHINX = """<div class="related" role="navigation"><ul><li class="right"><a href="i">index</a></li>
<li><a href="/">Home</a> &#187;</li><li><a href="/g">Guide</a> &#187;</li><li><a href="">Berths</a></li></ul></div>"""


@pytest.mark.parametrize(
    ("head", "before"),
    [
        (JSON_LD, ""),
        ("", MICRODATA),
        ("", '<nav aria-label="Breadcrumb"><a href="/">Home</a> › <a href="/g">Guide</a></nav>'),
        ("", BY_CLASS),
        ("", SPHINX),
    ],
    ids=["json-ld", "microdata", "aria-label", "class", "sphinx"],
)
def test_the_breadcrumb_is_kept_as_data_without_the_page_itself(head: str, before: str) -> None:
    assert metadata(head + "<title>Berths</title>", body=before + BODY).breadcrumb == TRAIL


@pytest.mark.parametrize("text", ['{"@type": "Article",', "[[[1]]]", "", "[" * 100_000])
def test_broken_json_ld_is_as_good_as_none(text: str) -> None:
    assert metadata(f'<script type="application/ld+json">{text}</script>').published == ""
