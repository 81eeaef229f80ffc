"""Furniture known by what it says rather than by what it is called.

Lists of other articles, marks of advertisements, "Was this page helpful?", links past the navigation, lines of rights.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

from filters.facts import read_facts
from filters.text import holds_content, length_of, link_share, quick_text, text_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from filters.scope import Scope
    from wrac.records import Removal

_WORDS: Final = read_facts("words")
_ADVERTISEMENT: Final = frozenset(_WORDS["advertisement"])
_RELATED: Final = tuple(_WORDS["related"])
_ANSWERS: Final = frozenset(_WORDS["answers"])
_SKIP: Final = tuple(_WORDS["skip"])
_HEADINGS: Final = ("h2", "h3", "h4", "h5", "h6")
_LABELS: Final = (*_HEADINGS, "p", "div", "span", "strong", "b", "small")
_INLINE: Final = frozenset({"a", "b", "strong", "em", "i", "span", "small", "br", "svg", "img"})
_NEVER_BLOCK: Final = frozenset({"html", "body", "main", "article", "td", "li", "dd", "pre"})
_LONGEST_LABEL: Final = 60
_LONGEST_SKIP: Final = 50
_LONGEST_FEEDBACK: Final = 300
_LONGEST_LIST: Final = 40
_RELATED_SHARE: Final = 0.4
_RELATED_LINK_SHARE: Final = 0.25
_LINES: Final = ("p", "div", "span", "small", "li", "td", "a", "address", "center")
_LAST_LINES: Final = 12
_LONGEST_RIGHTS: Final = 200
_RIGHTS: Final = re.compile(
    r"(?:©|\(c\)|copyright)\s.{0,60}(?:19|20)\d\d|^\s*©|all rights reserved|alle rechte vorbehalten"
    r"|tous droits réservés|todos los derechos reservados|tutti i diritti riservati|todos os direitos reservados"
    r"|alle rechten voorbehouden|wszelkie prawa zastrzeżone|všechna práva vyhrazena|все права защищены"
    r"|всі права захищені|版权所有|著作権|저작권",
    re.IGNORECASE,
)
_QUESTION_MARKS: Final = ("?", "？", "؟", ";")


def drop_related_sections(scope: Scope) -> list[Removal]:
    """Sections whose heading announces other articles, and marks of advertisements."""
    if scope.documented:
        return []
    removals: list[Removal] = []
    announcing: list[HtmlElement] = []
    for element in list(scope.root.iter(*_LABELS)):
        text = _own_text(element)
        if text in _ADVERTISEMENT:
            removals += scope.cut(element, "furniture.promotion")
        elif text.startswith(_RELATED):
            announcing.append(element)
    for label in scope.within_few(announcing):
        for block in _section_of(scope, label):
            removals += scope.cut(block, "furniture.related")
    return removals


def _own_text(element: HtmlElement) -> str:
    """The element's text where it is short enough for a label, lower case."""
    if any(child.tag not in _INLINE for child in element) or len(element.text or "") > 2 * _LONGEST_LABEL:
        return ""
    text = text_of(element)
    return text.lower() if len(text) <= _LONGEST_LABEL else ""


def _section_of(scope: Scope, label: HtmlElement) -> list[HtmlElement]:
    """The label and what it announces; nothing where that is prose, or too much of the page to be an appendix."""
    node = label
    for ancestor in label.iterancestors():
        if ancestor is scope.root or ancestor.tag in _NEVER_BLOCK or not _begins_with(ancestor, node):
            break
        node = ancestor
    section = [node] if length_of(node) > length_of(label) else [node, *_following(node)]
    length = sum(map(length_of, section))
    if length > _RELATED_SHARE * scope.characters or any(map(holds_content, section)):
        return []
    linked = sum(link_share(part) * length_of(part) for part in section)
    return section if length and linked >= _RELATED_LINK_SHARE * (length - length_of(label)) else []


def _begins_with(ancestor: HtmlElement, node: HtmlElement) -> bool:
    before = node.getprevious()
    while before is not None and not isinstance(before.tag, str):
        before = before.getprevious()
    return before is None and not (ancestor.text or "").strip()


def _following(node: HtmlElement) -> list[HtmlElement]:
    """Siblings up to the next heading, as far as a list of other articles reaches."""
    found = []
    for sibling in islice(node.itersiblings(), _LONGEST_LIST):
        if sibling.tag in ("h1", *_HEADINGS):
            break
        found.append(sibling)
    return found


def drop_feedback_widgets(scope: Scope) -> list[Removal]:
    """Short blocks that ask a question to be answered by a yes or no control, in any language."""
    removals: list[Removal] = []
    links = [link for link, href in scope.survey.inner_links if href == "#"]
    scripted = [link for link, href in scope.survey.links if href.startswith("javascript:")]
    controls = (*scope.survey.tagged("button", "label"), *links, *scripted)
    for control in scope.within_few(e for e in controls if quick_text(e).lower() in _ANSWERS):
        if (block := _question_round(scope, control)) is not None:
            removals += scope.cut(block, "furniture.feedback")
    return removals


def _question_round(scope: Scope, control: HtmlElement) -> HtmlElement | None:
    block = None
    for ancestor in control.iterancestors():
        if ancestor is scope.root or ancestor.tag in ("body", "main", "article", "td", "table"):
            break
        text = text_of(ancestor)
        if len(text) > _LONGEST_FEEDBACK or holds_content(ancestor):
            break
        if any(mark in text for mark in _QUESTION_MARKS):
            block = ancestor
    return block


def drop_copyright_lines(scope: Scope) -> list[Removal]:
    """The line of rights at the very end of a page, which no page is about that a documentation generator made."""
    if scope.documented:
        return []
    removals: list[Removal] = []
    last = [e for e in scope.root.iter(*_LINES) if not len(e) and (e.text or "").strip()][-_LAST_LINES:]
    for element in last:
        if _RIGHTS.search(element.text or "") and length_of(element) <= _LONGEST_RIGHTS:
            removals += scope.cut(element, "furniture.copyright")
    return removals


def drop_skip_links(scope: Scope) -> list[Removal]:
    """Links past the navigation and back to the top."""
    removals: list[Removal] = []
    for link, _ in scope.survey.inner_links:
        text = (link.text or "").strip().lower()
        if text and not len(link) and len(text) <= _LONGEST_SKIP and text.startswith(_SKIP):
            removals += scope.cut(link, "navigation.skip")
    return removals
