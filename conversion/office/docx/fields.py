"""Complex fields (ECMA-376-1, 17.16): what their instructions mean for the text that they show."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversion.office.docx.names import W, flag

if TYPE_CHECKING:
    from lxml import etree

_LINK = re.compile(r'\s*HYPERLINK\s+(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s\\"]+))?', re.IGNORECASE)
_ANCHOR = re.compile(r'\\l\s+(?:"(?P<quoted>[^"]*)"|(?P<bare>\S+))', re.IGNORECASE)
_CONTENTS = re.compile(r"\s*(?:TOC|INDEX|TOA)\b", re.IGNORECASE)
_CHECKBOX = re.compile(r"\s*FORMCHECKBOX\b", re.IGNORECASE)


@dataclass(slots=True)
class Field:
    """One open field."""

    box: str = ""
    """The check box that the field draws, if it is one."""
    instruction: str = ""
    shows: bool = False
    """Whether its instructions are over and its result is read."""

    @property
    def link(self) -> str:
        """Where its result leads; empty where it is no link."""
        return link_of(self.instruction)

    @property
    def is_contents(self) -> bool:
        """Whether it generates a table of contents or an index."""
        return is_contents(self.instruction)


def link_of(instruction: str) -> str:
    """The address that a ``HYPERLINK`` instruction names, with ``#`` for a bookmark; empty for any other field."""
    found = _LINK.match(instruction)
    if not found:
        return ""
    address = found.group("quoted") or found.group("bare") or ""
    anchor = _ANCHOR.search(instruction)
    return f"{address}#{anchor.group('quoted') or anchor.group('bare')}" if anchor else address


def is_contents(instruction: str) -> bool:
    """Whether the field generates a table of contents, an index or a table of authorities."""
    return _CONTENTS.match(instruction) is not None


class Fields:
    """The fields that are open where the reader stands; they may span paragraphs."""

    def __init__(self, *, are_balanced: bool) -> None:
        self._open: list[Field] = []
        # Where an end is missing, a table of contents would swallow the rest of the document.
        self._are_balanced = are_balanced

    def meet(self, element: etree._Element) -> str:
        """Takes a ``w:fldChar`` in; the text that the field itself draws is the answer."""
        kind = element.get(W + "fldCharType")
        if kind == "begin":
            self._open.append(Field(box=_box(element)))
        elif self._open and kind == "separate":
            self._open[-1].shows = True
        elif self._open and kind == "end":
            field = self._open.pop()
            return field.box if _CHECKBOX.match(field.instruction) else ""
        return ""

    def instruct(self, text: str) -> None:
        """Takes a ``w:instrText`` in."""
        if self._open and not self._open[-1].shows:
            self._open[-1].instruction += text

    def end_paragraph(self) -> None:
        """Instructions end with their paragraph at the latest: a damaged field must not hide what follows."""
        while self._open and not self._open[-1].shows:
            self._open.pop()

    @property
    def hides_text(self) -> bool:
        """Whether instructions stand here rather than text."""
        return any(not field.shows for field in self._open)

    @property
    def in_contents(self) -> bool:
        """Whether the text is part of a generated table of contents or index."""
        return self._are_balanced and any(field.is_contents for field in self._open)

    @property
    def link(self) -> str:
        """Where the text leads; empty where no field is a link."""
        return next((link for field in reversed(self._open) if (link := field.link)), "")


def _box(begin: etree._Element) -> str:
    box = begin.find(f"{W}ffData/{W}checkBox")
    if box is None:
        return ""
    checked = flag(box, "checked")
    return "☒" if (flag(box, "default") if checked is None else checked) else "☐"
