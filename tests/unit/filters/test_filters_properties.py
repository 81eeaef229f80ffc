"""What holds for any page: one clear end, every lost character recorded, the same page the same result."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

from hypothesis import example, given, settings
from hypothesis import strategies as st

from filters import clean_page
from filters.parse import parse_html
from wrac.errors import PageError
from wrac.ids import digest
from wrac.records import CleanedPage, FetchedPage

TAGS = ("div", "p", "main", "article", "nav", "aside", "footer", "header", "section", "form", "ul", "li", "ol", "table")
INNER = ("tr", "td", "pre", "h1", "h2", "a", "button", "span", "dialog", "details", "summary", "input", "blockquote")
ATTRIBUTES = (
    "",
    ' class="cookie-banner"',
    ' id="onetrust-consent-sdk"',
    ' class="related share newsletter"',
    ' class="sidebar menu"',
    ' style="display:none"',
    " hidden",
    ' aria-hidden="true"',
    ' role="tabpanel"',
    ' role="navigation"',
    ' href="#a"',
    ' href="/login"',
    ' type="password"',
    ' id="a"',
)
WORDS = st.sampled_from(("The gate opens.", "Accept all", "cookies", "Log in", "Yes", "Helpful?", "On this page", "©"))


@st.composite
def elements(draw: st.DrawFn, depth: int = 0) -> str:
    tag = draw(st.sampled_from(TAGS + INNER))
    attributes = draw(st.sampled_from(ATTRIBUTES))
    children = [] if depth > 3 else draw(st.lists(elements(depth=depth + 1), max_size=3))
    return f"<{tag}{attributes}>{draw(WORDS)}{''.join(children)}</{tag}>{draw(WORDS)}"


PAGES = st.lists(elements(), min_size=1, max_size=4).map("".join)


def clean(html: str) -> CleanedPage:
    body = html.encode("utf-8", "surrogatepass")
    url = "https://docs.example/page.html"
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    return clean_page(FetchedPage(url, url, 200, "text/html; charset=utf-8", body, moment, digest(body)))


@settings(max_examples=80, deadline=None)
@given(PAGES)
def test_every_lost_character_is_recorded(html: str) -> None:
    whole = "".join(parse_html(html.encode(), "text/html; charset=utf-8").text_content().split())
    try:
        page = clean(html)
    except PageError:
        return
    lost = len(whole) - len("".join(page.root.text_content().split()))
    assert lost <= sum(removal.characters for removal in page.removals)


@settings(max_examples=40, deadline=None)
@given(PAGES)
def test_the_same_page_gives_the_same_result(html: str) -> None:
    def outcome() -> object:
        try:
            page = clean(html)
        except PageError as error:
            return type(error), str(error)
        return page.root.text_content(), page.removals, page.metadata, page.links

    assert outcome() == outcome()


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=300) | st.binary(max_size=300))
@example("\x85")
@example("\xa0\u2003")
def test_whatever_comes_ends_as_a_page_or_as_a_page_error(data: str | bytes) -> None:
    body = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    with suppress(PageError):
        page = clean_page(FetchedPage("https://a.example/", "https://a.example/", 200, "", body, moment, digest(body)))
        assert page.root.text_content().strip() or page.root.find(".//img") is not None
