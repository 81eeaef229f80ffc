"""Navigation: menus, side bars, footers, search boxes, edit links, and tables of the page's own contents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from filters.facts import read_facts
from filters.scope import LONGEST_LINE, MOSTLY_LINKS, line_round
from filters.targets import source_links
from filters.text import holds_code, holds_content, holds_heading, holds_table, length_of, link_share, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from filters.scope import Scope
    from wrac.records import Removal

_LANDMARK_TAGS: Final = ("nav", "search", "footer", "header", "aside", "dialog")
_RULES: Final = {
    "nav": "navigation.menu",
    "navigation": "navigation.menu",
    "menubar": "navigation.menu",
    "menu": "navigation.menu",
    "search": "navigation.search",
    "footer": "navigation.footer",
    "contentinfo": "navigation.footer",
    "dialog": "navigation.dialog",
    "alertdialog": "navigation.dialog",
    "header": "navigation.header",
    "banner": "navigation.header",
    "aside": "navigation.aside",
    "complementary": "navigation.aside",
}
_SEARCH_NAMES: Final = frozenset({"q", "s", "search", "query"})
_START: Final = re.compile(
    r"^(?:https?:)?//[^/]+/?$|^/$|^(?:\.\./)*(?:\.\.?/?)?$|^(?:\.\./)*(?:index|default)\.\w+$", re.IGNORECASE
)
_EDIT_LABEL: Final = re.compile(
    r"\b(?:edit|improve|suggest|view|show|report|open|raise)\b.{0,30}\b(?:page|source|github|gitlab|issue|doc|docs|edits?)\b"
    r"|^edit$|seite bearbeiten|modifier cette page|editar esta página|编辑此页|このページを編集|редактировать",
    re.IGNORECASE,
)
_ON_THIS_PAGE: Final = frozenset(read_facts("words")["own_contents"])
_NEVER_LISTED: Final = frozenset({"html", "body", "main", "article", "td", "pre"})
_CONTENTS_LINK_SHARE: Final = 0.85
_ENOUGH_TARGETS: Final = 0.8
_FEWEST_ENTRIES: Final = 2
_CONTENTS_NAMES: Final = frozenset(
    {"toc", "contents", "index", "quicklinks", "jumplinks", "outline", "minitoc", "localtoc"}
)


def drop_landmarks(scope: Scope) -> list[Removal]:
    """Elements and ARIA roles that name themselves navigation, search, dialog, page header or footer."""
    removals: list[Removal] = []
    for element in (*scope.survey.tagged(*_LANDMARK_TAGS), *scope.survey.with_role):
        rule = _RULES.get(element.get("role") or "") or _RULES.get(str(element.tag))
        if rule and scope.contains(element) and _is_furniture(scope, element, rule):
            removals += scope.cut(element, rule)
    return removals


def _is_furniture(scope: Scope, element: HtmlElement, rule: str) -> bool:
    if rule == "navigation.search":
        return True
    if rule == "navigation.header":
        return _is_outer(scope, element) and not holds_heading(element, "h1", "h2")
    if rule == "navigation.aside":
        return (_is_outer(scope, element) and not _holds_body(element)) or link_share(element) > MOSTLY_LINKS
    if rule == "navigation.footer" and _is_quotation_source(element):
        return False
    return not _holds_body(element)


def _holds_body(element: HtmlElement) -> bool:
    """Whether the element holds content that its role does not explain: code, data, or a numbered list of prose."""
    if holds_code(element) or holds_table(element):
        return True
    return holds_content(element) and link_share(element) < MOSTLY_LINKS


def _is_quotation_source(element: HtmlElement) -> bool:
    parent = element.getparent()
    return parent is not None and parent.tag in ("blockquote", "figure")


def _is_outer(scope: Scope, element: HtmlElement) -> bool:
    """Whether the element belongs to the page rather than to the text: no content element round it."""
    return not scope.declared and next(element.iterancestors("article", "main"), None) is None


def drop_site_names(scope: Scope) -> list[Removal]:
    """A first heading that is nothing but a link to the site's start, where others head the page itself."""
    headings = [h1 for h1 in scope.survey.tagged("h1") if scope.contains(h1)]
    if scope.declared or not headings or not holds_heading(scope.root, "h2"):
        return []
    first = headings[0]
    link = first.find(".//a[@href]")
    if link is None or length_of(link) < length_of(first) or not _START.search(link.get("href") or ""):
        return []
    return scope.cut(first, "navigation.site-name")


