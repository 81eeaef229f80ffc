"""The part of CSS that generator facts are written in agrees with lxml's full CSS."""

from __future__ import annotations

import pytest
from lxml.cssselect import CSSSelector

from filters.generator_facts import GENERATORS
from filters.parse import parse_html
from filters.selectors import find_all
from filters.survey import take_survey

HTML = """<html><body><div id="content" class="a b"><main><article class="doc x"><p>1</p></article></main>
<div class="doc"><main role="main"><p>2</p></main></div></div><section class="content"></section>
<article class="doc">3</article>
<div class="body" role="main"></div><nav class="b"><a class="x">4</a></nav></body></html>"""


@pytest.mark.parametrize(
    "css",
    [
        "main",
        "#content",
        ".doc",
        "article.doc",
        "#content > main",
        "#content main",
        "div.body[role=main]",
        "[role=main]",
        ".a .x",
        ".b > .x",
        ".a.b",
        "div.a.b > div > main",
        "#none",
        ".none",
        "span",
    ],
)
def test_it_finds_what_css_finds(css: str) -> None:
    root = parse_html(HTML.encode())
    found = find_all(css, take_survey(root))
    assert set(found) == set(CSSSelector(css)(root))


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda generator: generator.name)
def test_every_fact_is_a_selector_of_both(generator: object) -> None:
    survey = take_survey(parse_html(HTML.encode()))
    for css in (*generator.content, *generator.chrome):  # type: ignore[attr-defined]
        CSSSelector(css)
        find_all(css, survey)
