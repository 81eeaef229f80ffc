"""Definition lists and the signatures of API references."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conversion.html import inline
from conversion.html.anchors import inner_id
from conversion.html.blocks import Block, Definition, Paragraph
from conversion.html.escapes import code_span, finished_term
from conversion.html.lists import note_blocks
from conversion.html.marks import visible
from conversion.html.tags import HEADINGS, text_outside
from conversion.html.walk import blocks_of, blocks_of_parts, parted

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from conversion.html.state import State

_SIGNATURE = re.compile(r"(?:^|\s)(?:sig|sig-object|descname|memproto)(?:\s|$)")
_SIGNATURE_TOOLS = re.compile(r"headerlink|viewcode|copiable|permalink")
_NO_TERM = HEADINGS | {"pre", "ul", "ol", "table", "blockquote"}


def definition_list(state: State, element: HtmlElement, out: list[Block]) -> None:
    """``dl``: each term on a line of its own, the first paragraph of its definition under it, the rest as blocks.

    Definitions are not indented: API references put whole pages into one ``dd``, and a reader of the Markdown must
    still see their lists, tables and code as what they are.
    """
    terms: list[str] = []
    entry: Definition | None = None
    for part in parted(element, ("dt", "dd", "div")):
        if isinstance(part, list):
            blocks = blocks_of_parts(state, part)
        elif part.tag == "div" and any(child.tag in ("dt", "dd") for child in part):
            _close(terms, out)
            entry = None
            definition_list(state, part, out)
            continue
        elif part.tag == "dt":
            if entry is not None:
                entry = None
            if part not in state.notes:
                _add_term(state, part, terms, out)
            continue
        elif (label := _note_label(state, part)) is not None:
            out.extend(note_blocks(state, part, label))
            continue
        else:
            blocks = blocks_of(state, part)
        if terms:
            entry = Definition(list(terms))
            terms.clear()
            out.append(entry)
        if entry is not None and blocks and isinstance(first := blocks[0], Paragraph):
            entry.definitions.append(first.text)
            blocks = blocks[1:]
        if blocks:
            entry = None
            out.extend(blocks)
    _close(terms, out)


def _close(terms: list[str], out: list[Block]) -> None:
    if terms:
        out.append(Definition(list(terms)))
        terms.clear()


def _add_term(state: State, element: HtmlElement, terms: list[str], out: list[Block]) -> None:
    is_signature = _SIGNATURE.search(element.get("class") or "") is not None
    if not is_signature and any(inner.tag in _NO_TERM for inner in element.iter()):
        _close(terms, out)
        out.extend(blocks_of(state, element))
        return
    anchor = state.anchor(element.get("id") or inner_id(element) or state.pending)
    state.pending = ""
    text = _signature(element) if is_signature else _term(state, element)
    if text:
        terms.append(anchor + text)


def _term(state: State, element: HtmlElement) -> str:
    run: list[str] = []
    inline.content(state, element, run)
    return finished_term(run, state.opaque)


def _signature(element: HtmlElement) -> str:
    """The signature of an API object as one code span, links to its source left out."""
    tools = {
        link
        for link in element.iter("a")
        if _SIGNATURE_TOOLS.search(link.get("class") or "") or link.find("span[@class='viewcode-link']") is not None
    }
    text = " ".join(visible(text_outside(element, tools)).split())
    return code_span(text) if text else ""


def _note_label(state: State, element: HtmlElement) -> str | None:
    """The label of the footnote that a definition holds: references lead to it or to its term."""
    if element in state.notes:
        return state.notes[element]
    term = element.getprevious()
    return state.notes.get(term) if term is not None and term.tag == "dt" else None
