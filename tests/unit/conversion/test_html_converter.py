"""What the golden cases cannot show: anchors, titles, depth, purity, failures."""

from __future__ import annotations

import time

import lxml.html
import pytest

from conversion import HtmlConverter
from wrac.errors import ConversionFailed
from wrac.ids import digest
from wrac.records import CleanedPage, Directives, MarkdownDocument, PageMetadata

URL = "https://handbook.example/docs/page.html"


def page(html: str, *, base: str = URL, title: str = "") -> CleanedPage:
    """A cleaned page whose content is this body."""
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    root = lxml.html.document_fromstring(f"<html><body>{html}</body></html>", parser=parser).find("body")
    return CleanedPage(root, URL, base, PageMetadata(title=title), Directives(), (), ())


def converted(html: str, **about: str) -> MarkdownDocument:
    """The Markdown of the body."""
    return HtmlConverter().convert(page(html, **about))


def anchors(html: str) -> list[tuple[str, str]]:
    """Line at each anchor, and the anchor's fragment."""
    document = converted(html)
    return [(document.text[a.offset :].partition("\n")[0], a.fragment) for a in document.anchors]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<h2 id="a">A</h2>', [("## A", "a")]),
        ('<section id="s"><h2>A</h2><p>x</p><h3>B</h3></section>', [("## A", "s")]),
        ('<div id="outer"><p>text</p><h2>A</h2></div>', []),
        ('<a name="n"></a><h2>A</h2>', [("## A", "n")]),
        ('<p><a id="n"></a></p><h2>A</h2>', [("## A", "n")]),
        ('<h2><span class="mw-headline" id="A_b">A b</span></h2>', [("## A b", "A_b")]),
        ('<h2><a class="anchor" id="md5"></a>A</h2>', [("## A", "md5")]),
        ('<span id="index-0"></span><section id="s"><h2>A</h2></section>', [("## A", "s")]),
        ('<section id="s"><h2 id="own">A</h2></section>', [("## A", "own")]),
        ('<h2>A<a class="headerlink" href="#from-link">¶</a></h2>', [("## A", "from-link")]),
        ('<dl><dt id="t">term</dt><dd>text</dd></dl>', [("term", "t")]),
        ('<ul><li><h3 id="i">In item</h3>x</li></ul>', [("- ### In item", "i")]),
        ('<blockquote><p>é</p><h2 id="q">Q</h2></blockquote><h2 id="z">Z</h2>', [("> ## Q", "q"), ("## Z", "z")]),
    ],
)
def test_anchors_stand_at_the_line_they_lead_to(html: str, expected: list[tuple[str, str]]) -> None:
    assert anchors(html) == expected


def test_links_resolve_against_the_base_of_the_page() -> None:
    document = converted('<p><a href="t.html">t</a> <a href="/x">x</a></p>', base="https://cdn.example/manual/v2/")
    assert document.text == "[t](https://cdn.example/manual/v2/t.html) [x](https://cdn.example/x)\n"


def test_the_title_is_the_pages_own_else_its_first_heading() -> None:
    assert converted("<h1>Heading</h1>", title="Title").title == "Title"
    assert converted('<p>x</p><h2 id="a">Some <b>heading</b></h2>').title == "Some heading"


def nested(names: str, levels: int, **innermost: str) -> CleanedPage:
    """A page of elements inside one another, built without a parser: parsers have limits of their own."""
    source = page("<h1>Top</h1>")
    element = source.root
    tags = names.split()
    for level in range(levels):
        element = lxml.html.etree.SubElement(element, tags[level % len(tags)], {"class": "admonition"})
    for tag, text in innermost.items():
        lxml.html.etree.SubElement(element, tag).text = text
    lxml.html.etree.SubElement(source.root, "p").text = "after"
    return source


@pytest.mark.parametrize(
    "names",
    ["div", "div span", "ul li", "ul", "blockquote", "b", "span i", "table tr td", "dl dd", "dl dt", "details",
     "a font", "section font", "li", "figure", "pre", "code", "p", "ol li div blockquote"],
)  # fmt: skip
def test_five_thousand_levels_convert_and_lose_nothing(names: str) -> None:
    text = HtmlConverter().convert(nested(names, 5000, p="innermost")).text
    assert text.startswith("# Top\n")
    assert "innermost" in text
    assert text.endswith("after\n")


