"""Which handler reads which tag: the one table to look at for "what happens to a <...>"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversion.html import containers, inline, labels, lists, tables
from conversion.html.anchors import inner_id, permalink_target
from conversion.html.blocks import Block, Heading, Rule
from conversion.html.code import code_block
from conversion.html.definitions import definition_list
from conversion.html.escapes import finished_line
from conversion.html.walk import BLOCK_HANDLERS, CONTAINER_HANDLERS

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from conversion.html.state import State


def heading(state: State, element: HtmlElement, out: list[Block]) -> None:
    """A heading as plain text with its anchor: its own id, one inside it, or that of the section it opens."""
    section = state.pending
    before, state.plain = state.plain, True
    run: list[str] = []
    inline.content(state, element, run)
    state.plain = before
    text = finished_line(run, state.opaque)
    if not text:
        return
    fragment = element.get("id") or inner_id(element) or permalink_target(element) or section
    state.pending = ""
    out.append(Heading(int(str(element.tag)[1]), state.anchor(fragment) + text))


def code(state: State, element: HtmlElement, out: list[Block]) -> None:
    """``pre`` and its obsolete kin."""
    if block := code_block(element):
        out.append(block)
        state.pending = ""


def rule(_state: State, _element: HtmlElement, out: list[Block]) -> None:
    """``hr``: between blocks only, where no heading parts them already."""
    if out and not isinstance(out[-1], (Heading, Rule)):
        out.append(Rule())


BLOCK_HANDLERS.update(
    {
        **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), heading),
        **dict.fromkeys(("pre", "listing", "xmp", "plaintext"), code),
        **dict.fromkeys(("ul", "ol", "menu", "dir"), lists.list_block),
        "dl": definition_list,
        "table": tables.table,
        "blockquote": containers.quotation,
        "figure": containers.figure,
        "summary": labels.fold_label,
        "hr": rule,
    }
)
CONTAINER_HANDLERS.update(
    dict.fromkeys(("div", "section", "aside", "details", "p", "nav", "article"), containers.division)
)
CONTAINER_HANDLERS["label"] = containers.label
