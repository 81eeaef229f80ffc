"""trafilatura's vote on the main content, for pages whose structure names none.

It returns a converted copy, whose body text is never used: its paragraphs are only looked up in the page, and the
smallest element that holds nearly all of them is taken, unless that loses content.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Final

import trafilatura
from lxml import etree
from trafilatura.settings import Extractor

from filters.content import is_content
from filters.text import holds_heading, length_of, link_share, text_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_BLOCKS: Final = ("p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "dd", "dt", "pre", "blockquote", "div")
_VOTED_TAGS: Final = ("p", "item", "head", "cell", "code", "quote", "ab")
_SHORTEST: Final = 25
_LEAST_VOTES: Final = 200
"""Fewer characters in agreement are no vote."""
_NEARLY_ALL: Final = 0.9
_LITTLE: Final = 80
_FEW_LINKS: Final = 0.2
_NEVER_ALL: Final = frozenset({"p", "li", "dd", "dt", "pre", "ul", "ol", "dl", "blockquote"})
"""A single one of these is a piece of the content, not its container."""
_KEY: Final = 60
_ENOUGH_CODE: Final = 1_000


def voted_content(body: HtmlElement) -> HtmlElement | None:
    """The element that trafilatura's vote points at; None where it has no clear opinion or would lose content.

    It is not asked where the filters left nothing that it could cut: it costs more than all the rest together.
    """
    if length_of(body) < _LEAST_VOTES or not _is_in_doubt(body):
        return None
    weights = _weights(body, _voted_texts(body))
    total = weights.get(body, 0)
    if total < _LEAST_VOTES:
        return None
    node = body
    while True:
        heir = next((child for child in node if weights.get(child, 0) >= _NEARLY_ALL * total), None)
        if heir is None or heir.tag in _NEVER_ALL or _loses_content(node, heir):
            return node if node is not body else None
        node = heir


def _loses_content(node: HtmlElement, heir: HtmlElement) -> bool:
    others = [sibling for sibling in node if sibling is not heir and isinstance(sibling.tag, str)]
    if not holds_heading(heir, "h1") and any(holds_heading(sibling, "h1") for sibling in others):
        return True
    return any(map(is_content, others))


def _is_in_doubt(body: HtmlElement) -> bool:
    """Whether text stands beside the one element that holds nearly all of it, or many links inside that."""
    whole = length_of(body)
    node, inner = body, whole
    while node.tag != "pre":
        heir = _heir(node, inner, _NEARLY_ALL * whole)
        if heir is None:
            break
        node, inner = heir
    return whole - inner > _LITTLE or link_share(node) > _FEW_LINKS


def _heir(node: HtmlElement, length: int, least: float) -> tuple[HtmlElement, int] | None:
    """The first child of at least ``least`` characters and how many it has; ``length`` is the node's own."""
    left = length
    for child in node:
        if left < least:
            break
        if isinstance(child.tag, str):
            if (own := length_of(child)) >= least:
                return child, own
            left -= own
    return None


def _voted_texts(body: HtmlElement) -> frozenset[str]:
    options = Extractor(output_format="xml", fast=True, comments=False, tables=True)
    document = trafilatura.bare_extraction(_with_short_code(body), options=options)
    voted = getattr(document, "body", None)
    if voted is None:
        return frozenset()
    return frozenset(key for element in voted.iter(*_VOTED_TAGS) if (key := _key(text_of(element))))


def _with_short_code(body: HtmlElement) -> HtmlElement:
    """A copy with the beginning of the plain text in ``pre``: all that the vote could make of code."""
    copy = deepcopy(body)
    for pre in list(copy.iter("pre")):
        text = etree.tostring(pre, method="text", encoding="unicode", with_tail=False)
        pre.clear(keep_tail=True)
        pre.text = text[:_ENOUGH_CODE]
    return copy


def _key(text: str) -> str:
    """What two copies of a paragraph have in common however inline markup was converted."""
    letters = "".join(filter(str.isalnum, text[: 2 * _KEY]))
    return letters[:_KEY] if len(text) >= _SHORTEST else ""


def _weights(body: HtmlElement, voted: frozenset[str]) -> dict[HtmlElement, int]:
    """Characters of voted paragraphs inside each element that holds any."""
    weights: dict[HtmlElement, int] = {}
    if not voted:
        return weights
    for block in body.iter(*_BLOCKS):
        if next(block.iterchildren("p", "div", "ul", "ol", "table"), None) is not None:
            continue
        text = text_of(block)
        if _key(text) in voted:
            for node in (block, *block.iterancestors()):
                weights[node] = weights.get(node, 0) + len(text)
                if node is body:
                    break
    return weights
