"""What stands in a paragraph, in reading order: runs, links, fields, notes, pictures, formulas, text boxes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conversion.office.docx.drawings import alternative_text, text_boxes
from conversion.office.docx.fields import Fields, is_contents, link_of
from conversion.office.docx.names import COMPATIBILITY, MATH, VML, W, flag, text_in, value, whole
from conversion.office.docx.symbols import symbol
from conversion.office.formulas import formula
from conversion.office.package import relation_id
from conversion.office.pieces import BREAK, PLAIN, Looks, Piece

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml import etree

    from conversion.office.docx.notes import Notes
    from conversion.office.docx.styles import Styles
    from conversion.office.package import Relation
    from conversion.office.records import Removals

_UNREADABLY_SMALL = 2
"""Half points: text of one point or less is not meant for eyes."""
_WRAPPERS = frozenset(W + name for name in ("ins", "moveTo", "smartTag", "customXml", "dir", "bdo", "sdtContent"))
_DROPPED = {W + "del": "office.deleted", W + "moveFrom": "office.deleted"}
_MAX_DEPTH = 60
_AUTO_BOOKMARK = re.compile(r"_(?:GoBack|Hlk\d+|Toc\d+|Ref\d+|Hlt\d+)")


@dataclass(slots=True)
class Line:
    """What one paragraph holds."""

    pieces: list[Piece] = field(default_factory=list)
    boxes: list[etree._Element] = field(default_factory=list)
    """Contents of text boxes that are anchored here."""
    bookmarks: list[str] = field(default_factory=list)
    contents: list[str] = field(default_factory=list)
    """Text that a table of contents or an index generated."""
    rule: bool = False
    """Whether a horizontal line is drawn here."""
    drawings: list[etree._Element] = field(default_factory=list)
    """Charts and diagrams, whose text stands in parts of their own."""


class InlineReader:
    """Reads paragraphs of one part; fields stay open from one paragraph to the next."""

    def __init__(
        self,
        styles: Styles,
        relations: dict[str, Relation],
        notes: Notes | None,
        removals: Removals,
        targets: frozenset[str],
        fields: Fields,
    ) -> None:
        self._styles = styles
        self._relations = relations
        self._notes = notes
        self._removals = removals
        self._targets = targets
        self._fields = fields
        self._style: str | None = None
        self._line = Line()
        self._link = ""
        self._handlers: dict[object, Callable[[etree._Element, Looks], None]] = {
            W + "t": self._text,
            W + "tab": lambda _element, looks: self._put("\t", looks),
            W + "ptab": lambda _element, looks: self._put("\t", looks),
            W + "br": self._break,
            W + "cr": lambda _element, looks: self._put(BREAK, looks),
            W + "noBreakHyphen": lambda _element, looks: self._put("\u2011", looks),
            W + "sym": lambda element, looks: self._put(symbol(element), looks),
            W + "fldChar": lambda element, looks: self._put(self._fields.meet(element), looks),
            W + "instrText": lambda element, _looks: self._fields.instruct(element.text or ""),
            W + "drawing": self._drawing,
            W + "pict": self._drawing,
            W + "object": self._drawing,
            W + "ruby": self._ruby,
            W + "footnoteReference": self._note,
            W + "endnoteReference": self._note,
            COMPATIBILITY + "AlternateContent": self._alternatives,
        }

    def read(self, paragraph: etree._Element, style: str | None) -> Line:
        """What the paragraph holds. To be called once for each, in order."""
        self._line, self._style, self._link = Line(), style, ""
        self._read_children(paragraph, 0)
        self._fields.end_paragraph()
        return self._line

    # ------------------------------------------------------------ between runs

    def _read_children(self, parent: etree._Element, depth: int) -> None:
        if depth > _MAX_DEPTH:
            self._put(text_in(parent, ""), PLAIN)
            return
        for child in parent:
            tag = child.tag
            if tag == W + "r":
                self._run(child)
            elif tag == W + "hyperlink":
                self._hyperlink(child, depth)
            elif tag == W + "fldSimple":
                self._simple_field(child, depth)
            elif tag == W + "sdt":
                self._control(child, depth)
            elif tag in _WRAPPERS:
                self._read_children(child, depth + 1)
            elif tag in _DROPPED:
                self._removals.add(_DROPPED[tag], "body", text_in(child, ""))
            elif tag == W + "bookmarkStart":
                self._bookmark(child.get(W + "name", ""))
            elif tag in (MATH + "oMath", MATH + "oMathPara"):
                self._put(formula(child), PLAIN)
            elif tag == COMPATIBILITY + "AlternateContent":
                self._alternatives(child, PLAIN)

    def _hyperlink(self, element: etree._Element, depth: int) -> None:
        relation = self._relations.get(relation_id(element))
        address = relation.target if relation and relation.external else ""
        anchor = element.get(W + "anchor", "")
        before, self._link = self._link, f"{address}#{anchor}" if anchor else address
        self._read_children(element, depth + 1)
        self._link = before

    def _simple_field(self, element: etree._Element, depth: int) -> None:
        instruction = element.get(W + "instr", "")
        if is_contents(instruction):
            self._line.contents.append(text_in(element, ""))
            return
        before, self._link = self._link, link_of(instruction) or self._link
        self._read_children(element, depth + 1)
        self._link = before

    def _control(self, element: etree._Element, depth: int) -> None:
        content = element.find(W + "sdtContent")
        if content is None or is_placeholder(element):
            return
        self._read_children(content, depth + 1)

    def _bookmark(self, name: str) -> None:
        if name in self._targets:
            self._line.pieces.append(Piece(anchor=name))
        if name and not _AUTO_BOOKMARK.fullmatch(name):
            self._line.bookmarks.append(name)

    # ------------------------------------------------------------ inside a run

    def _run(self, run: etree._Element) -> None:
        properties = run.find(W + "rPr")
        if properties is not None and properties.find(W + "del") is not None:
            self._removals.add("office.deleted", "body", text_in(run, ""))
            return
        if self._is_hidden(properties):
            self._removals.add("office.hidden", "body", text_in(run, ""))
            return
        looks = self._looks(properties)
        for child in run:
            handler = self._handlers.get(child.tag)
            if handler is not None:
                handler(child, looks)

    def _is_hidden(self, properties: etree._Element | None) -> bool:
        if self._styles.run_flag("vanish", properties, self._style):
            return True
        size = whole(value(properties, "sz"))
        return size is not None and size <= _UNREADABLY_SMALL

    def _looks(self, properties: etree._Element | None) -> Looks:
        styles, style = self._styles, self._style
        raised = value(properties, "vertAlign")
        return Looks(
            bold=styles.run_flag("b", properties, style),
            italic=styles.run_flag("i", properties, style),
            struck=bool(flag(properties, "strike") or flag(properties, "dstrike")),
            mono=styles.is_mono(properties, style),
            raised={"superscript": "sup", "subscript": "sub"}.get(raised or "", ""),
        )

    def _put(self, text: str, looks: Looks) -> None:
        if not text or self._fields.hides_text:
            return
        if self._fields.in_contents:
            self._line.contents.append(text)
            return
        self._line.pieces.append(Piece(text, looks, self._link or self._fields.link))

    def _text(self, element: etree._Element, looks: Looks) -> None:
        self._put((element.text or "").replace("\n", " "), looks)

    def _break(self, element: etree._Element, looks: Looks) -> None:
        if element.get(W + "type") in (None, "textWrapping"):
            self._put(BREAK, looks)

    def _ruby(self, element: etree._Element, looks: Looks) -> None:
        base = element.find(W + "rubyBase")
        self._put("" if base is None else text_in(base, ""), looks)

    def _note(self, element: etree._Element, looks: Looks) -> None:
        if self._notes is None or self._fields.hides_text:
            return
        kind = "endnote" if element.tag == W + "endnoteReference" else "footnote"
        called = self._notes.call(kind, element.get(W + "id", ""))
        if called is not None:
            self._line.pieces.append(Piece(called.label, looks, note=called.anchor))

    # ------------------------------------------------------------ drawings

    def _alternatives(self, element: etree._Element, looks: Looks) -> None:
        """The first branch that holds anything readable: text boxes stand in both, pictures mostly in the first."""
        for branch in element:
            if branch.tag in (COMPATIBILITY + "Choice", COMPATIBILITY + "Fallback"):
                before = len(self._line.pieces), len(self._line.boxes), len(self._line.drawings)
                for child in branch:
                    if child.tag == W + "r":
                        self._run(child)
                    elif handler := self._handlers.get(child.tag):
                        handler(child, looks)
                if before != (len(self._line.pieces), len(self._line.boxes), len(self._line.drawings)):
                    return

    def _drawing(self, element: etree._Element, looks: Looks) -> None:
        self._line.boxes.extend(text_boxes(element))
        for shape in element.iter(VML + "rect", VML + "line"):
            if any(name.endswith("}hr") for name in map(str, shape.keys())):
                self._line.rule = True
        for path in element.iter(VML + "textpath"):
            self._put(path.get("string", ""), looks)
        if not self._line.boxes and (text := alternative_text(element)) and not self._fields.hides_text:
            self._line.pieces.append(Piece(image=text, link=self._link or self._fields.link))
        self._line.drawings.append(element)


def is_placeholder(control: etree._Element) -> bool:
    """Whether a content control shows its prompt ("Click here to enter text") because nothing was entered."""
    return bool(flag(control.find(W + "sdtPr"), "showingPlcHdr"))
