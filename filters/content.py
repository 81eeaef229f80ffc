"""Which element of the page is its main content, and cutting it free from the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lxml import etree

from filters.consent import is_consent_manager
from filters.generators import selector
from filters.removal import describe, holds_content, text_of
from wrac.records import Removal

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from filters.generators import Generator

_mains: Final = etree.XPath("//main | //*[@role='main']")
_articles: Final = etree.XPath("//article[not(ancestor::article)] | //*[@role='article'][not(ancestor::article)]")
_inner_articles: Final = etree.XPath("descendant::article[not(ancestor::article)]")
_headings: Final = etree.XPath("count(descendant::*[self::h1 or self::h2 or self::h3 or self::h4])")
_first_h1: Final = etree.XPath("descendant-or-self::h1[normalize-space()][1]")
_FEWEST_CHARACTERS: Final = 40
_MOST_OF_IT: Final = 0.5
_OUTER_RULES: Final = {
    "nav": "outside.navigation",
    "header": "outside.header",
    "footer": "outside.footer",
    "aside": "outside.sidebar",
}


def declared_content(root: HtmlElement, generator: Generator | None, main_selector: str = "") -> HtmlElement | None:
    """The content element that the page names itself; None where it names none.

    In this order: the site profile's selector, a recognised generator's content element, ``main`` or ``role=main``
    (narrowed to its only article), the only article.
    """
    if main_selector and (chosen := selector(main_selector)(root)):
        return chosen[0]
    if generator is not None:
        for css in generator.content:
            found = [element for element in selector(css)(root) if len(text_of(element)) >= _FEWEST_CHARACTERS]
            if found:
                return found[0]
    mains = [element for element in _mains(root) if len(text_of(element)) >= _FEWEST_CHARACTERS]
    if mains:
        main = max(mains, key=lambda element: len(text_of(element)))
        return _narrowed(main, _inner_articles(main))
    articles = [element for element in _articles(root) if len(text_of(element)) >= _FEWEST_CHARACTERS]
    if len(articles) == 1:
        return articles[0]
    return None


def _narrowed(main: HtmlElement, articles: list[HtmlElement]) -> HtmlElement:
    """The only article inside ``main`` where nothing that looks like content stands beside it."""
    if len(articles) != 1:
        return main
    article = articles[0]
    if len(text_of(article)) < _MOST_OF_IT * len(text_of(main)):
        return main
    beside = _headings(main) - _headings(article)
    code = len(main.findall(".//pre")) - len(article.findall(".//pre"))
    return main if code or beside > 1 + _headings(article) else article


def cut_free(element: HtmlElement) -> list[Removal]:
    """Takes the element out of its document and records all that stood round it.

    Afterwards the element is a root of its own. A page heading outside of it is put at its start where it has none.
    """
    removals: list[Removal] = []
    heading = _adopted_heading(element)
    node = element
    parent = node.getparent()
    while parent is not None and node.tag != "body":
        for sibling in parent:
            if sibling is not node and sibling is not heading and isinstance(sibling.tag, str):
                removals += _outside(sibling, heading)
        removals += _loose_text(parent, node)
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


def _outside(sibling: HtmlElement, heading: HtmlElement | None) -> list[Removal]:
    rule = _OUTER_RULES.get(str(sibling.tag), "outside.content")
    if is_consent_manager(sibling):
        rule = "consent.manager"
    removal = describe(sibling, rule)
    return [removal] if removal.characters else []


def _loose_text(parent: HtmlElement, inner: HtmlElement) -> list[Removal]:
    texts = [parent.text or "", *(child.tail or "" for child in parent)]
    text = " ".join(" ".join(texts).split())
    return [Removal("outside.text", str(parent.tag), len(text), text[:160])] if text else []


def _adopted_heading(element: HtmlElement) -> HtmlElement | None:
    """The page's only h1 where it stands before the content element that has none."""
    if _first_h1(element):
        return None
    root = element.getroottree().getroot()
    headings = [h1 for h1 in root.iter("h1") if text_of(h1)]
    if len(headings) != 1:
        return None
    return headings[0] if not holds_content(headings[0]) else None
