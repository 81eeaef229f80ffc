"""``convert_docx``: the parts of a Word file, put together."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from conversion.office.docx.body import BodyReader, Story
from conversion.office.docx.fields import Fields, link_of
from conversion.office.docx.inline import InlineReader
from conversion.office.docx.names import W, own_indent, text_in, value
from conversion.office.docx.notes import Call, Notes
from conversion.office.docx.numbering import Numbering
from conversion.office.docx.styles import Styles
from conversion.office.graphics import GraphicTexts
from conversion.office.package import Package
from conversion.office.page import add, converted, new
from conversion.office.properties import core_properties, name_of
from conversion.office.records import OfficeConversion, OfficeOptions, Removals

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml import etree
    from lxml.html import HtmlElement

CONVERTER = "docx/1"
_DEFAULTS = OfficeOptions()


def convert_docx(data: bytes, url: str, options: OfficeOptions = _DEFAULTS) -> OfficeConversion:
    """A Word file as Markdown.

    Headings by outline level, lists with their real levels and numbers, merged cells, notes where their section ends;
    tracked changes are taken as accepted. Headers, footers, comments, hidden and deleted text, prompts of empty
    controls and generated tables of contents are left out and recorded.
    Raises ``ConversionFailed``, and ``NothingExtracted`` where no text stands in it.
    """
    return _Document(Package(data, url, options.max_part)).convert()


class _Document:
    def __init__(self, package: Package) -> None:
        self._package = package
        self._main = package.main
        root = package.parse(self._main)
        if root is None:
            raise package.failure("has no text part; open and save it anew")
        self._root = root
        self._removals = Removals()
        self._styles = Styles(self._part("styles"), self._look("theme"), self._look("fontTable"))
        self._notes = Notes(self._part("footnotes"), self._part("endnotes"))
        graphics = GraphicTexts(package, self._main)
        self._story = Story(
            styles=self._styles,
            numbering=Numbering(self._part("numbering"), self._styles),
            text_indent=_text_indent(root, self._styles),
            removals=self._removals,
            notes=self._notes,
            write_notes=self._write_notes,
            write_graphics=lambda drawing, flow: graphics.write(drawing, flow.block),
        )
        self._targets = _link_targets(self._root)

    def convert(self) -> OfficeConversion:
        body = self._root.find(W + "body")
        root = new("div")
        reader = self._reader(self._main, self._root, self._notes)
        if body is not None:
            reader.read(body, root)
        self._record_left_out()
        stated = core_properties(self._package)
        title = reader.title or stated.title
        document = converted(root, self._package.url, title)
        if document is None:
            raise self._package.without_text("holds no text (is it made of pictures? publish it as PDF)")
        document = replace(
            document,
            title=document.title or name_of(self._package.url),
            source_kind="docx",
            converter=f"{CONVERTER} {document.converter}",
        )
        return OfficeConversion(document, replace(stated, title=document.title), self._removals.done())

    def _part(self, kind: str) -> etree._Element | None:
        return self._package.related_root(self._main, kind)

    def _look(self, kind: str) -> etree._Element | None:
        return self._package.related_root(self._main, kind, leniently=True)

    def _reader(self, part: str, root: etree._Element, notes: Notes | None) -> BodyReader:
        marks = [mark.get(W + "fldCharType") for mark in root.iter(W + "fldChar")]
        fields = Fields(are_balanced=marks.count("begin") == marks.count("end"))
        relations = self._package.relations(part)
        inline = InlineReader(self._styles, relations, notes, self._removals, self._targets, fields)
        return BodyReader(self._story, inline)

    def _write_notes(self, calls: Iterable[Call], element: HtmlElement) -> None:
        readers: dict[str, BodyReader] = {}
        for call in calls:
            if call.kind not in readers:
                part = next(self._package.related(self._main, f"{call.kind}s"), "")
                root = call.element.getparent()
                readers[call.kind] = self._reader(part, call.element if root is None else root, None)
            readers[call.kind].read(call.element, add(element, "li", id=call.anchor))

    def _record_left_out(self) -> None:
        for kind in ("header", "footer"):
            seen: set[str] = set()
            for part in self._package.related(self._main, kind):
                root = self._package.parse_leniently(part)
                text = " ".join(text_in(root, "").split()) if root is not None else ""
                if text not in seen:
                    seen.add(text)
                    self._removals.add(f"office.{kind}", kind, text)
        comments = self._look("comments")
        for comment in comments.iter(W + "comment") if comments is not None else ():
            self._removals.add("office.comment", "comments", text_in(comment))
        for note in self._notes.uncalled():
            self._removals.add("office.uncalled-note", "notes", text_in(note))


def _link_targets(root: etree._Element) -> frozenset[str]:
    """Bookmarks that links of the document lead to."""
    names = {link.get(W + "anchor", "") for link in root.iter(W + "hyperlink")}
    for element in root.iter(W + "instrText", W + "fldSimple"):
        instruction = element.get(W + "instr") or element.text or ""
        names.add(link_of(instruction).partition("#")[2])
    return frozenset(names - {""})


def _text_indent(root: etree._Element, styles: Styles) -> int:
    """The most frequent indent of paragraphs outside of headings and lists; 0 where there are none.

    A paragraph right behind a list item says nothing: it may belong to the item.
    """
    indents: Counter[int] = Counter()
    is_behind_item = False
    for paragraph in root.iterfind(f"{W}body/{W}p"):
        properties = paragraph.find(W + "pPr")
        style = value(properties, "pStyle")
        is_item = properties is not None and properties.find(W + "numPr") is not None
        is_item = is_item or styles.numbering(style) is not None
        if not is_item and not is_behind_item and not styles.heading_level(style, properties):
            own = own_indent(properties)
            indents[(styles.indent(style) or 0) if own is None else own] += 1
        is_behind_item = is_item
    return indents.most_common(1)[0][0] if indents else 0
