"""Random pages through the HTML converter, read back by markdown-it: nothing is lost, nothing changes its kind."""

from __future__ import annotations

import html
import re

import lxml.html
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml.etree import iterwalk
from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from conversion import HtmlConverter
from wrac.ids import digest
from wrac.records import CleanedPage, Directives, MarkdownDocument, PageMetadata

COMMONMARK = MarkdownIt("commonmark").enable(["table", "strikethrough"])
OURS = (
    MarkdownIt("commonmark")
    .enable(["table", "strikethrough"])
    .use(deflist_plugin)
    .use(footnote_plugin, move_to_end=False)
)

# What trips converters: block starts, emphasis, brackets, entities, tags and pipes as plain text.
AWKWARD = [
    "2024. A year", "1) one", "+ plus", "- minus", "* star", "# hash", "#tag", "> quote", "---", "***", "___",
    "===", "= =", "*args", "**kwargs", "a*b*c", "_private", "__init__", "snake_case", "x_", "`tick`", "``",
    "a | b", "|", "| - |", "--- | ---", "[x]", "[x](y)", "](z)", "[^1]", "[x]: y", "![i](j)", "!", "<b>",
    "<div", "</p>", "<!-- c -->", "<a@b.c>", "a < b", "a <b", "&amp;", "&#65;", "&copy", "~~s~~", "~", ": def",
    "~ def", "\\", "\\*", "C:\\", "~~~", "```", "http://a.b/_c_", "100 %", "(p)", "x:", "1.", "12", "word",
    "two words", "Ünïcode", "漢字", "שלום", "“q”", "a\u00adb", "z\u200bw", "n\u00a0b", "\ufdd01\ufdd1", "$x$",
    "x^2", "^", "{#id}", "|---|", "end #", "# #", ":", "1986\\. x", "-", "+", "*", "_", "_ _ _", "* * *",
]  # fmt: skip
TEXT = st.lists(st.sampled_from(AWKWARD), min_size=1, max_size=4).map(" ".join) | st.sampled_from(AWKWARD)
CODE_TEXT = st.lists(
    st.sampled_from(
        ["x = 1", "    y", "", "```", "````", "~~~", "# c", "- a", "| a |", "<b>&amp;", "\tt", "`q`", "> z", "1. n"]
    ),
    min_size=1,
    max_size=5,
).map("\n".join)


def _text(text: str) -> str:
    return html.escape(text, quote=False)


