"""``convert_pptx``: a deck, one section a slide."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

from pptx.package import Package as PptxPackage

from conversion.office.flow import Flow
from conversion.office.graphics import GraphicTexts
from conversion.office.package import Package, in_usual_form
from conversion.office.page import add, converted, new
from conversion.office.pieces import BREAK, Piece, fill, is_blank, plain_text
from conversion.office.pptx.bullets import A, Bullets, P, sheets_of
from conversion.office.pptx.shapes import ShapeWriter, SlideShapes, sort_shapes, unwrap_alternatives
from conversion.office.pptx.texts import LONGEST_HEADING, NO_HEADING_END, TextReader
from conversion.office.properties import core_properties, name_of
from conversion.office.records import OfficeConversion, OfficeOptions, Removals
from wrac.ids import digest
from wrac.records import MarkdownDocument, PageSpan

if TYPE_CHECKING:
    from lxml import etree
    from lxml.html import HtmlElement
    from pptx.presentation import Presentation
    from pptx.shapes.base import BaseShape
    from pptx.slide import Slide

CONVERTER = "pptx/1"
NOTES_LABEL = "Speaker notes"
_DEFAULTS = OfficeOptions()
_TITLE_LAYOUTS = frozenset({"title"})
_SECTION_LAYOUTS = frozenset({"secHead"})


def convert_pptx(data: bytes, url: str, options: OfficeOptions = _DEFAULTS) -> OfficeConversion:
    """A PowerPoint file as Markdown; pages are slide numbers.

    Each slide is a section under its title: level 1 on title slides, 2 on section slides, else one below what the deck
    has of these. Shapes stand in reading order, paragraphs are lists where the deck draws marks. Speaker's notes are a
    quotation that begins with ``NOTES_LABEL``. Hidden slides and shapes, footers and what lies beside the slide are
    left out and recorded. Raises ``ConversionFailed``; ``NothingExtracted`` for no text.
    """
    return _Deck(data, url, options).convert()


class _Deck:
    def __init__(self, data: bytes, url: str, options: OfficeOptions) -> None:
        self._package = Package(data, url, options.max_part)
        self._options = options
        self._removals = Removals()
        self._failed: list[tuple[int, str]] = []
        try:
            opened = PptxPackage.open(io.BytesIO(in_usual_form(data)))
            self._deck: Presentation = opened.presentation_part.presentation
            self._slides = list(self._deck.slides)
        except Exception as error:
            raise self._package.failure(
                f"cannot be read as a PowerPoint file ({error}); open and save it anew"
            ) from error
        if len(self._slides) > options.max_slides:
            raise self._package.failure(
                f"has {len(self._slides):,} slides, more than {options.max_slides:,}; divide it"
            )

    def convert(self) -> OfficeConversion:
        parts: list[str] = []
        spans: list[PageSpan] = []
        length, title = 0, ""
        names = [_layout_kind(slide) for slide in self._slides]
        below = 3 if any(name in _SECTION_LAYOUTS for name in names) else 2
        for number, slide in enumerate(self._slides, 1):
            if _is_hidden(slide):
                self._removals.add("office.hidden-slide", f"slide {number}", _all_text(slide._element))  # noqa: SLF001
                continue
            kind = names[number - 1]
            level = 1 if kind in _TITLE_LAYOUTS else 2 if kind in _SECTION_LAYOUTS else below
            try:
                root, heading = self._slide(slide, number, level)
            except Exception as error:  # noqa: BLE001 (one damaged slide must not cost the others)
                self._failed.append((number, f"{type(error).__name__}: {error}"))
                continue
            document = converted(root, self._package.url, "")
            if document is None:
                continue
            title = title or heading
            spans.append(PageSpan(length, number))
            parts.append(document.text)
            length += len(document.text) + 1
        return self._done("\n".join(parts), tuple(spans), title)

    def _done(self, text: str, spans: tuple[PageSpan, ...], title: str) -> OfficeConversion:
        if not text.strip():
            if self._failed:
                raise self._package.failure(f"gives no text: slide {self._failed[0][0]}: {self._failed[0][1]}")
            raise self._package.without_text("holds no text (are its slides pictures? publish it as PDF)")
        self._record_comments()
        stated = core_properties(self._package)
        title = stated.title or title or name_of(self._package.url)
        document = MarkdownDocument(
            text=text,
            title=title,
            source_kind="pptx",
            converter=CONVERTER,
            digest=digest(text),
            pages=spans,
        )
        metadata, count = replace(stated, title=title), len(self._slides)
        return OfficeConversion(document, metadata, self._removals.done(), count, tuple(self._failed))

    def _slide(self, slide: Slide, number: int, level: int) -> tuple[HtmlElement, str]:
        """The slide as HTML, and its title."""
        unwrap_alternatives(slide._element)  # noqa: SLF001 (python-pptx passes alternatives over)
        shapes = sort_shapes(slide, self._deck, f"slide {number}", self._removals)
        links = {key: rel.target_ref for key, rel in slide.part.rels.items() if rel.is_external}
        texts = TextReader(Bullets(slide), links, level)
        writer = ShapeWriter(texts, GraphicTexts(self._package, str(slide.part.partname).lstrip("/")))
        root = new("div")
        flow = Flow(root)
        heading, content = _heading(shapes, texts)
        if heading:
            flow.heading(level, heading, "")
        for shape in content:
            writer.write(shape, flow)
        if self._options.notes:
            self._write_notes(slide, flow)
        return root, " ".join(plain_text(heading).split())

    def _write_notes(self, slide: Slide, flow: Flow) -> None:
        frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        if frame is None or not frame.text.strip():
            return
        quote = flow.block("blockquote")
        add(add(quote, "p"), "strong", NOTES_LABEL)
        reader = TextReader(Bullets(slide), {}, 1)
        for paragraph in frame._txBody.iterfind(A + "p"):  # noqa: SLF001
            pieces = reader.pieces(paragraph)
            if not is_blank(pieces):
                fill(add(quote, "p"), pieces)

    def _record_comments(self) -> None:
        for part in self._package.names():
            if part.startswith("ppt/comments/") and (root := self._package.parse_leniently(part)) is not None:
                self._removals.add("office.comment", "comments", " ".join(root.itertext(P + "text", A + "t")))  # type: ignore[arg-type]


def _heading(shapes: SlideShapes, texts: TextReader) -> tuple[list[Piece], list[BaseShape]]:
    """What heads the slide, and the shapes below.

    Without a title placeholder that is a first shape with one short line, all bold or larger than all other text.
    """
    if shapes.title is not None:
        pieces = _joined(shapes.title.element, texts)
        if not is_blank(pieces):
            return pieces, shapes.content
    if len(shapes.content) < 2:
        return [], shapes.content
    first, *rest = shapes.content
    pieces = _joined(first.element, texts)
    text = plain_text(pieces).strip()
    if not text or BREAK in text or len(text) > LONGEST_HEADING or text.endswith((":", *NO_HEADING_END)):
        return [], shapes.content
    size = _largest_size(first.element)
    is_larger = size is not None and all(size > (_largest_size(other.element) or 0) for other in rest)
    is_bold = all(piece.looks.bold for piece in pieces if piece.text.strip())
    return (pieces, rest) if is_larger or is_bold else ([], shapes.content)


def _joined(element: etree._Element, texts: TextReader) -> list[Piece]:
    """All paragraphs of a shape, one line each."""
    pieces: list[Piece] = []
    for paragraph in element.iterfind(f"{P}txBody/{A}p"):
        found = texts.pieces(paragraph)
        if not is_blank(found):
            pieces += [Piece(BREAK), *found] if pieces else found
    return pieces


def _largest_size(element: etree._Element) -> int | None:
    """The largest size that runs of the shape state, in hundredths of a point."""
    sizes = [int(size) for run in element.iter(A + "rPr") if (size := run.get("sz", "")).isdigit()]
    return max(sizes, default=None)


def _layout_kind(slide: Slide) -> str:
    layout, _ = sheets_of(slide)
    return "" if layout is None else layout.get("type", "")


def _is_hidden(slide: Slide) -> bool:
    return slide._element.get("show") in ("0", "false")  # noqa: SLF001


def _all_text(element: etree._Element) -> str:
    return " ".join(text.text or "" for text in element.iter(A + "t"))
