"""Taking a part out of the page and saying so: every cut leaves a ``Removal``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lxml import etree

from wrac.records import Removal

if TYPE_CHECKING:
    from lxml.html import HtmlElement

PREVIEW_CHARACTERS: Final = 160
_LOCATOR_STEPS: Final = 3
_SPACE: Final = re.compile(r"\s+")
_holds_table: Final = etree.XPath("boolean(descendant-or-self::table[count(.//tr) > 1 and .//td[2]])")
_holds_code: Final = etree.XPath("boolean(descendant-or-self::pre)")
_holds_ordered: Final = etree.XPath("boolean(descendant-or-self::ol[li])")
_holds_list: Final = etree.XPath("boolean(descendant-or-self::*[self::ul or self::ol or self::dl])")


def text_of(element: HtmlElement) -> str:
    """All text inside the element, its tail left out, white space folded."""
    return _SPACE.sub(" ", etree.tostring(element, method="text", encoding="unicode", with_tail=False)).strip()


def holds(element: HtmlElement) -> tuple[str, ...]:
    """Kinds of content inside that deserve a second look: ``table``, ``list``, ``code``."""
    found = (("table", _holds_table), ("list", _holds_list), ("code", _holds_code))
    return tuple(kind for kind, test in found if test(element))


def holds_content(element: HtmlElement) -> bool:
    """Whether the element holds what no class-name rule alone may drop: code, a table, an ordered list."""
    return bool(_holds_code(element) or _holds_ordered(element) or _holds_table(element))


def locator(element: HtmlElement) -> str:
    """A short css-like path, e.g. ``body > div#onetrust-consent-sdk``."""
    steps: list[str] = []
    node: HtmlElement | None = element
    while node is not None and len(steps) < _LOCATOR_STEPS and isinstance(node.tag, str):
        steps.append(_step(node))
        if node.get("id") and node is not element:
            break
        node = node.getparent()
    return " > ".join(reversed(steps))


def _step(element: HtmlElement) -> str:
    if identifier := element.get("id"):
        return f"{element.tag}#{identifier.strip()}"
    classes = (element.get("class") or "").split()
    return f"{element.tag}.{'.'.join(classes[:2])}" if classes else str(element.tag)


def describe(element: HtmlElement, rule: str) -> Removal:
    """The removal that taking out ``element`` amounts to."""
    text = text_of(element)
    return Removal(rule, locator(element), len(text), text[:PREVIEW_CHARACTERS], holds(element) if text else ())


def take_out(element: HtmlElement, rule: str) -> list[Removal]:
    """Cuts the element; its tail stays. No removal where it held no text at all, since nothing was lost."""
    parent = element.getparent()
    if parent is None:
        return []
    removal = describe(element, rule)
    element.drop_tree()
    return [removal] if removal.characters else []