def _tagged(name: str, inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return inner.map(lambda content: f"<{name}>{content}</{name}>")


def _inline_of(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(" ".join),
        *(_tagged(name, inner) for name in ("b", "em", "strong", "i", "del", "span", "u", "sub")),
        inner.map(lambda content: f'<a href="../x(1).html?q=a b">{content}</a>'),
        inner.map(lambda content: f"<b> {content} </b>"),
        st.tuples(inner, inner).map("<br>".join),
    )


INLINE = st.recursive(
    st.one_of(TEXT.map(_text), TEXT.map(_text), TEXT.map(lambda text: f"<code>{_text(text)}</code>")),
    _inline_of,
    max_leaves=5,
)
PARAGRAPH = st.one_of(_tagged("p", INLINE), INLINE, _tagged("div", INLINE))
CODE = CODE_TEXT.map(lambda text: f"<pre><code>\n{_text(text)}</code></pre>")
HEADING = st.tuples(st.integers(1, 6), INLINE).map(lambda pair: f"<h{pair[0]}>{pair[1]}</h{pair[0]}>")


def _table_of(cell: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    rows = st.integers(2, 3).flatmap(
        lambda width: st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1, max_size=3)
    )
    return rows.map(
        lambda cells: (
            "<table><tr>"
            + "".join(f"<th>h{n}</th>" for n in range(len(cells[0])))
            + "</tr>"
            + "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells)
            + "</table>"
        )
    )


def _blocks_of(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(inner, min_size=1, max_size=3).map("".join)
    items = st.lists(several, min_size=1, max_size=3)
    return st.one_of(
        several,
        _tagged("div", several),
        _tagged("section", several),
        _tagged("blockquote", several),
        items.map(lambda each: "<ul>" + "".join(f"<li>{item}</li>" for item in each) + "</ul>"),
        st.tuples(st.integers(0, 12), items).map(
            lambda pair: f'<ol start="{pair[0]}">' + "".join(f"<li>{item}</li>" for item in pair[1]) + "</ol>"
        ),
        st.tuples(INLINE, several).map(lambda pair: f"<dl><dt>{pair[0]}</dt><dd>{pair[1]}</dd></dl>"),
        several.map(lambda content: f"<details><summary>Label</summary>{content}</details>"),
        several.map(
            lambda content: f'<div class="admonition note"><p class="admonition-title">Note</p>{content}</div>'
        ),
    )


LEAF = st.one_of(PARAGRAPH, CODE, HEADING, _table_of(INLINE))
PAGE = st.lists(st.recursive(LEAF, _blocks_of, max_leaves=6), min_size=1, max_size=4).map("".join)


def converted(body: str) -> MarkdownDocument:
    """The Markdown of a page with this body."""
    root = lxml.html.document_fromstring(
        f"<html><body><p>start</p>{body}</body></html>", parser=lxml.html.HTMLParser(encoding="utf-8")
    ).find("body")
    url = "https://handbook.example/docs/a/page.html"
    page = CleanedPage(root, url, url, PageMetadata(), Directives(), (), ())
    return HtmlConverter().convert(page)


APART = frozenset([
    "address", "blockquote", "br", "dd", "details", "div", "dl", "dt", "h1", "h2", "h3", "h4",
    "h5", "h6", "li", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "th", "thead", "tr", "ul",
])  # fmt: skip
INVISIBLE = re.compile("[\u00ad\u200b\ufdd0-\ufdef]")


def source(body: str) -> lxml.html.HtmlElement:
    return lxml.html.document_fromstring(
        f"<html><body><p>start</p>{body}</body></html>", parser=lxml.html.HTMLParser(encoding="utf-8")
    )


def rendered(markdown: str, parser: MarkdownIt = OURS) -> lxml.html.HtmlElement:
    return lxml.html.document_fromstring(f"<html><body>{parser.render(markdown)}</body></html>")


def squeezed(element: lxml.html.HtmlElement) -> str:
    """All characters that a reader sees, white space left out."""
    return INVISIBLE.sub("", re.sub(r"\s+", "", element.text_content()))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(PARAGRAPH | HEADING, min_size=1, max_size=3).map("".join))
def test_flowing_text_is_read_back_character_by_character(body: str) -> None:
    text = converted(body).text
    assert squeezed(rendered(text)) == squeezed(source(body)), text
    assert squeezed(rendered(text, COMMONMARK)).replace(":", "") == squeezed(source(body)).replace(":", ""), text


@settings(max_examples=150, deadline=None, derandomize=True)
@given(PAGE)
def test_words_headings_and_code_survive_any_nesting(body: str) -> None:
    text = converted(body).text
    before, after = source(body), rendered(text)
    assert words(after) == words(before), text
    assert headings(after) == headings(before), text
    assert code(after) == code(before), text


@settings(max_examples=100, deadline=None, derandomize=True)
@given(_table_of(INLINE))
def test_cells_keep_their_text_and_place(body: str) -> None:
    text = converted(body).text
    assert cells(rendered(text)) == cells(source(body)), text


@settings(max_examples=60, deadline=None, derandomize=True)
@given(PAGE)
def test_the_same_page_gives_the_same_document_and_is_left_alone(body: str) -> None:
    root = source(body).find("body")
    url = "https://handbook.example/docs/a/page.html"
    page = CleanedPage(root, url, url, PageMetadata(), Directives(), (), ())
    before = lxml.html.tostring(root)
    first, second = HtmlConverter().convert(page), HtmlConverter().convert(page)
    assert first == second
    assert lxml.html.tostring(root) == before
    assert first.digest == digest(first.text)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.text(alphabet=st.sampled_from("*_`~[]()<>!&#|\\-+.: \n1a\ufdd3\ufdd9"), max_size=40))
def test_any_soup_of_markup_characters_is_read_back(text: str) -> None:
    document = converted(f"<p>{_text(text)}</p>")
    assert squeezed(rendered(document.text)) == squeezed(source(f"<p>{_text(text)}</p>")), document.text


def words(element: lxml.html.HtmlElement) -> list[str]:
    """Words in order, parted by blocks and line breaks; numbers of lists are no text on either side."""
    pieces: list[str] = []
    for event, node in iterwalk(element, events=("start", "end")):
        if node.tag in APART:
            pieces.append(" ")
        pieces.append((node.text if event == "start" else node.tail) or "")
    return re.findall(r"[^\W_]+", INVISIBLE.sub("", "".join(pieces)))


def headings(element: lxml.html.HtmlElement) -> list[tuple[str, str]]:
    found = [(str(h.tag), squeezed(h)) for h in element.iter("h1", "h2", "h3", "h4", "h5", "h6")]
    return [(tag, text) for tag, text in found if text]


def code(element: lxml.html.HtmlElement) -> list[str]:
    found = [re.sub(r"\A(?:[ \t]*\n)+", "", pre.text_content().rstrip()) for pre in element.iter("pre")]
    return [text for text in found if text.strip()]


def cells(element: lxml.html.HtmlElement) -> list[list[str]]:
    return [[squeezed(cell) for cell in row] for row in element.iter("tr")]
