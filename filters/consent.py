"""Cookie and consent banners: known consent managers by what they emit, all others by what they ask."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lxml import etree

from filters.consent_facts import CLASSES, CONTROL_STARTS, COOKIE_WORDS, ID_STARTS, IDS, TAGS
from filters.removal import holds_content, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from filters.scope import Scope
    from wrac.records import Removal

_candidates: Final = etree.XPath(
    "descendant::*[@id or @class][not(self::span or self::a or self::code or self::li or self::p or self::body)]"
)
_controls: Final = etree.XPath(
    "descendant::*[self::button or self::a or @role='button' or (self::input and (@type='button' or @type='submit'))]"
)
_main_inside: Final = etree.XPath("boolean(descendant::*[self::h1 or self::main or self::article or @role='main'])")
_COOKIE: Final = re.compile("|".join(map(re.escape, COOKIE_WORDS)), re.I)
_CONTROL: Final = re.compile(rf"(?:{'|'.join(map(re.escape, CONTROL_STARTS))})(?!\w*\s+\w+\s+\w+\s+\w+\s+\w+)", re.I)
_LONGEST_CONTROL: Final = 40
_LONGEST_BANNER: Final = 3_000
_MANAGED_SHARE: Final = 0.8
"""A known consent manager's element is cut however long it is, unless it is all there is on the page."""


def drop_consent_managers(scope: Scope) -> list[Removal]:
    """Elements that carry an id, class or tag of a known consent manager."""
    removals: list[Removal] = []
    for element in _candidates(scope.root):
        if is_consent_manager(element) and scope.contains(element) and _is_banner_like(scope, element):
            removals += scope.cut(element, "consent.manager")
    return removals


def is_consent_manager(element: HtmlElement) -> bool:
    """Whether the element itself is what a known consent manager emits."""
    identifier = element.get("id") or ""
    if identifier in IDS or identifier.startswith(ID_STARTS) or element.tag in TAGS:
        return True
    return not CLASSES.isdisjoint((element.get("class") or "").split())


def _is_banner_like(scope: Scope, element: HtmlElement) -> bool:
    """A page about cookies may use the same names for its text; it then holds the page's own heading or most text."""
    return not _main_inside(element) and len(text_of(element)) <= _MANAGED_SHARE * scope.characters


def drop_consent_banners(scope: Scope) -> list[Removal]:
    """Short blocks that speak of cookies and hold a control to accept or refuse them, in any of many languages."""
    removals: list[Removal] = []
    for control in list(_consent_controls(scope.root)):
        if scope.contains(control) and (banner := _banner_round(scope, control)) is not None:
            removals += scope.cut(banner, "consent.controls")
    return removals


def _consent_controls(root: HtmlElement) -> Iterator[HtmlElement]:
    for control in _controls(root):
        label = (text_of(control) or control.get("value") or control.get("aria-label") or "").strip().lower()
        if label and len(label) <= _LONGEST_CONTROL and _CONTROL.match(label):
            yield control


def _banner_round(scope: Scope, control: HtmlElement) -> HtmlElement | None:
    """The outermost element round the control that is still nothing but the banner."""
    banner: HtmlElement | None = None
    node = control.getparent()
    while node is not None and node is not scope.root and node.tag not in ("body", "html", "main", "article"):
        text = text_of(node)
        if len(text) > _LONGEST_BANNER or _main_inside(node) or holds_content(node) or node in scope.protected:
            break
        if _COOKIE.search(text):
            if (
                banner is not None
                and len(text) > len(text_of(banner)) + _LONGEST_CONTROL
                and not _grows_as_banner(node)
            ):
                break
            banner = node
        node = node.getparent()
    return banner


def _grows_as_banner(node: HtmlElement) -> bool:
    """Whether the larger block is still a banner: it names itself one, or it is a dialog or region of its own."""
    if node.get("role") in ("dialog", "alertdialog", "region", "banner", "alert") or node.tag == "dialog":
        return True
    name = f"{node.get('id') or ''} {node.get('class') or ''}".lower()
    return any(word in name for word in ("cookie", "consent", "gdpr", "privacy", "banner", "notice"))
