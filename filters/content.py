"""Which element of the page is its main content, and cutting it free from the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from filters.consent import is_consent_manager
from filters.furniture import names_furniture
from filters.removal import describe
from filters.scope import MOSTLY_LINKS
from filters.selectors import find_all
from filters.text import holds_code, holds_content, length_of, link_share, text_of
from wrac.records import Removal

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from filters.generator_facts import Generator
    from filters.survey import Survey

_FEWEST_CHARACTERS: Final = 15
_MOST_OF_IT: Final = 0.5
_PROSE: Final = 150
_SENTENCE: Final = 40
_PROSE_LINK_SHARE: Final = 0.3
_CHROME_TAGS: Final = frozenset({"nav", "header", "footer", "aside", "form"})
_OUTER_RULES: Final = {
    "nav": "outside.navigation",
    "header": "outside.header",
    "footer": "outside.footer",
    "aside": "outside.sidebar",
}


def declared_content(survey: Survey, generator: Generator | None) -> HtmlElement | None:
    """The content element that the page names itself; None where it names none.

    In this order: a recognised generator's content element, ``main`` or ``role=main`` (narrowed to its only article),
    the only article.
    """
    if generator is not None:
        for css in generator.content:
            if (found := _whole(find_all(css, survey))) is not None:
                return found
    main = _longest([*survey.tagged("main"), *(e for e in survey.with_role if e.get("role") == "main")])
    if main is not None:
        inner = [article for article in main.iter("article") if _is_outermost(article, main)]
        return _narrowed(main, inner)
    articles = [article for article in survey.tagged("article") if _is_outermost(article, None)]
    articles = [article for article in articles if length_of(article) >= _FEWEST_CHARACTERS]
    return articles[0] if len(articles) == 1 else None


def _whole(elements: list[HtmlElement]) -> HtmlElement | None:
    """The element, or the smallest one that holds all of them where a page has several, as a discussion has posts."""
    found = [element for element in elements if length_of(element) >= _FEWEST_CHARACTERS]
    if not found:
        return None
    first, *others = found
    for other in others:
        around = {first, *first.iterancestors()}
        first = next(node for node in (other, *other.iterancestors()) if node in around)
    return first


def _longest(elements: list[HtmlElement]) -> HtmlElement | None:
    measured = [(length_of(element), -place, element) for place, element in enumerate(elements)]
    length, _, element = max(measured, default=(0, 0, None))
    return element if length >= _FEWEST_CHARACTERS else None


def _is_outermost(article: HtmlElement, within: HtmlElement | None) -> bool:
    outer = next(article.iterancestors("article", "main"), None)
    return outer is within or (outer is not None and outer.tag == "main")


def _narrowed(main: HtmlElement, articles: list[HtmlElement]) -> HtmlElement:
    """The only article inside ``main`` where nothing that looks like content stands beside it."""
    if len(articles) != 1 or length_of(articles[0]) < _MOST_OF_IT * length_of(main):
        return main
    node = article = articles[0]
    while node is not main:
        outer = node.getparent()
        if outer is None or any(is_content(sibling) for sibling in outer if sibling is not node):
            return main
        node = outer
    return article


def is_content(element: HtmlElement) -> bool:
    """Whether leaving the element out would lose content: code, data, numbered lists, the heading, or prose."""
    if not isinstance(element.tag, str) or element.tag in _CHROME_TAGS:
        return False
    if holds_code(element):
        return True
    if names_furniture(element):
        return False
    links = link_share(element)
    if holds_content(element) and links < MOSTLY_LINKS:
        return True
    return links < _PROSE_LINK_SHARE and length_of(element) >= (_SENTENCE if element.tag == "p" else _PROSE)


def cut_free(element: HtmlElement, title: str = "") -> list[Removal]:
    """Takes the element out of its document and records all that stood round it.

    Afterwards the element is a root of its own. A heading outside of it that says ``title`` is put at its start where
    it has none that says so.
    """
    removals: list[Removal] = []
    heading = _adopted_heading(element, title)
    node = element
    parent = node.getparent()
    while parent is not None and node.tag != "body":
        for sibling in parent:
            if sibling is not node and sibling is not heading and isinstance(sibling.tag, str):
                removals += _outside(sibling)
        removals += _loose_text(parent)
        node, parent = parent, parent.getparent()
    if element.getparent() is not None:
        element.tail = None
        element.getparent().remove(element)
    if heading is not None:
        heading.tail = None
        heading.drop_tree()
        element.insert(0, heading)
        heading.tail, element.text = element.text, None
    return removals


def _outside(sibling: HtmlElement) -> list[Removal]:
    rule = _OUTER_RULES.get(str(sibling.tag), "outside.content")
    if is_consent_manager(sibling):
        rule = "consent.manager"
    removal = describe(sibling, rule)
    return [removal] if removal.characters else []


def _loose_text(parent: HtmlElement) -> list[Removal]:
    texts = [parent.text or "", *(child.tail or "" for child in parent)]
    text = " ".join(" ".join(texts).split())
    return [Removal("outside.text", str(parent.tag), len(text), text[:160])] if text else []


def _adopted_heading(element: HtmlElement, title: str) -> HtmlElement | None:
    """The h1 with the page's title (and not the one with the site's name) where the content element has no such h1."""
    own = title.casefold()
    headings = [text for h1 in element.iter("h1") if (text := text_of(h1))]
    if not own or any(text.casefold().startswith(own) for text in headings):
        return None
    if headings and text_of(element).startswith(headings[0]):  # the content's own, above whatever it says
        return None
    outer = element.getroottree().getroot().iter("h1")
    return next((h1 for h1 in outer if text_of(h1).casefold() == own), None)
