"""Navigation: menus, breadcrumbs, side bars, pagers, tables of the page's own contents, footers, search and edit links."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from lxml import etree

from filters.removal import holds_content, text_of
from filters.scope import link_share

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from filters.scope import Scope
    from wrac.records import Removal

_landmarks: Final = etree.XPath(
    "descendant::*[self::nav or self::footer or self::header or self::aside or self::search or @role='navigation'"
    " or @role='search' or @role='contentinfo' or @role='banner' or @role='complementary' or @role='menubar'"
    " or @role='menu' or @role='dialog' or @role='alertdialog' or self::dialog or @role='toolbar']"
)
_search_forms: Final = etree.XPath(
    "descendant::form[@role='search' or descendant::input[@type='search' or @name='q' or @name='search'"
    " or @name='query' or @name='s']]"
)
_lists: Final = etree.XPath("descendant::*[self::ul or self::ol or self::dl][.//a[starts-with(@href, '#')]]")
_has_heading: Final = etree.XPath("boolean(descendant::*[self::h1 or self::h2])")
_ids: Final = etree.XPath("//@id | //a/@name", smart_strings=False)
_edit_links: Final = etree.XPath(
    "descendant::a[contains(@href, '/edit/') or contains(@href, 'issues/new') or contains(@href, 'action=edit')"
    " or contains(@href, '/blob/') or contains(@href, '_sources/')]"
)
_EDIT_LABEL: Final = re.compile(
    r"\b(?:edit|improve|suggest|view|show|report|open|raise)\b.{0,30}\b(?:page|source|github|gitlab|issue|doc|docs|edits?)\b"
    r"|^edit$|seite bearbeiten|modifier cette page|editar esta página|编辑此页|このページを編集|редактировать",
    re.I,
)
_ON_THIS_PAGE: Final = re.compile(
    r"^(?:on this page|in this (?:article|section|page|topic|guide)|(?:table of )?contents?|page contents|jump to|toc|"
    r"auf dieser seite|in diesem artikel|inhalt(?:sverzeichnis)?|sur cette page|dans cet article|sommaire|"
    r"table des matières|en esta página|en este artículo|contenido|índice|nesta página|neste artigo|conteúdo|"
    r"in questa pagina|indice|sommario|op deze pagina|inhoud|na tej stronie|spis treści|na této stránce|obsah|"
    r"på denna sida|på denne side|innehåll|indhold|innhold|sisältö|tartalom|cuprins|içindekiler|bu sayfada|содержание|"
    r"на этой странице|зміст|περιεχόμενα|目次|このページの内容|本页内容|本页目录|目录|目錄|이 페이지의 내용|목차|المحتويات)\s*:?$",
    re.I,
)
_LABEL_TAGS: Final = frozenset({"p", "h2", "h3", "h4", "h5", "h6", "div", "span", "strong", "b", "summary", "label"})
_CONTENTS_LINK_SHARE: Final = 0.85
_NAVIGATION_LINK_SHARE: Final = 0.6
_LONGEST_EDIT_LINE: Final = 120


def drop_landmarks(scope: Scope) -> list[Removal]:
    """Elements and ARIA roles that name themselves navigation, search, page header or footer."""
    removals: list[Removal] = []
    for element in _landmarks(scope.root):
        if scope.contains(element) and (rule := _landmark_rule(scope, element)):
            removals += scope.cut(element, rule)
    return removals


def _landmark_rule(scope: Scope, element: HtmlElement) -> str:
    tag, role = str(element.tag), element.get("role") or ""
    if tag == "nav" or role in ("navigation", "menubar", "menu"):
        return "" if _holds_body(element) else "navigation.menu"
    if tag == "search" or role == "search":
        return "navigation.search"
    if tag == "footer" or role == "contentinfo":
        return "" if _is_quotation_source(element) or _holds_body(element) else "navigation.footer"
    if tag == "dialog" or role in ("dialog", "alertdialog"):
        return "" if _holds_body(element) else "navigation.dialog"
    if tag == "header" or role == "banner":
        return "navigation.header" if not _has_heading(element) and _is_outer(scope, element) else ""
    if tag == "aside" or role == "complementary":
        return "navigation.aside" if _is_outer(scope, element) or link_share(element) > _NAVIGATION_LINK_SHARE else ""
    return ""


def _holds_body(element: HtmlElement) -> bool:
    return holds_content(element) and link_share(element) < _NAVIGATION_LINK_SHARE


def _is_quotation_source(element: HtmlElement) -> bool:
    parent = element.getparent()
    return parent is not None and parent.tag in ("blockquote", "figure")


def _is_outer(scope: Scope, element: HtmlElement) -> bool:
    """Whether the element belongs to the page rather than to the text: the scope is the whole body, no article round it."""
    return not scope.declared and next(element.iterancestors("article", "main"), None) is None


def drop_search_boxes(scope: Scope) -> list[Removal]:
    """Search forms that hold nothing but the search."""
    removals: list[Removal] = []
    for form in _search_forms(scope.root):
        if len(text_of(form)) <= _LONGEST_EDIT_LINE:
            removals += scope.cut(form, "navigation.search")
    return removals


def drop_own_contents(scope: Scope) -> list[Removal]:
    """Lists that only repeat the page's headings as links to its own fragments ("on this page")."""
    candidates = [element for element in _lists(scope.root) if scope.contains(element)]
    if not candidates:
        return []
    targets = frozenset(_ids(scope.root))
    removals: list[Removal] = []
    for element in candidates:
        if scope.contains(element) and _is_own_contents(element, targets):
            removals += scope.cut(_with_label(scope, element), "navigation.own-contents")
    return removals


