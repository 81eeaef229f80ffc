"""``HtmlConverter``: a cleaned page to Markdown in one walk over its tree."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from conversion.html import dispatch
from conversion.html.blocks import Block, Heading, Note, Rule
from conversion.html.marks import take_anchors, without_anchors
from conversion.html.state import State
from conversion.html.walk import flow
from conversion.html.write import written
from wrac.errors import ConversionFailed
from wrac.ids import digest, page_id
from wrac.records import Anchor, MarkdownDocument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wrac.records import CleanedPage

_FEWEST_LABELS = 3
_DEEPEST = 6


class HtmlConverter:
    """CommonMark with tables, strikethrough, definition lists and footnotes; the tree is left as it was."""

    name = "html/2"

    def convert(self, page: CleanedPage) -> MarkdownDocument:
        """Markdown of the page, headings anchored. Raises ``ConversionFailed`` where no text comes out."""
        state = State(page.root, page.url, page.base_url)
        state.pending = page.root.get("id") or ""
        blocks = _with_labels_below(_without_outer_rules(flow(state, page.root)))
        text, places = take_anchors(written(blocks))
        if not text.strip():
            raise ConversionFailed(
                f"{page.url}: the main content holds no text; see its removals with `wrac explain {page.url}`",
                stage="convert",
                page_id=page_id(page.metadata.canonical or page.url),
            )
        text += "\n"
        return MarkdownDocument(
            text=text,
            title=page.metadata.title or _first_heading(blocks),
            source_kind="html",
            converter=self.name,
            digest=digest(text),
            anchors=tuple(Anchor(offset, state.fragments[index]) for offset, index in places),
        )


def _without_outer_rules(blocks: list[Block]) -> list[Block]:
    """The blocks without rules that part nothing: at the ends, before a heading, before notes."""
    kept: list[Block] = []
    for block in blocks:
        if isinstance(block, (Heading, Note)) and kept and isinstance(kept[-1], Rule):
            kept.pop()
        if not isinstance(block, Rule) or (kept and not isinstance(kept[-1], Rule)):
            kept.append(block)
    if kept and isinstance(kept[-1], Rule):
        kept.pop()
    return kept


def _with_labels_below(blocks: list[Block]) -> list[Block]:
    """The blocks with labels that recur ("Types" below each function) one level below the heading they stand under.

    Some generators give them a level above it; the function's own heading would head nothing then, and its text would
    be told apart by the label alone.
    """
    above = {
        id(block): before.level
        for before, block in pairwise(blocks)
        if isinstance(before, Heading) and isinstance(block, Heading) and before.level > block.level
    }
    headings = [block for block in blocks if isinstance(block, Heading)]
    recurring = Counter(without_anchors(block.text) for block in headings if id(block) in above)
    for block in headings:
        if id(block) in above and recurring[without_anchors(block.text)] >= _FEWEST_LABELS:
            block.level = min(above[id(block)] + 1, _DEEPEST)
    return blocks


def _first_heading(blocks: Sequence[Block]) -> str:
    return next((without_anchors(block.text) for block in blocks if isinstance(block, Heading)), "")


__all__ = ["HtmlConverter", "dispatch"]
