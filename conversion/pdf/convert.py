"""``convert_pdf``: the bytes of a PDF to a Markdown document with a page map."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from conversion.html.marks import ANCHOR_CLOSE, ANCHOR_OPEN, visible
from conversion.html.write import written
from conversion.markdown import first_heading
from conversion.pdf.builder import Builder
from conversion.pdf.columns import aside, flows
from conversion.pdf.contents import without_contents
from conversion.pdf.furniture import without_furniture
from conversion.pdf.headings import Headings
from conversion.pdf.inline import Inline
from conversion.pdf.lines import segments
from conversion.pdf.ocr import WITHOUT_WORDS, read_by_ocr
from conversion.pdf.outline import Outline, bookmarks
from conversion.pdf.page import read_page
from conversion.pdf.pdfium import failed, opened
from conversion.pdf.records import PageStatus, PdfConversion, PdfOptions
from conversion.pdf.tagged import TaggedBuilder, is_well_tagged
from conversion.pdf.typography import typography, vocabulary
from wrac.errors import NothingExtracted
from wrac.ids import digest, page_id
from wrac.records import MarkdownDocument, PageSpan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.html.blocks import Block
    from conversion.pdf.records import PageReport, PageText
    from wrac.errors import PageError
    from wrac.records import Removal

CONVERTER = "pdf/2"
_MARK = re.compile(f"{ANCHOR_OPEN}(\\d+){ANCHOR_CLOSE}")
_OPENING = re.compile(r"(?:(?:^|(?<=\n))(?:`{3,}\w*\n)?[ \t]*(?:(?:#{1,6}|[-*>|]|\d+[.)])[ \t]*|\*\*|\[[ x]\][ ])*)$")
_NO_TITLE = re.compile(
    r"(?:microsoft (?:word|powerpoint|excel) - .*|untitled.*|.*\.(?:docx?|pptx?|xlsx?|tex|dvi|indd|odt))?$",
    re.IGNORECASE,
)
_STAMP = 160
"""Characters: a picture under less text than this may be a scan that was stamped or numbered."""
_DEFAULTS = PdfOptions()


def convert_pdf(data: bytes, url: str, options: PdfOptions = _DEFAULTS) -> PdfConversion:
    """The PDF as Markdown, every page accounted for.

    Raises ``UnsupportedContent`` where it is encrypted, ``ConversionFailed`` where it cannot be opened, or where pages
    that may hold text could not be read and no other gave any, and ``NothingExtracted`` where all were looked at and
    hold none. pdfium is not thread-safe: one conversion at a time in a process; callers bound its time and memory.
    """
    with opened(data, url, options) as document:
        is_tagged = bool(pdfium.FPDFCatalog_IsTagged(document.raw))
        pages = [_page(document.raw, index, options, keep_words=is_tagged) for index in range(len(document))]
        outline = Outline(bookmarks(document.raw))
        title = str(document.get_metadata_value("Title"))
    tagged = is_tagged and is_well_tagged(pages)
    blocks, removals = _by_tags(pages) if tagged else _by_layout(pages, outline)
    text, spans = _with_page_map(written(blocks))
    reports = tuple(page.report for page in pages)
    if not text.strip():
        raise _empty(url, reports)
    text += "\n"
    return PdfConversion(
        document=MarkdownDocument(
            text=text,
            title=_title(title, text),
            source_kind="pdf",
            converter=CONVERTER,
            digest=digest(text),
            pages=spans,
        ),
        pages=reports,
        removals=tuple(sorted([*removals, *(r for page in pages for r in page.removals)], key=_page_of)),
        tagged=tagged,
    )


def _by_layout(pages: Sequence[PageText], outline: Outline) -> tuple[list[Block], list[Removal]]:
    for page in pages:
        _lay_out(page)
    kept, removals = without_furniture(pages, [page.segments for page in pages])
    columns = [flow for page, found in zip(pages, kept, strict=True) for flow in [*flows(page, found), *aside(page)]]
    removals += without_contents(columns)
    columns = [flow for flow in columns if flow.lines]
    usual = typography(columns)
    builder = Builder(usual, Headings(columns, usual, outline), Inline(usual.vocabulary))
    for flow in columns:
        builder.add(flow)
    return builder.finish(), removals


def _by_tags(pages: Sequence[PageText]) -> tuple[list[Block], list[Removal]]:
    # Segments come in the order of the file, so that halves of words are known in columns side by side as well.
    builder = TaggedBuilder(Inline(vocabulary(found.text for page in pages for found in segments(page.words))))
    for page in pages:
        builder.add(page)
    return builder.finish(), builder.removals


def _lay_out(page: PageText) -> None:
    """Words become segments, which take a third of the memory."""
    if page.words:
        page.segments = segments(page.words)
        page.words = []


def _page(document: pdfium.FPDF_DOCUMENT, index: int, options: PdfOptions, *, keep_words: bool) -> PageText:
    """The page by its text layer, else by OCR; its words stay where tags may have to order them."""
    page = _read(document, index, options)
    if not keep_words:
        _lay_out(page)
    return page


def _read(document: pdfium.FPDF_DOCUMENT, index: int, options: PdfOptions) -> PageText:
    page = read_page(document, index, options)
    if options.ocr and page.report.status is PageStatus.TEXT and page.over_picture:
        return _or_its_picture(page, document, index, options)
    if page.report.status is not PageStatus.NEEDS_OCR or not options.ocr:
        return page
    read = read_by_ocr(document, index, options)
    read.removals = page.removals
    return read


def _or_its_picture(page: PageText, document: pdfium.FPDF_DOCUMENT, index: int, options: PdfOptions) -> PageText:
    """The page, or what OCR reads where it is a scan with a stamp rather than a few words over a photograph."""
    own = sum(len(word.text) for word in [*page.words, *page.aside])
    if own >= _STAMP:
        return page
    read = read_by_ocr(document, index, options)
    if read.report.status is PageStatus.NEEDS_OCR:
        page.report = read.report
    if sum(len(word.text) for word in read.words) < 2 * own + _STAMP // 4:
        return page
    read.removals = page.removals
    return read


def _page_of(removal: Removal) -> int:
    return int(removal.locator.split()[1])


def _with_page_map(marked: str) -> tuple[str, tuple[PageSpan, ...]]:
    """The text without marks of pages, and where each page starts in it."""
    pieces: list[str] = []
    spans: list[PageSpan] = []
    offset = start = 0
    for mark in _MARK.finditer(marked):
        piece = marked[start : mark.start()]
        pieces.append(piece)
        offset += len(piece)
        start = mark.end()
        page = int(mark.group(1))
        if not spans or page != spans[-1].page:
            spans.append(PageSpan(offset - _markup_before("".join(pieces[-2:])) if spans else 0, page))
    pieces.append(marked[start:])
    return "".join(pieces), tuple(spans)


def _markup_before(text: str) -> int:
    """Length of the Markdown that opens the block whose text begins at the end of ``text``."""
    found = _OPENING.search(text)
    return len(found.group()) if found else 0


def _empty(url: str, reports: Sequence[PageReport]) -> PageError:
    """Why a document gives no text: pages that could not be read, or nothing to be read on them."""
    nothing = f"no text on any of its {len(reports):,} pages"
    for status in (PageStatus.NEEDS_OCR, PageStatus.FAILED):
        details = [report.detail for report in reports if report.status is status]
        if details:
            return failed(url, f"{nothing}: {details[0]}")
    pictures = sum(report.detail == WITHOUT_WORDS for report in reports)
    why = f"OCR found no words on {pictures:,} that are pictures" if pictures else "they are blank"
    return NothingExtracted(f"{url}: {nothing}: {why}", stage="convert", page_id=page_id(url))


def _title(given: str, text: str) -> str:
    """The title that the file gives, unless it is a file name; else the first heading."""
    given = " ".join(visible(given).split())
    if not _NO_TITLE.fullmatch(given):
        return given
    return first_heading(text)
