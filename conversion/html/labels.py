"""Labels: names of tabs and folds become a bold line above what they open; every panel is kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conversion.html import inline
from conversion.html.blocks import Block, Paragraph
from conversion.html.escapes import finished_line
from conversion.html.tags import HEADINGS
from conversion.html.walk import blocks_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

    from conversion.html.state import State

_TAB_ROW = re.compile(r"(?:^|\s)(?:nav-tabs|nav-pills|tabs|tab-list|tablist|tabbed-labels|tab-nav|tabs__nav)(?:\s|$)")
_PANELS_OF_ROW = re.compile(r"(?:^|\s)(?:tabbed-content|tab-content|tabs-content|tab-panels|tabs__content)(?:\s|$)")


def bold(text: str) -> Paragraph:
    """A line of its own in bold."""
    return Paragraph(f"**{text}**")


def label_text(state: State, element: HtmlElement) -> str:
    """The element's text on one line, without markup."""
    before, state.plain = state.plain, True
    run: list[str] = []
    inline.content(state, element, run)
    state.plain = before
    return finished_line(run, state.opaque)


def fold_label(state: State, element: HtmlElement, out: list[Block]) -> None:
    """``summary``, the button of an accordion or the label of a tab: a bold line, or the heading that it holds."""
    if any(inner.tag in HEADINGS for inner in element.iter()):
        out.extend(blocks_of(state, element))
    elif text := label_text(state, element):
        out.append(bold(text))


def tab_row(state: State, element: HtmlElement) -> bool:
    """Remembers the names of tabs for their panels; False where the element is no row of tabs with panels to find."""
    by_role = element.get("role") == "tablist"
    if not by_role and not _TAB_ROW.search(element.get("class") or ""):
        return False
    tabs = [tab for tab in element.iter("*") if tab.get("role") == "tab"] or list(element.iter("a", "label", "button"))
    if not tabs:
        return False
    panels = _panels_near(element)
    named: dict[HtmlElement, HtmlElement] = {}
    for index, tab in enumerate(tabs):
        panel = _panel_of(state, tab, panels, index, len(tabs))
        if panel is not None:
            named[panel] = tab
    holds_panels = any(element in panel.iterancestors() for panel in named)
    if len(named) < len(tabs) or holds_panels:  # a box around both is walked on: the row stands inside
        return False
    for panel, tab in named.items():
        state.labels[panel] = label_text(state, tab)
    return True


def _panel_of(
    state: State, tab: HtmlElement, panels: Sequence[HtmlElement], index: int, tabs: int
) -> HtmlElement | None:
    """By ``aria-controls`` or a link to its id, by ``aria-labelledby``, else by position."""
    target = tab.get("aria-controls") or (tab.get("href") or tab.get("data-bs-target") or "").partition("#")[2]
    if target and (panel := state.by_id(target)) is not None:
        return panel
    name = tab.get("id")
    for panel in panels:
        if name and panel.get("aria-labelledby") == name:
            return panel
    return panels[index] if len(panels) == tabs else None


def _panels_near(element: HtmlElement) -> list[HtmlElement]:
    """The panels in the closest ancestor of a row of tabs that has any."""
    around = element.getparent()
    while around is not None:
        panels = [panel for panel in around.iter("*") if panel.get("role") == "tabpanel"]
        if panels:
            return panels
        for box in around:
            if isinstance(box.tag, str) and _PANELS_OF_ROW.search(box.get("class") or ""):
                return [panel for panel in box if isinstance(panel.tag, str)]
        around = around.getparent()
    return []
