"""trafilatura's vote on the main content, for pages whose structure names none.

It returns a converted copy, whose body text is never used: its paragraphs are only looked up in the page, and the
smallest element that holds nearly all of them is taken, unless that loses content.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Final

from lxml import etree

from filters.content import is_content
from filters.text import holds_heading, length_of, link_share, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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

    It is not asked where the filters left nothing that it could cut, or code alone: it costs more than all the rest.
    """
    whole = length_of(body)
    if whole < _LEAST_VOTES:
        return None
    core, inner = _core(body, whole)
    if whole - inner <= _LITTLE and link_share(core) <= _FEW_LINKS:
        return None
    # A page that is one block of code needs no vote.
    weights = _weights(body, (core,) if core.tag == "pre" else _voted_blocks(body))
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


def _core(body: HtmlElement, whole: int) -> tuple[HtmlElement, int]:
    """The innermost element that holds nearly all text, no deeper than code, and how many characters it has."""
    node, inner = body, whole
    while node.tag != "pre":
        heir = _heir(node, inner, _NEARLY_ALL * whole)
        if heir is None:
            break
        node, inner = heir
    return node, inner


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
    # Takes half a second to import, and most pages say by themselves where their content is.
    import trafilatura  # noqa: PLC0415
    from trafilatura.settings import Extractor  # noqa: PLC0415

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


def _voted_blocks(body: HtmlElement) -> Iterator[HtmlElement]:
    voted = _voted_texts(body)
    for block in body.iter(*_BLOCKS) if voted else ():
        is_inner = next(block.iterchildren("p", "div", "ul", "ol", "table"), None) is None
        if is_inner and _key(text_of(block)) in voted:
            yield block


def _weights(body: HtmlElement, blocks: Iterable[HtmlElement]) -> dict[HtmlElement, int]:
    """Characters of the blocks inside each element that holds any."""
    weights: dict[HtmlElement, int] = {}
    for block in blocks:
        length = length_of(block)
        for node in (block, *block.iterancestors()):
            weights[node] = weights.get(node, 0) + length
            if node is body:
                break
    return weights
