"""What every ``Converter`` keeps; and on simple pages both find the same words, headings, code and cells."""

from __future__ import annotations

import re

import lxml.html
import pytest
from markdown_it import MarkdownIt

from conversion import make_converter
from wrac.errors import ConfigError, ConversionFailed
from wrac.ids import digest
from wrac.protocols import Converter
from wrac.records import CleanedPage, Directives, MarkdownDocument, PageMetadata

URL = "https://handbook.example/docs/page.html"
NAMES = ("html", "markdownify")
MARKDOWN = MarkdownIt("commonmark").enable("table")
SIMPLE_PAGES = {
    "prose": "<h1 id='top'>The lock</h1><p>It has <b>two</b> <i>gates</i> and a <a href='sill.html'>sill</a>.</p>"
    "<h2>Use</h2><p>Call <code>open()</code> &amp; wait; <b>do</b> not *push*, my_gate_x.</p>",
    "code": "<h2>Run</h2><pre><code class='language-python'>def f():\n\n    return `1`\n</code></pre><p>Done.</p>"
    "<div class='highlight-bash'><div class='highlight'><pre><span>ls</span> -l | wc\n</pre></div></div>",
    "lists": "<ul><li>one</li><li>two<ul><li>inner</li></ul></li></ul><ol start='3'><li>three</li><li>four</li></ol>",
    "table": "<table><tr><th>Name</th><th>Value</th></tr><tr><td>a|b</td><td><code>c|d</code></td></tr></table>",
    "blocks": "<blockquote><p>quoted</p></blockquote><p>1986. A year</p><hr><p>&lt;b&gt; is a tag</p>",
}


@pytest.fixture(params=NAMES)
def converter(request: pytest.FixtureRequest) -> Converter:
    return make_converter(request.param)


def page(html: str) -> CleanedPage:
    parser = lxml.html.HTMLParser(encoding="utf-8")
    root = lxml.html.document_fromstring(f"<html><body>{html}</body></html>", parser=parser).find("body")
    return CleanedPage(root, URL, URL, PageMetadata(), Directives(), (), ())


def seen(document: MarkdownDocument) -> dict[str, list[str]]:
    """Words, headings, code, cells and items of the rendered Markdown."""
    root = lxml.html.document_fromstring(f"<html><body>{MARKDOWN.render(document.text)}</body></html>")
    return {
        "words": re.findall(r"\w+", " ".join(str(text) for text in root.itertext())),
        "headings": [f"{h.tag} {h.text_content()}" for h in root.iter("h1", "h2", "h3")],
        "code": [pre.text_content() for pre in root.iter("pre")],
        "languages": [code.get("class") or "" for code in root.iterfind(".//pre/code")],
        "cells": [cell.text_content() for cell in root.iter("td", "th")],
        "items": [
            f"{len(list(li.iterancestors('ul', 'ol')))} {li.text_content().split()[0]}" for li in root.iter("li")
        ],
    }


@pytest.mark.parametrize("name", SIMPLE_PAGES)
def test_both_converters_read_simple_pages_alike(name: str) -> None:
    ours, oracle = (seen(make_converter(each).convert(page(SIMPLE_PAGES[name]))) for each in NAMES)
    assert ours == oracle
    assert ours["words"]


def test_it_keeps_the_protocol(converter: Converter) -> None:
    assert isinstance(converter, Converter)
    assert re.fullmatch(r"[a-z]+/\d+", converter.name)


@pytest.mark.parametrize("name", SIMPLE_PAGES)
def test_the_same_page_gives_the_same_document(converter: Converter, name: str) -> None:
    source = page(SIMPLE_PAGES[name])
    first = converter.convert(source)
    assert converter.convert(source) == first
    assert first.digest == digest(first.text)
    assert first.converter == converter.name
    assert first.source_kind == "html"
    assert first.text.endswith("\n")
    assert not first.text.endswith("\n\n")


def test_anchors_stand_at_heading_lines(converter: Converter) -> None:
    document = converter.convert(
        page("<p>x</p><section id='s'><h2>A<a class='headerlink' href='#s'>¶</a></h2></section>")
    )
    assert [(document.text[a.offset :], a.fragment) for a in document.anchors] == [("## A\n", "s")]


def test_a_page_without_text_is_a_failed_conversion(converter: Converter) -> None:
    with pytest.raises(ConversionFailed):
        converter.convert(page("<div> </div>"))


def test_a_page_nested_too_deeply_never_crashes(converter: Converter) -> None:
    deep = page("<p>top</p>")
    element = deep.root
    for _ in range(5000):
        element = lxml.html.etree.SubElement(element, "div")
    element.text = "core"
    if converter.name.startswith("markdownify"):
        with pytest.raises(ConversionFailed, match="converter = 'html'"):
            converter.convert(deep)
    else:
        assert converter.convert(deep).text == "top\n\ncore\n"


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="html and markdownify"):
        make_converter("pandoc")


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("https://me:s3cret@handbook.example/a", "https://handbook.example/a"),
        ("//me:s3cret@handbook.example/a", "https://handbook.example/a"),
        ("a.html?token=s3cret&page=2#top", "https://handbook.example/docs/a.html?page=2#top"),
        ("/a;jsessionid=s3cret?api_key=s3cret", "https://handbook.example/a"),
        ("/(S(s3cret))/a.aspx", "https://handbook.example/a.aspx"),
        ("https://store.example/f?X-Amz-Signature=s3cret&X-Amz-Expires=9", "https://store.example/f"),
        ("?q=a%20b&q=c", "https://handbook.example/docs/page.html?q=a%20b&q=c"),
        ("mailto:me@handbook.example?subject=s", "mailto:me@handbook.example?subject=s"),
    ],
)
def test_links_and_pictures_carry_no_secret_and_no_session(converter: Converter, written: str, kept: str) -> None:
    text = converter.convert(page(f"<p>See <a href='{written}'>this</a>. <img src='{written}' alt='A gate'></p>")).text
    assert "s3cret" not in text
    assert f"[this]({kept})" in text
