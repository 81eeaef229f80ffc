"""Bars and lists of links to other pages of the site, known by where they lead rather than by what they are called.

Pages of many generators, and most that were written by hand, mark them by nothing else.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final, cast

from lxml import etree

from filters.facts import read_facts
from filters.links import absolute
from filters.scope import MOSTLY_LINKS
from filters.text import holds_code, holds_heading, length_of, link_share, quick_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from filters.scope import Scope
    from wrac.records import Removal

_WORDS: Final = read_facts("words")
_DIRECTIONS: Final = frozenset(_WORDS["directions"])
_PLACES: Final = frozenset(_WORDS["places"])
_SINGLE_WORDS: Final = frozenset(word for phrase in _DIRECTIONS | _PLACES for word in phrase.split())
_RELATIONS: Final = frozenset({"prev", "previous", "next", "up"})
_ARROWS: Final = "<>«»‹›←→↑▲△⇐⇒⇑◄►◀▶⟨⟩⇦⇨⇧⯇⯈"
_FORWARD: Final = tuple(">»›→►▶⇒")
"""Calls to go on ("Install →") end so too; a bar leads back as well."""
_ARROW: Final = "→"
_BOLD: Final = frozenset({"b", "strong", "i", "em", "span"})
_NO_LETTERS: Final = re.compile(r"[\W_]+")
_INTRODUCED: Final = re.compile(r"([^\W\d_]+(?: [^\W\d_]+)?)\s*:\s*$")
_NEVER_BAR: Final = frozenset({"html", "body", "main", "article", "pre", "dl", "dd"})
_LONGEST_LABEL: Final = 80
_LONGEST_BAR: Final = 500
_FEWEST_IN_BAR: Final = 2
_HEADINGS: Final = ("h1", "h2", "h3")
_TOP_TAGS: Final = frozenset({"table", "ul", "ol", "div", "p", "center", "span"})
_FEWEST_ON_TOP: Final = 3
_LONGEST_TOP: Final = 400
_MOST_BESIDES: Final = 60
_MARKS_OF_SELF: Final = ("selflink", "mw-selflink")
_MOST_MARKS: Final = 10
_FEWEST_PAGES: Final = 4
_PAGE_SHARE: Final = 0.25
_LEAST_REST: Final = 60
_texts_besides: Final = etree.XPath(".//text()[not(ancestor::a)]", smart_strings=False)


# ---------------------------------------------------------------- forward, back and up


def drop_direction_bars(scope: Scope) -> list[Removal]:
    """Short blocks that hold nothing but links forward, back and up, with links to the start, contents or index."""
    removals: list[Removal] = []
    links = [link for link in scope.root.iter("a") if link.get("href") and _points(link, _DIRECTIONS)]
    for link in scope.within_few(links):
        if (bar := _bar_round(scope, link)) is not None:
            removals += scope.cut(bar, "navigation.pager")
    return removals


def _points(link: HtmlElement, words: frozenset[str]) -> bool:
    """Whether relation, label or the word in front of the link name one of the directions or places."""
    if (relation := link.get("rel")) and not _RELATIONS.isdisjoint(relation.lower().split()):
        return True
    if _introduction(link) in words:
        return True
    named = _named(_label(link))
    if not named or ((named == _ARROW or named in words) and not _names_code(link)):
        return bool(named)
    return named in words and named in _PLACES


@lru_cache(maxsize=20_000)
def _named(label: str) -> str:
    """The direction or place that a label names, be it before a colon; ``_ARROW`` where one marks it; else empty."""
    label = label.lower()
    if not label or len(label) > _LONGEST_LABEL:
        return ""
    name = _NO_LETTERS.sub(" ", label).strip()
    if name in _DIRECTIONS or name in _PLACES:
        return name
    if label[0] in _ARROWS or label[-1] in _ARROWS:
        return _ARROW
    before, colon, _ = label.partition(":")
    return before.strip() if colon and before.strip() in _DIRECTIONS else ""


def _names_code(link: HtmlElement) -> bool:
    """Whether the link may be the name of something in code, e.g. of a method called ``next``."""
    if "#" in (link.get("href") or ""):
        return True
    return link.find(".//code") is not None or next(link.iterancestors("code", "tt"), None) is not None


def _label(link: HtmlElement) -> str:
    if text := quick_text(link):
        return text
    image = next(link.iter("img"), None) if len(link) else None
    return "" if image is None else (image.get("alt") or "").strip()


def _introduction(link: HtmlElement) -> str:
    """The word and colon in front of a link, without the colon: "Next: <a>"."""
    before = link.getprevious()
    if before is None:
        parent = link.getparent()
        text = None if parent is None else parent.text
    else:
        text = before.tail
        if (not text or text.isspace()) and before.tag in _BOLD:
            text = quick_text(before)
    if not text or ":" not in text[-_LONGEST_LABEL:]:
        return ""
    found = _INTRODUCED.search(text[-_LONGEST_LABEL:])
    return found.group(1).lower() if found else ""


def _bar_round(scope: Scope, link: HtmlElement) -> HtmlElement | None:
    """The outermost block round the link that is such a bar; None where the link stands in something else."""
    bar = None
    for ancestor in link.iterancestors():
        if ancestor is scope.root or ancestor.tag in _NEVER_BAR or length_of(ancestor) > _LONGEST_BAR:
            break
        if not _is_bar(ancestor):
            if _besides(ancestor):
                break
            continue
        bar = ancestor
    return bar


def _is_bar(block: HtmlElement) -> bool:
    links = [a for a in block.iter("a") if a.get("href")]
    if len(links) < _FEWEST_IN_BAR or holds_heading(block, *_HEADINGS) or _besides(block):
        return False
    if not any(_points(a, _DIRECTIONS) for a in links) or all(_label(a)[-1:] in _FORWARD for a in links):
        return False
    return all(_points(a, _DIRECTIONS | _PLACES) for a in links)


def _texts(block: HtmlElement) -> list[str]:
    return cast("list[str]", _texts_besides(block))


def _besides(block: HtmlElement) -> bool:
    """Whether anything is said outside the links but the words of directions and places."""
    words = _NO_LETTERS.sub(" ", " | ".join(_texts(block)).lower()).split()
    return any(word not in _SINGLE_WORDS for word in words)


# ---------------------------------------------------------------- above the first heading


def drop_top_bars(scope: Scope) -> list[Removal]:
    """Rows of links that stand above the first heading and say nothing besides."""
    heading = next((h for h in scope.root.iter(*_HEADINGS) if length_of(h)), None)
    if heading is None:
        return []
    removals: list[Removal] = []
    for block in list(islice(_above(scope, heading), _MOST_MARKS)):
        if _is_top_bar(block) and length_of(scope.root) >= 2 * length_of(block):
            removals += scope.cut(block, "navigation.menu")
    return removals


def _above(scope: Scope, heading: HtmlElement) -> Iterator[HtmlElement]:
    node = heading
    while node is not None and node is not scope.root:
        yield from (e for e in node.itersiblings(preceding=True) if e.tag in _TOP_TAGS)
        node = node.getparent()


def _is_top_bar(block: HtmlElement) -> bool:
    links = [a for a in block.iter("a") if a.get("href")]
    if len(links) < _FEWEST_ON_TOP or any(a.get("href")[:1] == "#" for a in links):
        return False
    length = length_of(block)
    besides = length * (1 - link_share(block))
    return (
        length <= _LONGEST_TOP and besides <= min(_MOST_BESIDES, length * (1 - MOSTLY_LINKS)) and not holds_code(block)
    )


# ---------------------------------------------------------------- the site's pages, this one among them


def drop_page_lists(scope: Scope) -> list[Removal]:
    """Lists of the site's pages in which the page itself has its place, where other text is left."""
    removals: list[Removal] = []
    for mark in islice(scope.within(_marks_of_self(scope)), _MOST_MARKS):
        block = _list_round(scope, mark)
        if block is not None and length_of(scope.root) - length_of(block) >= _LEAST_REST:
            removals += scope.cut(block, "navigation.menu")
    return removals


