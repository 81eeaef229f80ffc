"""Bullet and numbered lists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conversion.html.blocks import Block, Item, ListBlock, Note, Paragraph
from conversion.html.grids import names_columns
from conversion.html.labels import tab_row
from conversion.html.notes import silence_back_references
from conversion.html.tags import HEADINGS, text_of
from conversion.html.walk import blocks_of, blocks_of_parts, parted

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from conversion.html.state import State

_LONGEST_CAPTION = 30
"""Characters, white space left out, that a list item may say besides the table that it frames."""


def list_block(state: State, element: HtmlElement, out: list[Block]) -> None:
    """``ul``, ``ol``, ``menu`` and ``dir``; what stands between items (a list, stray text) joins the item before it."""
    if (element.get("role") or element.get("class")) and tab_row(state, element):
        return
    if element.tag != "ol" and _holds_sections(element):
        for part in parted(element, ("li",)):
            out.extend(blocks_of_parts(state, part) if isinstance(part, list) else blocks_of(state, part))
        return
    items: list[Item] = []
    notes: list[Block] = []
    number = _whole(element.get("start"), 1)
    for part in parted(element, ("li",)):
        if isinstance(part, list):
            blocks = blocks_of_parts(state, part)
            if items:
                items[-1].blocks.extend(blocks)
            elif blocks:
                items.append(Item(blocks, number))
                number += 1
        elif part in state.notes:
            notes.extend(note_blocks(state, part))
            number += 1
        elif blocks := blocks_of(state, part):
            number = _whole(part.get("value"), number)
            items.append(Item(blocks, number, _box(part)))
            number += 1
    if items:
        out.append(ListBlock(element.tag == "ol", items))
    out.extend(notes)


def _holds_sections(element: HtmlElement) -> bool:
    """Whether the items are sections of the page rather than items: each begins with a heading, and one holds more.

    More is a section element, code, a table or definitions; cards of a heading and a line of text stay a list. Items
    that are nothing but a table with its caption are none either.
    """
    items = [item for item in element if item.tag == "li"]
    if not items or not all(_begins_with_heading(item) or _frames_table(item) for item in items):
        return False
    return any(
        next(item.iter("section", "pre", "table", "dl"), None) is not None or _frames_table(item) for item in items
    )


def _frames_table(item: HtmlElement) -> bool:
    """Whether an item holds a table and hardly a word besides."""
    found = next((inner for inner in item.iter("table", "div") if _is_table(inner)), None)
    if found is None:
        return False
    return len("".join(text_of(item).split())) - len("".join(text_of(found).split())) <= _LONGEST_CAPTION


def _is_table(element: HtmlElement) -> bool:
    return element.tag == "table" or names_columns(element.get("class") or "")


def _begins_with_heading(item: HtmlElement) -> bool:
    for inner in item.iter("*"):
        if inner.tag in HEADINGS:
            return bool(text_of(inner).strip())
        if (inner.text and inner.text.strip()) or inner.tag in ("img", "pre", "table", "dl"):
            return False
        if inner is not item and not len(inner) and inner.tail and inner.tail.strip():
            return False
    return False


def _box(element: HtmlElement) -> str:
    """The task box of an item: a check box that belongs to it rather than to an inner list."""
    for inner in element.iter("input", "ul", "ol"):
        if inner.tag != "input":
            break
        if inner.get("type") == "checkbox":
            return "[x] " if inner.get("checked") is not None else "[ ] "
    return ""


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
        return [Note(label, first.text.removeprefix(". ")), *blocks[1:]]
    return [Note(label, ""), *blocks] if blocks else []
