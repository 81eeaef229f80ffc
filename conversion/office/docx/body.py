"""The body of a part: its paragraphs and tables in reading order, each written as what its style makes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversion.office.docx.inline import InlineReader, Line, is_placeholder
from conversion.office.docx.names import COMPATIBILITY, MATH, W, own_indent, text_in, value
from conversion.office.docx.tables import TableWriter
from conversion.office.flow import Flow
from conversion.office.page import add
from conversion.office.pieces import Looks, Piece, is_blank, is_code, plain_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lxml import etree
    from lxml.html import HtmlElement

    from conversion.office.docx.notes import Call, Notes
    from conversion.office.docx.numbering import Numbering
    from conversion.office.docx.styles import Styles
    from conversion.office.flow import Mark
    from conversion.office.records import Removals

_MAX_DEPTH = 20
_WRAPPERS = frozenset(W + name for name in ("customXml", "sdtContent", "ins", "moveTo", "smartTag"))
_CONTENTS_GALLERIES = frozenset({"Table of Contents", "Tables of Contents", "Bibliographies Contents"})


@dataclass(frozen=True, slots=True)
class Story:
    """What all parts of a document share while it is read."""

    styles: Styles
    numbering: Numbering
    text_indent: int
    """Where running text stands in this document, in twentieths of a point."""
    removals: Removals
    notes: Notes
    write_notes: Callable[[Iterable[Call], HtmlElement], None]
    write_graphics: Callable[[etree._Element, Flow], None]
    """Writes what charts and diagrams say."""


class BodyReader:
    """Reads one part. ``title`` is the document's title paragraph once it was met."""

    def __init__(self, story: Story, inline: InlineReader) -> None:
        self._story = story
        self._inline = inline
        self._tables = TableWriter(story.styles, story.removals, self._read_cell)
        self._depth = 0
        self._carried: list[Piece] = []
        self._bookmarks: list[str] = []
        self.title = ""

    def read(self, parent: etree._Element, container: HtmlElement) -> None:
        """All blocks of the parent, into the container; the last notes behind them."""
        flow = Flow(container)
        self._read_into(flow, parent)
        self._flush_notes(flow)

    def _read_into(self, flow: Flow, parent: etree._Element) -> None:
        if self._depth >= _MAX_DEPTH:
            if text := text_in(parent):
                flow.paragraph([Piece(text)], 0)
            return
        self._depth += 1
        for child in parent:
            self._read_block(flow, child)
        self._depth -= 1
        if self._carried:
            carried, self._carried = self._carried, []
            flow.paragraph(carried, 0)

    def _read_block(self, flow: Flow, child: etree._Element) -> None:
        tag = child.tag
        if tag == W + "p":
            self._paragraph(flow, child)
        elif tag == W + "tbl":
            self._tables.write(child, flow.block("table"))
        elif tag == W + "sdt":
            self._control(flow, child)
        elif tag in _WRAPPERS:
            self._read_into(flow, child)
        elif tag == W + "bookmarkStart":
            self._bookmarks.append(child.get(W + "name", ""))
        elif tag == COMPATIBILITY + "AlternateContent":
            branch = next(iter(child), None)
            if branch is not None:
                self._read_into(flow, branch)
        elif tag in (MATH + "oMathPara", MATH + "oMath"):
            wrapper = child.makeelement(W + "p")
            wrapper.append(child)
            self._paragraph(flow, wrapper)
        elif tag in (W + "del", W + "moveFrom"):
            self._story.removals.add("office.deleted", "body", text_in(child))
        elif tag == W + "altChunk":
            self._story.removals.add("office.foreign-part", "body", "a part in another format (altChunk)")

    def _control(self, flow: Flow, control: etree._Element) -> None:
        content = control.find(W + "sdtContent")
        if content is None or is_placeholder(control):
            return
        gallery = control.find(f"{W}sdtPr/{W}docPartObj/{W}docPartGallery")
        if gallery is not None and gallery.get(W + "val") in _CONTENTS_GALLERIES:
            self._story.removals.add("office.contents", "body", text_in(content))
            return
        self._read_into(flow, content)

    # ------------------------------------------------------------ paragraphs

    def _paragraph(self, flow: Flow, paragraph: etree._Element) -> None:
        properties = paragraph.find(W + "pPr")
        style = value(properties, "pStyle")
        line = self._inline.read(paragraph, style)
        pieces = [*self._carried, *line.pieces]
        self._carried = []
        if properties is not None and _runs_on(properties):
            self._carried = pieces
            return
        if line.contents or self._story.styles.is_contents(style):
            self._leave_out_contents(line, pieces)
            return
        mark = self._story.numbering.mark(properties, style)
        if is_blank(pieces):
            self._after(flow, line, blank=True)
            return
        bookmarks = [*self._bookmarks, *line.bookmarks]
        self._bookmarks = []
        self._write(flow, pieces, properties, style, mark, bookmarks)
        self._after(flow, line, blank=False)

    def _leave_out_contents(self, line: Line, pieces: Iterable[Piece]) -> None:
        text = " ".join([plain_text(pieces), *line.contents])
        self._story.removals.add("office.contents", "body", text)

    def _after(self, flow: Flow, line: Line, *, blank: bool) -> None:
        if line.rule:
            flow.block("hr")
        elif blank and not line.boxes:
            flow.blank()
        for box in line.boxes:
            self._read_into(flow, box)
        for drawing in line.drawings:
            self._story.write_graphics(drawing, flow)

    def _write(
        self,
        flow: Flow,
        pieces: list[Piece],
        properties: etree._Element | None,
        style: str | None,
        mark: Mark | None,
        bookmarks: list[str],
    ) -> None:
        styles = self._story.styles
        level = styles.heading_level(style, properties)
        if (level or styles.is_title(style)) and _has_words(pieces):
            self._flush_notes(flow)
            if not level and not self.title:
                self.title = " ".join(plain_text(pieces).split())
            flow.heading(level or 1, _labelled(mark, pieces), bookmarks[-1] if bookmarks else "")
            return
        indent = self._indent(properties, style, mark)
        if styles.is_code(style) or (mark is None and is_code(pieces)):
            flow.code(pieces, indent)
        elif mark is not None and mark.blank:
            flow.go_on(mark, pieces)
        elif mark is not None:
            flow.item(mark, pieces if mark.ordered else _labelled(mark, pieces), indent)
        elif styles.is_quote(style):
            flow.quotation(pieces)
        else:
            flow.paragraph(pieces, indent)

    def _indent(self, properties: etree._Element | None, style: str | None, mark: Mark | None) -> int:
        own = own_indent(properties)
        if own is not None and mark is not None:
            return own
        if mark is not None and mark.indent is not None:
            return mark.indent
        indent = (self._story.styles.indent(style) or 0) if own is None else own
        # What is indented like the running text is part of no list item.
        return 0 if mark is None and indent == self._story.text_indent else indent

    def _read_cell(self, cell: etree._Element, element: HtmlElement) -> None:
        self._read_into(Flow(element), cell)
        if len(element) == 1 and element[0].tag == "p" and not element[0].tail:
            element[0].drop_tag()

    def _flush_notes(self, flow: Flow) -> None:
        if calls := self._story.notes.take():
            self._story.write_notes(calls, add(flow.block("section"), "ol"))


def _runs_on(properties: etree._Element) -> bool:
    """Whether what the paragraph holds opens the next one: its end is deleted (17.13.5.15), or it is a drop cap."""
    frame = properties.find(W + "framePr")
    is_drop_cap = frame is not None and frame.get(W + "dropCap", "none") != "none"
    return is_drop_cap or properties.find(f"{W}rPr/{W}del") is not None


def _has_words(pieces: Iterable[Piece]) -> bool:
    return any(character.isalnum() for character in plain_text(pieces))


def _labelled(mark: Mark | None, pieces: list[Piece]) -> list[Piece]:
    """The pieces behind the label that the numbering writes."""
    if mark is None or not mark.text:
        return pieces
    return [Piece(mark.text + " ", Looks()), *pieces]