def drop_search_boxes(scope: Scope) -> list[Removal]:
    """Search forms that hold nothing but the search."""
    removals: list[Removal] = []
    for field in scope.within(scope.survey.tagged("input")):
        if field.get("type") == "search" or field.get("name") in _SEARCH_NAMES:
            form = next(field.iterancestors("form"), field)
            if length_of(form) <= LONGEST_LINE:
                removals += scope.cut(form, "navigation.search")
    return removals


def drop_own_contents(scope: Scope) -> list[Removal]:
    """Lists and index tables that only hold links to the page's own places ("on this page")."""
    removals: list[Removal] = []
    for element in scope.within(list(_lists_of_fragments(scope))):
        if _is_own_contents(element, scope):
            block = _with_label(scope, element)
            if block is not element or _names_contents(element):
                removals += scope.cut(block, "navigation.own-contents")
    return removals


def _lists_of_fragments(scope: Scope) -> Iterator[HtmlElement]:
    """Lists, outer ones first, whose first link leads to a fragment of the page."""
    for element in scope.survey.tagged("ul", "ol", "dl", "table"):
        first = next(element.iter("a"), None)
        if first is not None and _own_fragment(scope, first.get("href") or ""):
            yield element


def _own_fragment(scope: Scope, href: str) -> str:
    """The fragment of the page that a link leads to, be the page's own file named before it; else empty."""
    path, mark, fragment = href.partition("#")
    if not mark or (path and (not (own := scope.file_name) or path != own)):
        return ""
    return fragment


def _is_own_contents(element: HtmlElement, scope: Scope) -> bool:
    survey = scope.survey
    hrefs = [href for a in element.iter("a") if (href := a.get("href"))]
    targets = [_own_fragment(scope, href) for href in hrefs]
    if len(targets) < _FEWEST_ENTRIES or not all(targets):
        return False
    led = sum(survey.points_at(target) or survey.points_at(unquote(target)) for target in targets)
    return led >= _ENOUGH_TARGETS * len(targets) and link_share(element) >= _CONTENTS_LINK_SHARE


def _with_label(scope: Scope, element: HtmlElement) -> HtmlElement:
    """The block that holds the list and its label and nothing else, or that names itself; else the list.

    An author's own list of links to the sections below has neither, and stays.
    """
    own = text_of(element)
    block = element
    node = element
    for ancestor in element.iterancestors():
        if ancestor is scope.root or ancestor.tag in _NEVER_LISTED:
            break
        label = text_of(ancestor).replace(own, "", 1).strip().rstrip(" :").lower()
        if label and label not in _ON_THIS_PAGE:
            break
        node = ancestor
        if label or _names_contents(ancestor):
            block = node
    return block


def _names_contents(element: HtmlElement) -> bool:
    words = re.split(r"[\W_]+", f"{element.get('class') or ''} {element.get('id') or ''}".lower())
    return not _CONTENTS_NAMES.isdisjoint(words)


def drop_edit_links(scope: Scope) -> list[Removal]:
    """Short lines that offer to edit the page, to see its source or to report an issue with it."""
    removals: list[Removal] = []
    for link in scope.within_few(source_links(scope.survey)):
        if _EDIT_LABEL.search(text_of(link) or link.get("title") or ""):
            removals += scope.cut(line_round(scope, link), "navigation.edit-link")
    return removals
