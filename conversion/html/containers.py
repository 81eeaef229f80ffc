"""Containers that mean something: admonitions, tabs, accordions, folds, figures, footnotes, quotations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conversion.html import inline
from conversion.html.blocks import Block, Heading, Paragraph, Quote
from conversion.html.code import code_block
from conversion.html.escapes import finished_line
from conversion.html.formulas import formula_of_class
from conversion.html.lists import note_text
from conversion.html.tags import HEADINGS
from conversion.html.walk import blocks_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from conversion.html.state import State

_SPECIAL = re.compile(
    r"admonition|alert|callout|(?:^|[\s_-])(?:note|warning|tip|caution|important|danger|hint|info|notice|attention|seealso"
    r"|fragment|math|katex|mwe-math|MathJax|tab|tabs|tabbed|line-block|footnote|custom-block)(?:$|[\s_-])"
)
_ADMONITION = re.compile(
    r"(?:^|[\s_-])(?:admonition|admonitionblock|alert|callout|custom-block|note|warning|tip|caution|important|danger|hint"
    r"|info|notice|attention)(?:$|[\s_-])"
)
_ADMONITION_TITLE = re.compile(
    r"(?:^|[\s_-])(?:admonition-?title|alert-?(?:title|heading)|callout-?title|custom-block-title|admonition-?heading|note-?title"
    r"|markdown-alert-title|admonitionHeading\w*|title)(?:$|[\s_-])"
)
_LABELS = frozenset(
    "note warning tip caution important danger hint info attention error example question success failure bug abstract "
    "summary seealso".split()
)


def division(state: State, element: HtmlElement, out: list[Block]) -> bool:
    """Appends a ``div``, ``section`` or ``aside`` that means more than a division; False where it is a plain one."""
    if state.notes and element in state.notes:
        out.append(note_text(state, element))
        return True
    if state.labels and element in state.labels:
        label = state.labels.pop(element)
        _labelled(label, blocks_of(state, element), out)
        return True
    role = element.get("role")
    if role == "tablist":
        return _tab_list(state, element)
    name = element.get("class")
    if not name or not _SPECIAL.search(name):
        return False
    if "fragment" in name.split() and element.find("div") is not None:
        if block := code_block(element):
            out.append(block)
        return True
    found = formula_of_class(element, name)
    if found is not None:
        if found:
            out.append(Paragraph(found))
        return True
    if _ADMONITION.search(name) and element.tag in ("div", "section", "aside", "blockquote", "details"):
        return _admonition(state, element, name, out)
    return False


def _labelled(label: str, blocks: list[Block], out: list[Block]) -> None:
    if label and blocks:
        out.append(Paragraph(f"**{label}**"))
    out.extend(blocks)


def _admonition(state: State, element: HtmlElement, name: str, out: list[Block]) -> bool:
    """A quotation that begins with the title; False where the element looks like a section of the page instead."""
    title = _title_of(element)
    headings = [inner for inner in element.iter(*HEADINGS)]
    if len(headings) > 1 or (headings and title is not headings[0]):
        return False
    if title is None and not re.search(r"admonition|alert|callout|custom-block", name) and element.find("p") is None:
        return False
    blocks = blocks_of(state, element)
    if not blocks:
        return True
    if title is not None and isinstance(blocks[0], Paragraph) and "**" not in blocks[0].text and _short(blocks[0].text):
        blocks[0] = Paragraph(f"**{blocks[0].text}**")
    elif title is None and (kind := _kind(name)) and not _says(blocks[0], kind):
        blocks.insert(0, Paragraph(f"**{kind.capitalize()}**"))
    out.append(Quote(blocks))
    return True


def _title_of(element: HtmlElement) -> HtmlElement | None:
    for inner in element.iter():
        if inner is element or not isinstance(inner.tag, str):
            continue
        if inner.tag in HEADINGS or _ADMONITION_TITLE.search(inner.get("class") or ""):
            return inner
        if inner.text and inner.text.strip():
            return None
    return None


def _short(text: str) -> bool:
    return len(text) < 80 and "\n" not in text


def _kind(name: str) -> str:
    return next((word for word in re.split(r"[\s_-]+", name.lower()) if word in _LABELS), "")


def _says(block: Block, kind: str) -> bool:
    return isinstance(block, (Paragraph, Heading)) and kind in block.text[:40].lower()


def _tab_list(state: State, element: HtmlElement) -> bool:
    """Remembers the names of the tabs for their panels; the row of tabs itself says nothing more."""
    tabs = [tab for tab in element.iter() if isinstance(tab.tag, str) and tab.get("role") == "tab"]
    panels = _panels(element)
    if not tabs or not panels:
        return False
    by_id = {panel.get("id"): panel for panel in panels if panel.get("id")}
    by_label = {panel.get("aria-labelledby"): panel for panel in panels if panel.get("aria-labelledby")}
    for index, tab in enumerate(tabs):
        panel = by_id.get(tab.get("aria-controls")) or by_id.get((tab.get("href") or "").lstrip("#"))
        if panel is None:
            panel = by_label.get(tab.get("id"))
        if panel is None and len(tabs) == len(panels):
            panel = panels[index]
        if panel is not None:
            state.labels[panel] = label_text(state, tab)
    return True


def _panels(element: HtmlElement) -> list[HtmlElement]:
    """The panels nearest to a row of tabs: those in its closest ancestor that has any."""
    around = element.getparent()
    while around is not None:
        panels = [panel for panel in around.iter() if isinstance(panel.tag, str) and panel.get("role") == "tabpanel"]
        if panels:
            return panels
        around = around.getparent()
    return []


def label_text(state: State, element: HtmlElement) -> str:
    """The element's text on one line, without markup."""
    before, state.plain = state.plain, True
    run: list[str] = []
    inline.content(state, element, run)
    state.plain = before
    return finished_line(run, state.opaque)


def label(state: State, element: HtmlElement, out: list[Block]) -> None:
    """``summary``, and labels of tabs: a bold line, or the heading it holds."""
    if any(inner.tag in HEADINGS for inner in element.iter()):
        out.extend(blocks_of(state, element))
    elif text := label_text(state, element):
        out.append(Paragraph(f"**{text}**"))


def quotation(state: State, element: HtmlElement, out: list[Block]) -> None:
    """``blockquote``; where it only indents code, lists or tables, these stand by themselves."""
    blocks = blocks_of(state, element)
    if any(isinstance(block, (Paragraph, Heading)) for block in blocks):
        out.append(Quote(blocks))
    else:
        out.extend(blocks)


def figure(state: State, element: HtmlElement, out: list[Block]) -> None:
    """``figure``: a picture and its caption are one paragraph; code or a table keeps a caption of its own."""
    blocks = blocks_of(state, element)
    if len(blocks) > 1 and all(isinstance(block, Paragraph) for block in blocks) and len(blocks) < 4:
        out.append(Paragraph("  \n".join(block.text for block in blocks if isinstance(block, Paragraph))))
    else:
        out.extend(blocks)
