"""Lists and definition lists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conversion.html import inline
from conversion.html.blocks import Block, Definition, Item, ListBlock, Note, Paragraph
from conversion.html.escapes import finished, finished_line, guarded
from conversion.html.marks import visible
from conversion.html.labels import tab_row
from conversion.html.notes import silence_back_references
from conversion.html.tags import text_outside
from conversion.html.walk import blocks_of, flow

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from conversion.html.state import State

_SIGNATURE = re.compile(r"(?:^|\s)(?:sig|sig-object|descname|memproto)(?:\s|$)")
_SIGNATURE_TOOLS = re.compile(r"headerlink|viewcode|copiable|permalink")


def list_block(state: State, element: HtmlElement, out: list[Block]) -> None:
    """``ul``, ``ol``, ``menu`` and ``dir``; lists that stand between items belong to the item before."""
    if (element.get("role") or element.get("class")) and tab_row(state, element):
        return
    ordered = element.tag == "ol"
    items: list[Item] = []
    notes: list[Block] = []
    number = _whole(element.get("start"), 1)
    stray = [visible(element.text)] if element.text and element.text.strip() else []
    for child in element:
        tag = child.tag
        if tag == "li":
            if child in state.notes:
                notes.extend(note_blocks(state, child))
                number += 1
            elif item := _item(state, child):
                number = item.number = _whole(child.get("value"), number)
                number += 1
                items.append(item)
        elif isinstance(tag, str):
            if blocks := flow(state, child):
                if items and tag in ("ul", "ol", "menu", "dir", "dl", "pre", "p", "div", "table"):
                    items[-1].blocks.extend(blocks)
                else:
                    items.append(Item(blocks, number))
                    number += 1
        if child.tail and child.tail.strip():
            stray.append(visible(child.tail))
    for text in stray:
        items.extend(Item([Paragraph(part)], number) for part in finished([text], state.opaque))
    if items:
        out.append(ListBlock(ordered, items))
    out.extend(notes)


def _item(state: State, element: HtmlElement) -> Item | None:
    box = ""
    for entry in element.iter("input"):
        if entry.get("type") == "checkbox":
            box = "[x] " if entry.get("checked") is not None else "[ ] "
        break
    blocks = blocks_of(state, element)
    return Item(blocks, box=box) if blocks else None


def _whole(value: str | None, default: int) -> int:
    """A start or value attribute; CommonMark numbers have at most nine digits and no sign."""
    return int(value) if value and re.fullmatch(r"\s*\d{1,9}\s*", value) else default


def note_blocks(state: State, element: HtmlElement, label: str = "") -> list[Block]:
    """The footnote that the element holds.

    Only the first paragraph is marked as the note's: an indented rest would read as code to a parser without footnotes.
    """
    silence_back_references(state, element)
    blocks = blocks_of(state, element)
    first = blocks[0] if blocks else None
    label = label or state.notes[element]
    if isinstance(first, Paragraph):
        return [Note(label, first.text), *blocks[1:]]
    return [Note(label, ""), *blocks] if blocks else []


def definition_list(state: State, element: HtmlElement, out: list[Block]) -> None:
    """``dl``: each term on a line of its own, the first paragraph of its definition under it, the rest as blocks.

    Definitions are not indented: API references put whole pages into one ``dd``, and a reader of the Markdown must
    still see their lists, tables and code as what they are.
    """
    terms: list[str] = []
    entry: Definition | None = None
    for child in _entries(element):
        if child.tag == "dt":
            if child in state.notes:
                continue
            entry = None
            if term := term_text(state, child):
                terms.append(term)
            continue
        note = child.getprevious()
        if child in state.notes or (
            child.tag == "dd" and note is not None and note.tag == "dt" and note in state.notes
        ):
            owner = child if child in state.notes else note
            if owner is not None:
                out.extend(note_blocks(state, child, state.notes[owner]))
            continue
        blocks = blocks_of(state, child)
        if terms:
            entry = Definition(terms)
            terms = []
            out.append(entry)
        for block in blocks:
            if entry is not None and block is blocks[0] and isinstance(block, Paragraph):
                entry.definitions.append(block.text)
            else:
                entry = None
                out.append(block)
    if terms:
        out.append(Definition(terms))


def _entries(element: HtmlElement) -> list[HtmlElement]:
    """Terms and definitions, those in ``div`` groups included (HTML allows one level)."""
    entries: list[HtmlElement] = []
    for child in element:
        if child.tag == "div":
            entries.extend(_entries(child))
        elif isinstance(child.tag, str):
            entries.append(child)
    return entries


def term_text(state: State, element: HtmlElement) -> str:
    """The term on one line, anchored; the signature of an API object as one code span."""
    anchor = state.anchor(element.get("id") or inner_id(element) or state.pending)
    state.pending = ""
    if _SIGNATURE.search(element.get("class") or ""):
        text = " ".join(visible(_signature(element)).split())
        return anchor + inline.code_span(text) if text else ""
    run: list[str] = []
    inline.content(state, element, run)
    text = guarded(finished_line(run, state.opaque))
    return anchor + text if text else ""


def _signature(element: HtmlElement) -> str:
    tools = {
        link
        for link in element.iter("a")
        if _SIGNATURE_TOOLS.search(link.get("class") or "") or link.find("span[@class='viewcode-link']") is not None
    }
    return text_outside(element, tools)


def inner_id(element: HtmlElement) -> str:
    """The first id, or name of an anchor, inside the element; empty where there is none."""
    for inner in element.iter():
        if inner is not element and isinstance(inner.tag, str):
            name = inner.get("id") or (inner.get("name") if inner.tag == "a" else None)
            if name:
                return name
    return ""
