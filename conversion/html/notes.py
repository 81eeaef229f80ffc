"""Footnotes: references and texts of the markup that Markdown, Sphinx, DocBook, AsciiDoc, Texinfo and EPUB emit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conversion.html.tags import text_of, text_outside

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from conversion.html.state import State

_REFERENCE = re.compile(r"(?:^|\s)(?:footnote(?:-ref(?:erence)?)?|fn(?:ref)?|noteref|para)(?:\s|$)", re.IGNORECASE)
_TARGET = re.compile(r"#(?:user-content-)?_?(?:fn|footnote|ftn|foot|cite_note|note)[\w:.-]*$", re.IGNORECASE)
_LABEL = re.compile(r"[\s\[\](){}^]*([\w*†‡§¶-]{1,12})[\s\[\](){}]*")
_BACK = re.compile(r"[\s↩↑^⏎⤴︎\ufe0e\ufe0f\[\]()a-z\d]{0,8}", re.IGNORECASE)
_BACK_CLASS = re.compile(
    r"(?:^|[\s_-])(?:back-?(?:ref|link)|footnote-back\w*|fn-?backref|reversefootnote|mw-cite-backlink)", re.IGNORECASE
)
_CITATIONS = re.compile(r"(?:^|\s)(?:references|citation|reflist|bibliography)(?:\s|$)", re.IGNORECASE)


def note_reference(state: State, element: HtmlElement, href: str) -> str:
    """``[^label]`` where the link leads to a footnote of this page; empty for any other link."""
    place = href.find("#")
    if place < 0 or place == len(href) - 1:
        return ""
    if not _is_reference(element, href):
        return ""
    target = state.by_id(href[place + 1 :])
    if target is None or target is element:
        return ""
    note = _note_of(target)
    if note is None:
        return ""
    label = _LABEL.fullmatch(text_of(element))
    if label is None:
        return ""
    known = state.notes.get(note)
    if known is None:
        known = state.notes[note] = _free_label(label.group(1), state)
    return state.keep(f"[^{known}]")


def leads_to_citation(href: str) -> bool:
    """Whether a link is a wiki's numbered citation: its text stays, the long list of sources is a list of its own."""
    return "#cite_note" in href


def is_citation_backlink(element: HtmlElement) -> bool:
    """Whether a link or span leads from a source back to where it is cited."""
    return "#cite_ref" in (element.get("href") or "") or "mw-cite-backlink" in (element.get("class") or "")


def _is_reference(element: HtmlElement, href: str) -> bool:
    if element.get("role") == "doc-noteref" or "footnote" in (element.get("rel") or ""):
        return True
    name = element.get("class") or ""
    if _BACK_CLASS.search(name):
        return False
    parent = element.getparent()
    if _REFERENCE.search(name):
        return True
    if parent is None or parent.tag not in ("sup", "span"):
        return element.find("sup") is not None and _TARGET.search(href) is not None
    return bool(_REFERENCE.search(parent.get("class") or "")) or (
        parent.tag == "sup" and _TARGET.search(href) is not None and "cite_note" not in href
    )


def _note_of(target: HtmlElement) -> HtmlElement | None:
    """The element that holds the note's whole text: the target itself, or the block around an anchor in its label."""
    element: HtmlElement | None = target
    while element is not None and element.tag not in ("li", "aside", "div", "p", "dd", "dt", "td", "section"):
        element = element.getparent()
    if element is None or element.tag in ("td", "section"):
        return None
    around = element.getparent()
    if around is not None and _CITATIONS.search(around.get("class") or ""):
        return None
    return element


def _free_label(label: str, state: State) -> str:
    taken = set(state.notes.values())
    if label not in taken:
        return label
    return next(f"{label}-{n}" for n in range(2, len(taken) + 3) if f"{label}-{n}" not in taken)


def is_back_reference(element: HtmlElement) -> bool:
    """Whether a link inside a note's text only leads back to where the note is called."""
    if element.get("role") == "doc-backlink" or element.get("rev") == "footnote":
        return True
    if _BACK_CLASS.search(element.get("class") or ""):
        return True
    href = element.get("href") or ""
    return href.startswith("#") and _BACK.fullmatch(text_of(element)) is not None


def silence_back_references(state: State, note: HtmlElement) -> None:
    """Marks as unread what leads back from the note: arrows, and the label in front of its text."""
    for element in note.iter("a"):
        if is_back_reference(element):
            state.unread.add(element)
    for element in note.iter("span", "sup"):
        name = element.get("class") or ""
        text = text_outside(element, state.unread)
        if not text.strip("[]()., ") or ("label" in name and _LABEL.fullmatch(text_of(element))):
            state.unread.add(element)