def _marks_of_self(scope: Scope) -> Iterator[HtmlElement]:
    """Links that lead to the page as a whole, and the marks that stand for such a link."""
    survey = scope.survey
    for token in _MARKS_OF_SELF:
        yield from survey.by_token.get(token, ())
    own = scope.url.partition("#")[0].rstrip("/")
    last = own.rsplit("/", 1)[-1]
    for link, href in survey.links:
        if link.get("aria-current") == "page" or (
            own
            and "#" not in href
            and href.rstrip("/").endswith(last)
            and absolute(scope.base, href).rstrip("/") == own
        ):
            yield link


def _list_round(scope: Scope, mark: HtmlElement) -> HtmlElement | None:
    found = None
    for ancestor in mark.iterancestors():
        if ancestor is scope.root or ancestor.tag in ("html", "body", "main", "article"):
            break
        if holds_code(ancestor) or holds_heading(ancestor, "h1", "h2"):
            break
        own = 0 if mark.tag == "a" else length_of(mark)
        length = length_of(ancestor)
        if length and link_share(ancestor) + own / length < MOSTLY_LINKS:
            if found is not None:
                break
            continue
        if _leads_elsewhere(ancestor):
            found = ancestor
    return found


def _leads_elsewhere(block: HtmlElement) -> bool:
    """Whether the links of the block lead to several pages rather than to places on pages."""
    targets = [href for a in block.iter("a") if (href := a.get("href"))]
    pages = {href for href in targets if "#" not in href}
    return len(pages) >= _FEWEST_PAGES and len(pages) >= _PAGE_SHARE * len(set(targets))
