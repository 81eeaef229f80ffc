"""Taking a part out of the page and saying so: every cut of text leaves a ``Removal``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lxml import etree

from filters.text import holds, text_of
from wrac.records import Removal

if TYPE_CHECKING:
    from lxml.html import HtmlElement

PREVIEW_CHARACTERS: Final = 160
_HOLLOW: Final = "removed"
_LOCATOR_STEPS: Final = 3


def locator(element: HtmlElement) -> str:
    """A short css-like path, e.g. ``body > div#onetrust-consent-sdk``."""
    steps: list[str] = []
    node: HtmlElement | None = element
    while node is not None and len(steps) < _LOCATOR_STEPS:
        steps.append(_step(node))
        if node.get("id") and node is not element:
            break
        node = node.getparent()
    return " > ".join(reversed(steps))


def _step(element: HtmlElement) -> str:
    if identifier := (element.get("id") or "").strip():
        return f"{element.tag}#{identifier}"
    classes = (element.get("class") or "").split()
    return f"{element.tag}.{'.'.join(classes[:2])}" if classes else str(element.tag)


def describe(element: HtmlElement, rule: str) -> Removal:
    """The removal that taking out ``element`` amounts to."""
    text = text_of(element)
    return Removal(rule, locator(element), len(text), text[:PREVIEW_CHARACTERS], holds(element) if text else ())


def take_out(element: HtmlElement, rule: str) -> list[Removal]:
    """Cuts the element; its tail stays. No removal where it held no text at all, since nothing was lost."""
    removal = describe(element, rule)
    # drop_tree joins the tail to the text before it, which takes quadratic time over many siblings.
    element.clear(keep_tail=True)
    element.tag = _HOLLOW
    return [removal] if removal.characters else []


def sweep(root: HtmlElement) -> None:
    """Drops what ``take_out`` left hollow; until then a cut element still stands in its place, empty."""
    etree.strip_elements(root, _HOLLOW, with_tail=False)
