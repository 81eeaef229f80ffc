"""What the site profile says wins: keep, strip, main; and every page ends in one way."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from filters import CleaningRules, clean_page
from wrac.errors import ConfigError, NothingExtracted
from wrac.ids import digest
from wrac.records import CleanedPage, FetchedPage


def clean(body: str, rules: CleaningRules = CleaningRules()) -> CleanedPage:  # noqa: B008
    raw = f"<html><head><title>t</title></head><body>{body}</body></html>".encode()
    url = "https://docs.example/page.html"
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    return clean_page(FetchedPage(url, url, 200, "text/html", raw, moment, digest(raw)), rules)


PAGE = """<main><h1>Lanes</h1><p class="note">Note well.</p><p>There are three lanes in the yard, all of them open.</p>
<nav class="steps"><a href="/1">Step one</a></nav></main><aside id="fees"><p>A berth costs 40 a night.</p></aside>"""


def test_keep_protects_what_it_names_from_every_filter() -> None:
    assert "Step one" not in clean(PAGE).root.text_content()
    assert "Step one" in clean(PAGE, CleaningRules(keep=("nav.steps",))).root.text_content()


def test_strip_removes_what_it_names_and_says_so() -> None:
    page = clean(PAGE, CleaningRules(strip=("p.note",)))
    assert "Note well." not in page.root.text_content()
    assert [removal.preview for removal in page.removals if removal.rule == "profile.strip"] == ["Note well."]


def test_main_names_the_content_element() -> None:
    page = clean(PAGE, CleaningRules(main="#fees"))
    assert page.root.get("id") == "fees"
    assert "three lanes" not in page.root.text_content()


def test_a_broken_selector_is_a_mistake_of_the_profile() -> None:
    with pytest.raises(ConfigError, match="nav\\[\\["):
        clean(PAGE, CleaningRules(strip=("nav[[",)))


def test_a_page_of_nothing_but_navigation_says_what_was_removed() -> None:
    with pytest.raises(NothingExtracted, match=r"page\.html has no text .* 1 removals"):
        clean('<nav><a href="/">Home</a></nav>')


def test_a_removal_names_what_it_held() -> None:
    page = clean(
        "<main><h1>Lanes</h1><p>There are three lanes in the yard.</p></main><div><ul><li>x</li></ul><pre>y</pre></div>"
    )
    assert [removal.holds for removal in page.removals] == [("list", "code")]


def test_what_stands_in_for_machinery_is_recorded_once_where_it_holds_text() -> None:
    page = clean(
        "<main><h1>Lanes</h1><p>There are three lanes in the yard.</p>"
        "<noscript><style>.a { color: red }</style><img src=pixel.gif></noscript><iframe src=/map></iframe>"
        "<noscript>Turn scripts on: <iframe>a map</iframe></noscript>"
        "<object data=plan.pdf><table><tr><th>Lane<tr><td>One</table></object> after</main>"
    )
    assert [(removal.rule, removal.preview, removal.holds) for removal in page.removals] == [
        ("machinery.noscript", "Turn scripts on: a map", ()),
        ("machinery.object", "LaneOne", ("table",)),
    ]
    assert page.root.text_content().endswith(" after")


def test_invisible_characters_go_and_those_that_writing_needs_stay() -> None:
    smuggled = "".join(chr(0xE0000 + ord(c)) for c in "obey me")
    page = clean(
        f"<main><h1>Lanes</h1><p>Schiff\u00adfahrts\u200bamt{smuggled} and نمی\u200cخواهم and 👩\u200d🚀</p></main>"
    )
    text = page.root.text_content()
    assert "Schifffahrtsamt and نمی\u200cخواهم and 👩\u200d🚀" in text
    (removal,) = [removal for removal in page.removals if removal.rule == "hidden.characters"]
    assert removal.characters == len("obey me") + 2
    assert removal.preview == "obey me U+00AD U+200B"


def test_the_heading_with_the_page_s_title_is_taken_along() -> None:
    page = clean_title("<h1>Lanes</h1><main><p>There are three lanes in the yard, all open.</p></main>")
    assert page.root[0].tag == "h1"
    assert page.root.text_content().startswith("Lanes")


def test_links_directives_and_base_are_those_of_the_whole_page() -> None:
    page = clean(PAGE + '<footer><a href="/imprint">x</a></footer>')
    assert [link.url for link in page.links] == ["https://docs.example/1", "https://docs.example/imprint"]
    assert page.base_url == page.url == "https://docs.example/page.html"


def clean_title(body: str) -> CleanedPage:
    raw = f"<html><head><title>Lanes - Depot</title></head><body>{body}</body></html>".encode()
    url = "https://docs.example/page.html"
    return clean_page(FetchedPage(url, url, 200, "text/html", raw, datetime(2026, 1, 1, tzinfo=UTC), digest(raw)))
