"""A workbook's sheets, shared strings and formats (ECMA-376-1, 18.2 to 18.4, 18.8)."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from lxml import etree

from conversion.office.package import Package, relation_id, transitional
from conversion.office.xlsx.formats import BUILT_IN

if TYPE_CHECKING:
    from collections.abc import Iterator

S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"

_LARGEST_STREAM = 256 << 20
"""Bytes of a part that is read element by element and never held as a tree."""


@dataclass(frozen=True, slots=True)
class SheetPart:
    """A sheet of the workbook."""

    name: str
    part: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class CellFormat:
    """What a cell's style says of its value."""

    code: str = "General"
    bold: bool = False


GENERAL = CellFormat()


class Workbook:
    """Reads what the sheets share."""

    def __init__(self, package: Package) -> None:
        self.package = package
        self._main = package.main
        root = package.parse(self._main)
        if root is None:
            raise package.failure("has no workbook part; open and save it anew")
        self._root = root

    @cached_property
    def sheets(self) -> tuple[SheetPart, ...]:
        """The sheets with cells, in the order of their tabs; sheets of charts or macros have none."""
        relations = self.package.relations(self._main)
        found = []
        for element in self._root.iter(S + "sheet"):
            relation = relations.get(relation_id(element))
            if relation is not None and relation.kind == "worksheet" and relation.target in self.package:
                hidden = element.get("state", "visible") != "visible"
                found.append(SheetPart(" ".join(element.get("name", "").split()), relation.target, hidden))
        return tuple(found)

    @cached_property
    def from_1904(self) -> bool:
        """Whether days are counted from 1904 (18.2.28)."""
        properties = self._root.find(S + "workbookPr")
        return properties is not None and properties.get("date1904") in ("1", "true")

    @cached_property
    def strings(self) -> list[str]:
        """Shared strings by index; phonetic readings left out."""
        part = next(self.package.related(self._main, "sharedStrings"), "")
        return [string_text(element) for element in stream(self.package, part, S + "si")] if part else []

    @cached_property
    def formats(self) -> list[CellFormat]:
        """Formats by the style index of a cell."""
        root = self.package.related_root(self._main, "styles")
        if root is None:
            return []
        codes = dict(BUILT_IN)
        for element in root.iter(S + "numFmt"):
            if (number := element.get("numFmtId", "")).isdigit():
                codes[int(number)] = element.get("formatCode", "General")
        fonts = root.find(S + "fonts")
        bold = [_is_bold(font) for font in fonts.iterfind(S + "font")] if fonts is not None else []
        styles = root.find(S + "cellXfs")
        found = []
        for style in styles.iterfind(S + "xf") if styles is not None else ():
            number, font = style.get("numFmtId", "0"), style.get("fontId", "0")
            code = codes.get(int(number), "General") if number.isdigit() else "General"
            is_bold = font.isdigit() and int(font) < len(bold) and bold[int(font)]
            found.append(CellFormat(code, is_bold))
        return found


def _is_bold(font: etree._Element) -> bool:
    mark = font.find(S + "b")
    return mark is not None and mark.get("val", "1") not in ("0", "false")


def string_text(element: etree._Element) -> str:
    """Text of a string item: its own ``t``, or those of its runs (18.4.8)."""
    return "".join(
        text.text or "" for child in element for text in ([child] if child.tag == S + "t" else child.iterfind(S + "t"))
        if child.tag != S + "rPh"
    )  # fmt: skip


def stream(package: Package, part: str, *tags: str) -> Iterator[etree._Element]:
    """The elements with these tags as they are read; each is emptied once the next is asked for."""
    data = transitional(package.read(part, _LARGEST_STREAM))
    try:
        for _, element in etree.iterparse(
            io.BytesIO(data),
            tag=tags,
            resolve_entities=False,
            load_dtd=False,
            no_network=True,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        ):
            yield element
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    except etree.XMLSyntaxError as error:
        raise package.failure(f"holds broken XML in {part} ({error})") from error
