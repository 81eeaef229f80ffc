"""Footnotes and endnotes: called in the text, written where their section ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversion.office.docx.names import W
from conversion.office.docx.numbering import written_number

if TYPE_CHECKING:
    from lxml import etree


@dataclass(frozen=True, slots=True)
class Call:
    """A note that the text calls."""

    label: str
    anchor: str
    kind: str
    element: etree._Element


class Notes:
    """The notes of a document. Each is written once, however often it is called."""

    def __init__(self, footnotes: etree._Element | None, endnotes: etree._Element | None) -> None:
        self._elements = {
            (kind, element.get(W + "id", "")): element
            for kind, root in (("footnote", footnotes), ("endnote", endnotes))
            for element in (root.iter(W + kind) if root is not None else ())
            if element.get(W + "type", "normal") == "normal"
        }
        self._calls: dict[tuple[str, str], Call] = {}
        self._waiting: list[Call] = []

    def call(self, kind: str, identifier: str) -> Call | None:
        """The note with its label: digits for footnotes, Roman numbers for endnotes. None where there is none."""
        element = self._elements.get((kind, identifier))
        if element is None:
            return None
        key = kind, identifier
        if key not in self._calls:
            number = sum(called.kind == kind for called in self._calls.values()) + 1
            label = written_number(number, "lowerRoman") if kind == "endnote" else str(number)
            self._calls[key] = Call(label, f"{kind}-{number}", kind, element)
            self._waiting.append(self._calls[key])
        return self._calls[key]

    def take(self) -> list[Call]:
        """The notes that were called and are not written yet."""
        waiting, self._waiting = self._waiting, []
        return waiting

    def uncalled(self) -> list[etree._Element]:
        """Notes that nothing calls."""
        return [element for key, element in self._elements.items() if key not in self._calls]
