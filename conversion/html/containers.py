"""Containers that mean something: code without ``pre``, formulas, footnotes, tabs, figures, quotations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conversion.html.admonitions import admonition
from conversion.html.blocks import Block, Heading, Paragraph, Quote
from conversion.html.code import code_block
from conversion.html.formulas import formula_of_class
from conversion.html.grids import division_grid, names_columns
from conversion.html.labels import bold, fold_label, tab_row
from conversion.html.lists import note_blocks
from conversion.html.tags import BLOCKS, opens_panel, text_of
from conversion.html.walk import blocks_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from conversion.html.state import State

_FORMULA = re.compile(r"math|katex|mathjax|mwe-", re.IGNORECASE)
_CODE = re.compile(r"(?:^|\s)(?:fragment|code-?block|codehilite|sourcecode|programlisting)(?:\s|$)", re.IGNORECASE)
_COPY_TIP = re.compile(r"\s*(?:copy(?: code| to clipboard)?|copied)!?\s*", re.IGNORECASE)


def division(state: State, element: HtmlElement, out: list[Block]) -> bool:
    """Appends a container that means more than a division; answers False where it is a plain one."""
    if state.notes and element in state.notes:
        out.extend(note_blocks(state, element))
        return True
    if state.labels and element in state.labels:
        label = state.labels.pop(element)
        blocks = blocks_of(state, element)
        if label and blocks:
            out.append(bold(label))
        out.extend(blocks)
        return True
    if element.get("aria-hidden") == "true" and _COPY_TIP.fullmatch(text_of(element)):
        return True
    return _named_division(state, element, out)


def _named_division(state: State, element: HtmlElement, out: list[Block]) -> bool:
    """A container that class or role say the meaning of."""
    name = element.get("class")
    if (element.get("role") in ("table", "grid") or (name and names_columns(name))) and division_grid(
        state, element, out
    ):
        return True
    if element.get("data-lang") or element.get("data-language") or (name and _CODE.search(name)):
        return _code_without_pre(element, out)
    if (name or element.get("role")) and tab_row(state, element):
        return True
    if not name:
        return False
    if _FORMULA.search(name) and (found := formula_of_class(element, name)) is not None:
        if found:
            out.append(Paragraph(found))
        return True
    if element.tag == "p":
        return False
    noted = admonition(state, element, name) if element.tag != "nav" else None
    if noted is None:
        return False
    out.extend(noted)
    return True


def _code_without_pre(element: HtmlElement, out: list[Block]) -> bool:
    """Code that only the style sheet sets as such: lines in ``div``s (Doxygen), or text with line ends."""
    lines = 0
    for inner in element.iter("*"):
        if inner is not element and inner.tag in BLOCKS:
            if inner.tag != "div":
                return False
            lines += 1
    if not lines and "\n" not in text_of(element).strip() and element.find("br") is None:
        return False
    if block := code_block(element):
        out.append(block)
    return True


def label(state: State, element: HtmlElement, out: list[Block]) -> bool:
    """A form label: a bold line where it names a tab."""
    if not opens_panel(element):
        return False
    fold_label(state, element, out)
    return True


def quotation(state: State, element: HtmlElement, out: list[Block]) -> None:
    """``blockquote``; where it only indents code, lists or tables, these stand by themselves."""
    name = element.get("class")
    if name and (noted := admonition(state, element, name)) is not None:
        out.extend(noted)
        return
    blocks = blocks_of(state, element)
    if any(isinstance(block, (Paragraph, Heading)) for block in blocks):
        out.append(Quote(blocks))
    else:
        out.extend(blocks)


def figure(state: State, element: HtmlElement, out: list[Block]) -> None:
    """``figure``: pictures and their caption are one paragraph; code or a table keeps a caption of its own."""
    blocks = blocks_of(state, element)
    texts = [block.text for block in blocks if isinstance(block, Paragraph)]
    if 1 < len(texts) == len(blocks):
        out.append(Paragraph("  \n".join(texts)))
    else:
        out.extend(blocks)
