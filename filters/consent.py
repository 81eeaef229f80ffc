"""Cookie and consent banners: known consent managers by what they emit, all others by what they ask."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from filters.facts import read_facts
from filters.text import holds_content, length_of, quick_text, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from filters.scope import Scope
    from filters.survey import Survey
    from wrac.records import Removal

_FACTS: Final = read_facts("consent")
_IDS: Final = frozenset(_FACTS["managers"]["ids"])
_ID_STARTS: Final = tuple(_FACTS["managers"]["id_starts"])
_CLASSES: Final = frozenset(_FACTS["managers"]["classes"])
_TAGS: Final = frozenset(_FACTS["managers"]["tags"])
_SUBJECTS: Final = tuple(_FACTS["banners"]["subjects"])
_SHAPES: Final = "|".join(_FACTS["banners"]["shapes"])
_CONSENT_NAME: Final = re.compile(rf"(?:{'|'.join(_SUBJECTS)}).*(?:{_SHAPES})|(?:{_SHAPES}).*(?:{'|'.join(_SUBJECTS)})")
_TOPICS: Final = tuple(_FACTS["banners"]["topics"])
_CONTROL_STARTS: Final = tuple(_FACTS["banners"]["controls"])
_BANNER_NAMES: Final = ("cookie", "consent", "gdpr", "privacy", "banner", "notice")
_CONTROL_NAMES: Final = frozenset(
    {"accept", "agree", "allow", "accept-all", "btn-accept", "cookie-accept", "accept-cookies"}
)
_BANNER_ROLES: Final = frozenset({"dialog", "alertdialog", "region", "banner", "alert"})
_NEVER_BANNER: Final = frozenset({"html", "body", "main", "article"})
_LONGEST_NAME: Final = 200
"""A class name without end would be searched from each of its words to its end."""
_LONGEST_CONTROL: Final = 40
_LONGEST_BANNER: Final = 3_000
_MANAGED_SHARE: Final = 0.8
"""A known consent manager's element is cut however long it is, unless it is all there is on the page."""


def drop_consent_managers(scope: Scope) -> list[Removal]:
    """Elements that carry an id, class or tag of a known consent manager."""
    survey = scope.survey
    found = [e for i, e in survey.by_id.items() if i in _IDS or i.startswith(_ID_STARTS)]
    found += [element for name in _CLASSES & survey.by_token.keys() for element in survey.by_token[name]]
    found += [element for tag in _TAGS for element in scope.root.iter(tag)]
    removals: list[Removal] = []
    for element in scope.within(found):
        if _is_banner_like(scope, element):
            removals += scope.cut(element, "consent.manager")
    for element in scope.within(_named_banners(survey)):
        if _is_banner_like(scope, element) and next(element.iter("button", "a", "input"), None) is not None:
            removals += scope.cut(element, "consent.named")
    return removals


def _named_banners(survey: Survey) -> Iterator[HtmlElement]:
    for classes, elements in survey.by_class.items():
        if _names_consent(classes):
            yield from elements
    yield from (element for identifier, element in survey.by_id.items() if _names_consent(identifier))


@lru_cache(maxsize=20_000)
def _names_consent(names: str) -> bool:
    """Whether a single one of the names has both a subject and a shape, e.g. ``cookie-banner`` or ``gdprPopup``."""
    folded = names.lower()
    if not any(subject in folded for subject in _SUBJECTS):
        return False
    return any(_CONSENT_NAME.search(name) for name in folded.split() if len(name) <= _LONGEST_NAME)


def is_consent_manager(element: HtmlElement) -> bool:
    """Whether the element itself is what a known consent manager emits."""
    identifier = element.get("id") or ""
    if identifier in _IDS or identifier.startswith(_ID_STARTS) or element.tag in _TAGS:
        return True
    return not _CLASSES.isdisjoint((element.get("class") or "").split())


def _is_banner_like(scope: Scope, element: HtmlElement) -> bool:
    """A page about cookies may use the same names for its text; it then holds the page's own heading or most text."""
    if element.tag in _NEVER_BANNER or _holds_main(element):
        return False
    return length_of(element) <= _MANAGED_SHARE * scope.characters


def _holds_main(element: HtmlElement) -> bool:
    return next(element.iter("h1", "main", "article"), None) is not None


def drop_consent_banners(scope: Scope) -> list[Removal]:
    """Short blocks that speak of cookies and hold a control to accept or refuse them, in any of many languages."""
    removals: list[Removal] = []
    for control in scope.within_few(_consent_controls(scope)):
        if (banner := _banner_round(scope, control)) is not None:
            for part in (*_more_of(banner), banner):
                removals += scope.cut(part, "consent.controls")
    return removals


def _more_of(banner: HtmlElement) -> list[HtmlElement]:
    """Blocks right behind the banner that explain cookies, too: what its "more" link opens."""
    parts = []
    for sibling in banner.itersiblings("div", "section", "aside"):
        if length_of(sibling) > _LONGEST_BANNER or _holds_main(sibling) or not _speaks_of_cookies(text_of(sibling)):
            break
        parts.append(sibling)
    return parts


def _consent_controls(scope: Scope) -> Iterator[HtmlElement]:
    survey = scope.survey
    pressed = (e for e in survey.with_role if e.get("role") == "button")
    named = (e for name in _CONTROL_NAMES & survey.by_token.keys() for e in survey.by_token[name])
    # Inside a content element the links are those of the text.
    links = () if scope.declared else survey.tagged("a")
    for control in (*survey.tagged("button", "input"), *pressed, *named, *links):
        label = quick_text(control) or control.get("value") or control.get("aria-label") or ""
        if label and len(label) <= _LONGEST_CONTROL and label.strip().lower().startswith(_CONTROL_STARTS):
            yield control


def _banner_round(scope: Scope, control: HtmlElement) -> HtmlElement | None:
    """The outermost element round the control that is still nothing but the banner."""
    banner: HtmlElement | None = None
    node = control.getparent()
    while node is not None and node is not scope.root and node.tag not in _NEVER_BANNER:
        text = text_of(node)
        if len(text) > _LONGEST_BANNER or _holds_main(node) or holds_content(node) or node in scope.protected:
            break
        if _speaks_of_cookies(text):
            if banner is not None and len(text) > length_of(banner) + _LONGEST_CONTROL and not _names_banner(node):
                break
            banner = node
        node = node.getparent()
    return banner


def _speaks_of_cookies(text: str) -> bool:
    folded = text.lower()
    return any(word in folded for word in _TOPICS)


def _names_banner(node: HtmlElement) -> bool:
    """Whether the larger block says that it is still the banner: by its name, or as a dialog or region of its own."""
    if node.get("role") in _BANNER_ROLES or node.tag == "dialog":
        return True
    name = f"{node.get('id') or ''} {node.get('class') or ''}".lower()
    return any(word in name for word in _BANNER_NAMES)