def test_code_and_headings_keep_their_kind_at_any_depth() -> None:
    text = HtmlConverter().convert(nested("ul li", 400, h2="Deep", pre="a\n  b")).text
    lines = [line.strip("- ") for line in text.split("\n")]
    assert "## Deep" in lines
    assert "```" in lines


def test_the_tree_is_left_as_it_was_and_the_digest_is_that_of_the_text() -> None:
    source = page(
        '<p>a<sup><a href="#fn1" class="footnote-ref">1</a></sup></p><ol><li id="fn1">b <a href="#r">↩</a></li></ol>'
    )
    before = lxml.html.tostring(source.root)
    first, second = HtmlConverter().convert(source), HtmlConverter().convert(source)
    assert first == second
    assert first.digest == digest(first.text)
    assert lxml.html.tostring(source.root) == before


def test_marks_in_the_page_cannot_be_forged() -> None:
    assert converted("<p>a&#xFDD0;0&#xFDD1;b&#xFDD9;7&#xFDDA;c</p>").text == "a0b7c\n"


def test_a_page_without_text_says_where_to_look() -> None:
    with pytest.raises(ConversionFailed, match=r"explain https://handbook\.example") as failed:
        converted('<div><img src="x.png" alt=""></div>')
    assert failed.value.stage == "convert"
    assert failed.value.page_id


def test_line_separators_of_unicode_do_not_part_lines() -> None:
    document = converted("<p>a\u2028b\x0cc</p><pre>d\u2028e</pre>")
    assert document.text == "a b c\n\n```\nd\u2028e\n```\n"


@pytest.mark.parametrize(
    "code",
    [
        "<div>a\n    b</div>\n\n    <span class='k'>c</span>",
        "<div>a\n    b\n</div>\n    <span class='k'>c</span>",
        "<div>a\n    b</div>\n\n    c",
        "<div><div>a\n    b</div></div>\n\n    <span class='k'>c</span>",
        "<div>a\n    b</div>\n\n<div>    c</div>",
        "<div>a\n    b</div>\n\n  <div>    c</div>\n  ",
    ],
)
def test_blank_lines_and_indentation_behind_a_block_of_code_stay(code: str) -> None:
    assert converted(f"<pre>{code}</pre>").text == "```\na\n    b\n\n    c\n```\n"


def test_spans_make_no_more_cells_than_a_table_can_use() -> None:
    """90 cells of a few bytes ask for 9,000 columns, 2,000 rows ask for each of them again."""
    started = time.perf_counter()
    wide = "".join(f"<td colspan=100 rowspan=1000>c{n}</td>" for n in range(90))
    text = converted(f"<table><tr><th>H</th>{wide}</tr>{'<tr><td>x</td></tr>' * 2000}</table>").text
    assert all(f"c{n} " in text for n in range(90))
    assert text.count("\n") > 2000
    assert max(map(len, text.split("\n"))) < 10_000
    assert time.perf_counter() - started < 5


def test_a_long_cell_over_many_rows_is_not_written_without_end() -> None:
    rows = "<tr><td>x</td></tr>" * 1000
    text = converted(f"<table><tr><th rowspan=0>{'long ' * 10_000}</th><th>H</th></tr>{rows}</table>").text
    assert text.count("| x |") == 1000
    assert len(text) < 500_000


def test_no_cell_is_lost_beyond_the_widest_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conversion.html.tables._MAX_CELLS", 10_000)
    cells = "".join(f"<td>c{n}</td>" for n in range(300))
    text = converted(f"<table><tr><th>H</th><th>I</th></tr><tr>{cells}</tr>{'<tr><td>x</td></tr>' * 98}</table>").text
    assert all(f"c{n} " in text for n in range(300))
    assert text.count("|") == 101 * 101, "100 rows and the ruling line, of 100 columns each"


def test_a_formula_nested_beyond_any_recursion_keeps_its_text() -> None:
    deep = "<mrow>" * 1500 + "<mi>x</mi><mo>+</mo><mn>1</mn>" + "</mrow>" * 1500
    assert "x+1" in converted(f"<p>Let <math>{deep}</math> be.</p>").text
