"""Bytes to tree: encodings, bad input, deep nesting."""

from __future__ import annotations

import pytest

from filters import parse_html
from filters.parse import decode
from wrac.errors import NothingExtracted, UnsupportedContent

HTML = "text/html"


@pytest.mark.parametrize("body", [b"", b"  \r\n\t "], ids=["zero bytes", "white space"])
def test_an_empty_body_says_so(body: bytes) -> None:
    with pytest.raises(NothingExtracted, match="empty"):
        parse_html(body, HTML)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"%PDF-1.7\n...", "PDF"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"PK\x03\x04abc", "ZIP"),
        (bytes(range(32)) * 40, "binary"),
    ],
)
def test_binary_data_under_text_html_is_named(body: bytes, kind: str) -> None:
    with pytest.raises(UnsupportedContent, match=kind):
        parse_html(body, HTML)


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        ("<p>Größe".encode(), HTML, "Größe"),
        ("<p>Größe".encode("utf-8-sig"), "text/html; charset=latin-1", "Größe"),
        ("<p>Größe".encode("cp1252"), "text/html; charset=ISO-8859-1", "Größe"),
        (b'<meta charset="iso-8859-1"><p>Gr\xf6\xdfe', HTML, "Größe"),
        (b"<meta charset='windows-1250'><p>\xe8tvr\xb9", HTML, "čtvrą"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=euc-kr"><p>목차'.encode("euc-kr"), HTML, "목차"),
        ("<p>目次と本文".encode("shift_jis"), "text/html; charset=Shift_JIS", "目次と本文"),
        ("<p>Größe".encode("utf-16"), "text/html; charset=utf-16", "Größe"),
        ("<p>Größe".encode(), "text/html; charset=nonsense", "Größe"),
    ],
)
def test_the_encoding_is_found(body: bytes, content_type: str, expected: str) -> None:
    assert expected in decode(body, content_type)


def test_utf8_that_is_declared_as_something_else_is_read_as_utf8() -> None:
    text = "<p>Die Lotsen überprüfen größere Kähne früh am Tag für alle Gäste</p>"
    assert decode(text.encode(), "text/html; charset=iso-8859-1") == text


def test_a_few_broken_bytes_leave_the_rest_readable() -> None:
    body = ("Größere Kähne müssen früh los. " * 20).encode() + b"\xff"
    assert decode(body, "text/html; charset=utf-8").startswith("Größere Kähne müssen früh los.")


def test_an_undeclared_legacy_encoding_is_guessed() -> None:
    text = "<p>Сегодня большая вода, и шлюз открыт для всех судов до вечера. Лоцман ждёт у причала.</p>" * 3
    assert "большая вода" in decode(text.encode("cp1251"), HTML)


def test_nesting_beyond_the_parser_loses_no_text() -> None:
    body = b"<html><body>" + b"<div>" * 5_000 + b"deepest" + b"</div>" * 5_000 + b"<p>after</p></body></html>"
    text = parse_html(body, HTML).text_content()
    assert "deepest" in text
    assert "after" in text


def test_unclosed_nesting_beyond_the_parser_loses_no_text() -> None:
    body = b"<body>" + b"<blockquote><b>" * 3_000 + b"deepest<p>after"
    text = parse_html(body, HTML).text_content()
    assert "deepest" in text
    assert "after" in text


@pytest.mark.parametrize(
    "body",
    [
        b"just words",
        b"<p>words",
        b"</div></p>words<table><li>",
        b"<frameset><frame src=a>words",
        b"<!-- <p> -->words",
        b"w\x00ords",
    ],
)
def test_malformed_markup_keeps_its_words(body: bytes) -> None:
    assert "words" in parse_html(body, HTML).text_content()


@pytest.mark.parametrize(
    "code",
    [
        '<span></span><span class="k">def</span> <span class="nf">f</span>',
        '<span class="hljs-keyword">def</span> <span class="hljs-title function_">f</span>',
        '<span class="token keyword">def</span> <span class="token function">f</span>',
        '<span class="gp">def <span class="n">f</span></span>',
    ],
    ids=["pygments", "highlight.js", "prism", "nested"],
)
def test_a_highlighters_tokens_are_no_elements(code: str) -> None:
    pre = next(parse_html(f"<p>x<pre>{code}</pre>".encode(), HTML).iter("pre"))
    assert (pre.text, len(pre)) == ("def f", 0)


@pytest.mark.parametrize(
    "code",
    [
        '<span class="ln">1</span><span class="k">def</span>',
        '<span class="cl"><span class="k">def</span></span>',
        '<span class="hljs-ln-n">1</span><span class="hljs-keyword">def</span>',
        '<span class="token-line">def</span>',
        '<span id="a" class="k">def</span>',
        '<span class="k" hidden>def</span>',
    ],
)
def test_what_may_be_more_than_a_token_keeps_its_block_as_it_is(code: str) -> None:
    pre = next(parse_html(f"<p>x<pre>{code}</pre>".encode(), HTML).iter("pre"))
    assert len(list(pre.iter("span"))) == code.count("<span")


def test_spans_outside_of_code_stay() -> None:
    assert len(list(parse_html(b'<p><span class="k">a</span></p><pre>b</pre>', HTML).iter("span"))) == 1