def _is_own_contents(element: HtmlElement, targets: frozenset[str]) -> bool:
    links = [a.get("href") for a in element.iter("a") if a.get("href")]
    if len(links) < 2 or not all(href.startswith("#") for href in links):
        return False
    led = sum(href[1:] in targets or unquote(href[1:]) in targets for href in links)
    return led >= 0.8 * len(links) and link_share(element) >= _CONTENTS_LINK_SHARE


def _with_label(scope: Scope, element: HtmlElement) -> HtmlElement:
    """The block that holds the list and its label and nothing else, else the list."""
    length = len(text_of(element))
    block = element
    for ancestor in element.iterancestors():
        if ancestor is scope.root or ancestor.tag in ("body", "main", "article", "section", "td"):
            break
        label = text_of(ancestor).replace(text_of(element), "", 1).strip()
        if label and not (len(text_of(ancestor)) <= length + 40 and _ON_THIS_PAGE.match(label)):
            break
        block = ancestor
    return block


def drop_contents_labels(scope: Scope) -> list[Removal]:
    """Labels of a table of contents that were left behind without their list."""
    removals: list[Removal] = []
    for element in scope.root.iter(*_LABEL_TAGS):
        if len(element) <= 1 and (text := text_of(element)) and len(text) < 40 and _ON_THIS_PAGE.match(text):
            following = element.getnext()
            if element.tag not in ("h2", "h3") and (following is None or not text_of(following)):
                removals += scope.cut(element, "navigation.own-contents")
    return removals


def drop_edit_links(scope: Scope) -> list[Removal]:
    """Short lines that offer to edit the page, to see its source or to report an issue with it."""
    removals: list[Removal] = []
    for link in _edit_links(scope.root):
        if not _EDIT_LABEL.search(text_of(link) or link.get("title") or ""):
            continue
        block = link
        for ancestor in link.iterancestors("p", "div", "li", "footer", "span"):
            if ancestor is scope.root or len(text_of(ancestor)) > _LONGEST_EDIT_LINE or link_share(ancestor) < 0.5:
                break
            block = ancestor
        if block is not link or link.getparent().tag not in ("p", "li", "dd", "td"):
            removals += scope.cut(block, "navigation.edit-link")
    return removals
