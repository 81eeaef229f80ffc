"""Admonitions: notes, tips and warnings become quotations that begin with their title."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from conversion.html.blocks import Block, Paragraph, Quote
from conversion.html.labels import bold
from conversion.html.tags import HEADINGS
from conversion.html.walk import blocks_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from conversion.html.state import State

_CERTAIN = frozenset(
    {
        "admonition",
        "admonitionblock",
        "alert",
        "bd-callout",
        "callout",
        "confluence-information-macro",
        "custom-block",
        "markdown-alert",
        "starlight-aside",
        "theme-admonition",
    }
)
_BY_KIND = frozenset(
    {"attention", "caution", "danger", "hint", "important", "note", "notice", "seealso", "tip", "warning"}
)
_TITLE = re.compile(
    r"(?:^|[\s_-])(?:title|heading|admonitionHeading\w*|admonition-?heading|callout-?title\w*|alert-?heading)(?:$|[\s_-])",
    re.IGNORECASE,
)
_LONGEST_TITLE = 80
_TITLE_WITHIN = 16
"""Elements that may stand around and before a title: wrappers, icons."""


def admonition(state: State, element: HtmlElement, name: str) -> list[Block] | None:
    """The blocks of an admonition; None where the element is none.

    A box with several headings, or with one that is not its title, is a section of the page in a frame: its headings
    must not vanish into a quotation.
    """
    tokens = set(name.lower().split())
    certain = not tokens.isdisjoint(_CERTAIN)
    if not certain and tokens.isdisjoint(_BY_KIND):
        return None
    title = _title_of(element)
    headings = list(element.iter(*HEADINGS))
    if len(headings) > 1 or (headings and title is not headings[0]):
        return None
    if title is None and not certain and element.find("p") is None:
        return None
    inner_most = state.in_admonition
    state.in_admonition = True
    blocks = blocks_of(state, element)
    state.in_admonition = inner_most
    if title is not None and blocks and isinstance(first := blocks[0], Paragraph) and _is_plain_title(first.text):
        blocks[0] = bold(first.text)
    if not blocks or inner_most:
        return blocks
    return [Quote(blocks)]


def _title_of(element: HtmlElement) -> HtmlElement | None:
    """The element with the first text, where its class or tag makes it a title."""
    for inner in islice(element.iter("*"), _TITLE_WITHIN):
        if inner is element:
            if inner.text and inner.text.strip():
                return None
            continue
        if inner.tag in HEADINGS or inner.tag in ("summary", "th") or _TITLE.search(inner.get("class") or ""):
            return inner
        if inner.text and inner.text.strip():
            return None
    return None


def _is_plain_title(text: str) -> bool:
    return len(text) < _LONGEST_TITLE and "\n" not in text and "*" not in text
