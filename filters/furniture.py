"""Page furniture known by what its class or id calls it: share bars, pagers, related articles, newsletters, comments.

A class name proves little. So every rule passes ``Scope.may_drop_by_name``: code, tables, ordered lists and large
blocks stay whatever they are called.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from filters.scope import line_round
from filters.targets import share_links
from filters.text import length_of, link_share, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from filters.scope import Scope
    from filters.survey import Survey
    from wrac.records import Removal

_INLINE: Final = frozenset(
    """
    span a code b i em strong small sub sup kbd samp var abbr img svg path input label button td th tr thead tbody
    li html body main pre cite time option dt dd h1 h2 h3 h4 h5 h6 article br
    """.split()
)
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_WORD: Final = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])")

# Words of class names and ids -> rule. A name is split at punctuation and capitals, so "sharepoint" is no "share".
_SINGLE: Final = {
    "navigation.menu": "navbar navigation nav menu topnav sidenav submenu megamenu subnav navmenu",
    "navigation.pager": "pagination pager paginator prevnext",
    "navigation.breadcrumb": "breadcrumb breadcrumbs crumbs crumb",
    "navigation.sidebar": "sidebar sidebars",
    "navigation.footer": "footer colophon copyright",
    "navigation.header": "masthead topbar",
    "navigation.skip": "skiplink skiplinks",
    "furniture.share": "share shares sharing social socials sharedaddy addtoany addthis sharethis sharebar a2a",
    "furniture.related": "related recommended recommendations outbrain taboola jp-relatedposts relatedposts yarpp",
    "furniture.newsletter": "newsletter newsletters subscribe subscription mailchimp mc4wp optin",
    "furniture.promotion": "promo promos promotion advert advertisement advertising ad ads adsbygoogle sponsor "
    "sponsored sponsors werbung reklama publicidad cta paywall",
    "furniture.comments": "comments disqus livefyre respond commentlist",
    "furniture.feedback": "feedback helpful rating ratings votes",
    "furniture.author": "authorbox bio",
}
_PAIRS: Final = {
    ("prev", "next"): "navigation.pager",
    ("previous", "next"): "navigation.pager",
    ("skip", "link"): "navigation.skip",
    ("skip", "to"): "navigation.skip",
    ("back", "top"): "navigation.skip",
    ("scroll", "top"): "navigation.skip",
    ("read", "next"): "furniture.related",
    ("more", "from"): "furniture.related",
    ("also", "like"): "furniture.related",
    ("related", "posts"): "furniture.related",
    ("sign", "up"): "furniture.newsletter",
    ("author", "box"): "furniture.author",
    ("author", "bio"): "furniture.author",
    ("comment", "form"): "furniture.comments",
    ("comment", "respond"): "furniture.comments",
    ("comments", "area"): "furniture.comments",
    ("edit", "page"): "navigation.edit-link",
    ("page", "edit"): "navigation.edit-link",
    ("on", "this"): "navigation.own-contents",
    ("of", "contents"): "navigation.own-contents",
    ("search", "form"): "navigation.search",
    ("search", "box"): "navigation.search",
}
_RULE_OF_WORD: Final = {word: rule for rule, words in _SINGLE.items() for word in words.split()}
_LIMITS: Final = {
    # rule: (characters up to which the name alone is enough, share of links from which any length is)
    "navigation.menu": (0, 0.5),
    "navigation.sidebar": (0, 0.5),
    "navigation.header": (0, 0.5),
    "navigation.pager": (120, 0.5),
    "navigation.breadcrumb": (120, 0.4),
    "navigation.footer": (400, 0.4),
    "navigation.own-contents": (0, 0.8),
    "navigation.edit-link": (120, 0.6),
    "navigation.search": (120, 2.0),
    "navigation.skip": (120, 0.6),
    "furniture.share": (200, 0.5),
    "furniture.related": (0, 0.3),
    "furniture.newsletter": (500, 0.5),
    "furniture.promotion": (500, 0.5),
    "furniture.comments": (20_000, 0.0),
    "furniture.feedback": (400, 0.5),
    "furniture.author": (800, 0.5),
}
"""What a name must be backed by. Content bears the same names: Sphinx calls a box of text ``sidebar``."""
_EVERYWHERE: Final = frozenset(_LIMITS)
_ON_FORUMS: Final = frozenset(
    {
        "furniture.share",
        "furniture.feedback",
        "furniture.newsletter",
        "navigation.pager",
        "navigation.breadcrumb",
        "navigation.edit-link",
        "navigation.search",
        "navigation.skip",
    }
)
_ON_PAGES_OF: Final = {"documentation": _ON_FORUMS | {"furniture.comments"}, "forum": _ON_FORUMS}
"""What may stand inside the content element of a known generator; the rest is the generator's own business."""


@lru_cache(maxsize=20_000)
def rules_of_name(name: str) -> tuple[str, ...]:
    """The rules that a class attribute or id falls under, each once."""
    rules: dict[str, None] = {}
    for token in name.split():
        words = [word.lower() for word in _WORD.findall(token)]
        named = (*map(_RULE_OF_WORD.get, words), *map(_PAIRS.get, pairwise(words)))
        rules.update((rule, None) for rule in named if rule)
    return tuple(rules)


def names_furniture(element: HtmlElement) -> bool:
    """Whether class or id call the element furniture."""
    return bool(rules_of_name(element.get("class") or "") or rules_of_name(element.get("id") or ""))


def drop_named_furniture(scope: Scope) -> list[Removal]:
    """Blocks whose class or id names them furniture, within the guards."""
    removals: list[Removal] = []
    for element, rules in _named(scope.survey):
        if scope.contains(element) and (rule := next((r for r in rules if _applies(scope, element, r)), "")):
            removals += scope.cut(element, rule)
    return removals


def _named(survey: Survey) -> Iterator[tuple[HtmlElement, tuple[str, ...]]]:
    for classes, elements in survey.by_class.items():
        if rules := rules_of_name(classes):
            yield from ((element, rules) for element in elements if element.tag not in _INLINE)
    for identifier, element in survey.by_id.items():
        if element.tag not in _INLINE and (rules := rules_of_name(identifier)):
            yield element, rules


def _applies(scope: Scope, element: HtmlElement, rule: str) -> bool:
    if scope.generator is not None and rule not in _ON_PAGES_OF.get(scope.generator.kind, _EVERYWHERE):
        return False
    if scope.documented and _is_section(scope, element):
        return False
    characters, links = _LIMITS[rule]
    return (length_of(element) <= characters or link_share(element) >= links) and scope.may_drop_by_name(element)


def _is_section(scope: Scope, element: HtmlElement) -> bool:
    """Whether the page links to the element by the words of its own heading, as to a chapter called "Sharing"."""
    identifier = element.get("id") or ""
    if identifier not in scope.survey.fragments:
        return False
    heading = next(element.iter(*_HEADINGS), None)
    if heading is None:
        return False
    title = [word.lower() for word in _LETTERS.findall(text_of(heading))]
    named = {word.lower() for word in _LETTERS.findall(identifier)}
    return bool(named) and named <= set(title)


def drop_share_links(scope: Scope) -> list[Removal]:
    """Links that hand the page to a social network, with the line that they fill."""
    removals: list[Removal] = []
    for link in scope.within_few(share_links(scope.survey)):
        removals += scope.cut(line_round(scope, link), "furniture.share")
    return removals
