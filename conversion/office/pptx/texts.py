"""Text frames and tables of slides, written as paragraphs, lists, code and rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversion.office.docx.names import MATH
from conversion.office.flow import Flow, Mark
from conversion.office.fonts import is_fixed_font
from conversion.office.formulas import formula
from conversion.office.package import relation_id
from conversion.office.page import add
from conversion.office.pieces import BREAK, PLAIN, Looks, Piece, fill, is_blank, is_code, plain_text
from conversion.office.pptx.bullets import A, Bullets, level_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml import etree
    from lxml.html import HtmlElement

LONGEST_HEADING = 120
NO_HEADING_END = (".", ";", ",")
_SPACE_ABOVE = 1_000
"""Hundredths of a point."""
_MOST_SPAN = 1_000
_ON = frozenset({"1", "true"})


class TextReader:
    """Reads the text of one slide. ``links`` are its external relationships by id, ``level`` that of its heading."""

    def __init__(self, bullets: Bullets, links: Mapping[str, str], level: int) -> None:
        self._bullets = bullets
        self._links = links
        self._level = level

    def pieces(self, paragraph: etree._Element) -> list[Piece]:
        """What a paragraph holds."""
        return list(self._pieces(paragraph))

    def _pieces(self, parent: etree._Element) -> Iterator[Piece]:
        for child in parent:
            if child.tag in (A + "r", A + "fld"):
                text = (child.findtext(A + "t") or "").replace("\v", BREAK)
                properties = child.find(A + "rPr")
                yield Piece(text, _looks(properties), self._link(properties))
            elif child.tag == A + "br":
                yield Piece(BREAK)
            elif isinstance(child.tag, str) and (found := child.find(f".//{MATH}oMath")) is not None:
                yield Piece(formula(found), PLAIN)

    def _link(self, properties: etree._Element | None) -> str:
        click = properties.find(A + "hlinkClick") if properties is not None else None
        return "" if click is None else self._links.get(relation_id(click), "")

    def write_frame(self, shape: etree._Element, body: etree._Element, flow: Flow) -> None:
        """The paragraphs of a text body: lists where the deck draws marks, else paragraphs."""
        counts: dict[int, int] = {}
        list_id = str(id(shape))
        for paragraph in body.iterfind(A + "p"):
            pieces = self.pieces(paragraph)
            if is_blank(pieces):
                flow.blank()
                continue
            level, bullet = level_of(paragraph), self._bullets.of(paragraph, shape)
            for deeper in [known for known in counts if known > level or (bullet is None and known >= level)]:
                del counts[deeper]
            if bullet is None and _is_heading(paragraph, pieces):
                flow.heading(self._level + 1, pieces, "")
                continue
            if bullet is None:
                self._write_unmarked(flow, pieces, level, list_id)
                continue
            if bullet.number:
                counts[level] = counts[level] + 1 if level in counts else bullet.number
            mark = Mark(list_id, level, bool(bullet.number), counts.get(level, 0), "", blank=False, indent=None)
            flow.item(mark, pieces, 0)

    def _write_unmarked(self, flow: Flow, pieces: list[Piece], level: int, list_id: str) -> None:
        if is_code(pieces):
            flow.code(pieces, 0)
        elif level:
            flow.go_on(Mark(list_id, level - 1, False, 0, "", blank=True, indent=None), pieces)
        else:
            flow.paragraph(pieces, 0)

    def write_table(self, table: etree._Element, element: HtmlElement) -> None:
        """Rows and cells; the first row is the head where the deck sets it apart."""
        properties = table.find(A + "tblPr")
        has_head = properties is not None and properties.get("firstRow") in _ON
        rows = table.findall(A + "tr")
        parent = add(element, "thead") if has_head and len(rows) > 1 else element
        body = add(element, "tbody")
        for index, row in enumerate(rows):
            is_head = parent is not element and index == 0
            out = add(parent if is_head else body, "tr")
            for cell in row.iterfind(A + "tc"):
                if cell.get("hMerge") in _ON or cell.get("vMerge") in _ON:
                    continue
                into = add(out, "th" if is_head else "td")
                for name, attribute in (("gridSpan", "colspan"), ("rowSpan", "rowspan")):
                    if (span := cell.get(name, "")).isdigit() and 1 < int(span) <= _MOST_SPAN:
                        into.set(attribute, span)
                self._write_cell(cell, into)

    def _write_cell(self, cell: etree._Element, into: HtmlElement) -> None:
        paragraphs = [pieces for p in cell.iterfind(f"{A}txBody/{A}p") if not is_blank(pieces := self.pieces(p))]
        for pieces in paragraphs:
            fill(into if len(paragraphs) == 1 else add(into, "p"), pieces)


def _is_heading(paragraph: etree._Element, pieces: list[Piece]) -> bool:
    """Whether a line inside a frame is set as the head of what follows: short, all bold, with space above."""
    points = paragraph.find(f"{A}pPr/{A}spcBef/{A}spcPts")
    size = points.get("val", "0") if points is not None else "0"
    text = plain_text(pieces).strip()
    return (
        size.isdigit()
        and int(size) >= _SPACE_ABOVE
        and len(text) <= LONGEST_HEADING
        and BREAK not in text
        and not text.endswith(NO_HEADING_END)
        and all(piece.looks.bold for piece in pieces if piece.text.strip())
    )


def _looks(properties: etree._Element | None) -> Looks:
    if properties is None:
        return PLAIN
    latin = properties.find(A + "latin")
    baseline = properties.get("baseline", "0").removesuffix("%")
    return Looks(
        bold=properties.get("b") in _ON,
        italic=properties.get("i") in _ON,
        struck=properties.get("strike", "noStrike") != "noStrike",
        mono=latin is not None and is_fixed_font(latin.get("typeface", "")),
        raised="" if baseline in ("0", "") else "sub" if baseline.startswith("-") else "sup",
    )
