"""One page of the file as a ``PageText``: visible words in the frame of the page's text, rulings, links."""

from __future__ import annotations

import math
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from conversion.pdf.direction import mirror, runs_left, with_brackets, with_phrases, with_turned_lines
from conversion.pdf.gibberish import is_gibberish, is_guessed
from conversion.pdf.hidden import removal, text_of, without_hidden
from conversion.pdf.lines import is_cjk
from conversion.pdf.links import links
from conversion.pdf.reading import PageHandles, characters, words
from conversion.pdf.records import PageReport, PageStatus, PageText, Stroke, Style, Word
from conversion.pdf.shapes import Box, Shapes, shapes
from conversion.pdf.structure import structure
from conversion.pdf.styles import TYPED, Styles, is_mono_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conversion.pdf.records import PdfOptions

_FULL_PAGE = 0.5
"""Share of the page that images cover on a page that is a picture of text."""
_TYPED = (pdfium.FPDF_ANNOT_WIDGET, pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_STAMP)
_MAX_ANNOTATIONS = 10_000
_MAX_SIDE = 20_000.0
"""Points; larger pages (PDF allows 14,400) come from damaged boxes."""


@contextmanager
def page_handles(document: pdfium.FPDF_DOCUMENT, index: int) -> Iterator[PageHandles | None]:
    """pdfium's handles of page ``index`` (0-based), or None where it cannot be loaded."""
    page = pdfium.FPDF_LoadPage(document, index)
    text = pdfium.FPDFText_LoadPage(page) if page else None
    try:
        yield PageHandles(page, text) if page and text else None
    finally:
        if text:
            pdfium.FPDFText_ClosePage(text)
        if page:
            pdfium.FPDF_ClosePage(page)


def read_page(document: pdfium.FPDF_DOCUMENT, index: int, options: PdfOptions) -> PageText:
    """The page as read; its report says TEXT, EMPTY, NEEDS_OCR or FAILED."""
    number = index + 1
    with page_handles(document, index) as handles:
        if handles is None:
            return _without_text(number, PageStatus.FAILED, "pdfium cannot read the page: its content is damaged")
        box = _visible_box(handles.page)
        count = pdfium.FPDFText_CountChars(handles.text)
        if count > options.max_page_characters:
            why = f"the page holds {count:,} characters, more than {options.max_page_characters:,}"
            return _without_text(number, PageStatus.FAILED, why)
        drawn = cache(lambda: shapes(handles.page, options.max_page_shapes))
        found = links(document, handles.page)
        read = list(words(handles, characters(handles, count), Styles(handles.text), found)) if count > 0 else []
        _no_code_in_chinese(read)
        kept, removals = without_hidden(read, box, number, drawn)
        report = _report(number, kept, box, drawn())
        if report.status is not PageStatus.NEEDS_OCR:
            typed, more = without_hidden(_typed(document, index, handles.page, count), box, number, drawn)
            kept, removals = [*kept, *typed], [*removals, *more]
            report = PageReport(number, PageStatus.TEXT) if typed else report
        if report.status is PageStatus.NEEDS_OCR and kept:
            removals.append(removal("pdf.unreadable-text-layer", number, text_of(kept)))
            kept = []
        page = _in_frame(number, kept, box, drawn())
        page.report = report
        page.removals = removals
        page.over_picture = _is_pictured(box, drawn())
        if pdfium.FPDFCatalog_IsTagged(document):
            page.structure = structure(handles.page)
        return page


def _without_text(number: int, status: PageStatus, why: str) -> PageText:
    return PageText(number, 0, 0, [], [], PageReport(number, status, why))


def _visible_box(page: pdfium.FPDF_PAGE) -> Box:
    edges = pdfium.FS_RECTF()
    if pdfium.FPDF_GetPageBoundingBox(page, edges):
        x0, x1 = sorted((edges.left, edges.right))
        y0, y1 = sorted((edges.bottom, edges.top))
        if 0 < x1 - x0 < _MAX_SIDE and 0 < y1 - y0 < _MAX_SIDE:
            return Box(x0, y0, x1, y1)
    return Box(-math.inf, -math.inf, math.inf, math.inf)


def _report(number: int, kept: Sequence[Word], page: Box, drawn: Shapes) -> PageReport:
    if not kept:
        if _is_pictured(page, drawn):
            return PageReport(number, PageStatus.NEEDS_OCR, "a picture without a text layer")
        return PageReport(number, PageStatus.EMPTY)
    if is_guessed(kept) or is_gibberish(text_of(kept)):
        return PageReport(number, PageStatus.NEEDS_OCR, "its text layer is no readable text (fonts without ToUnicode)")
    return PageReport(number, PageStatus.TEXT)


def _no_code_in_chinese(found: Sequence[Word]) -> None:
    """Fonts for scripts of square characters say that all are of one width: that makes no code of them."""
    fonts = {
        w.style.font for w in found if w.style.mono and any(map(is_cjk, w.text)) and not is_mono_name(w.style.font)
    }
    if not fonts:
        return
    plain: dict[Style, Style] = {}
    for word in found:
        if word.style.font in fonts:
            word.style = plain.setdefault(word.style, replace(word.style, mono=False))


def _is_pictured(page: Box, drawn: Shapes) -> bool:
    return sum(box.area for box in drawn.images) >= _FULL_PAGE * page.area


def _typed(document: pdfium.FPDF_DOCUMENT, index: int, page: pdfium.FPDF_PAGE, count: int) -> list[Word]:
    """The words in fields, free text and stamps of a page that holds ``count`` characters of its own.

    pdfium reads no text of annotations: they are drawn into the page, which leaves it without links.
    """
    if not _has_typed(page) or pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY) != pdfium.FLATTEN_SUCCESS:
        return []
    with page_handles(document, index) as handles:
        total = pdfium.FPDFText_CountChars(handles.text) if handles else 0
        if handles is None or total <= count:
            return []
        # The page's own characters come first and are known already.
        text = " " * count + characters(handles, total)[count:]
        found = list(words(handles, text, Styles(handles.text)))
    for word in found:
        word.tag = TYPED
    return found


def _has_typed(page: pdfium.FPDF_PAGE) -> bool:
    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page), _MAX_ANNOTATIONS)):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        found = pdfium.FPDFAnnot_GetSubtype(annotation) in _TYPED and pdfium.FPDFAnnot_HasKey(annotation, b"AP")
        pdfium.FPDFPage_CloseAnnot(annotation)
        if found:
            return True
    return False


def _in_frame(number: int, kept: list[Word], page: Box, drawn: Shapes) -> PageText:
    """Words and rulings turned so that most text runs to the right, the page's lower left corner at the origin."""
    angles: Counter[int] = Counter()
    for word in kept:
        angles[word.style.angle] += len(word.text)
    angles.pop(-1, None)
    angle = max(angles, key=lambda a: angles[a], default=0)
    frame = _turned(page, angle)
    dx, dy = (frame.x0, frame.y0) if math.isfinite(frame.x0) else (0.0, 0.0)
    for word in kept:
        box = _turned(Box(word.x0, word.y0, word.x1, word.y1), word.style.angle)
        base = -word.base if word.style.angle in (90, 180) else word.base
        if word.style.angle == angle:
            word.x0, word.y0, word.x1, word.y1 = box.x0 - dx, box.y0 - dy, box.x1 - dx, box.y1 - dy
            word.base = base - dy
            word.inner = tuple(x - dx for x in word.inner) if angle == 0 else ()
        else:
            word.x0, word.y0, word.x1, word.y1, word.base = *box, base
    strokes = [Stroke(*_moved(_turned(Box(s.x0, s.y0, s.x1, s.y1), angle), dx, dy)) for s in drawn.strokes]
    own = [word for word in kept if word.style.angle == angle]
    aside = [word for word in kept if word.style.angle != angle]
    leftward = runs_left(own)
    width = frame.x1 - frame.x0
    if not leftward:
        own = with_turned_lines(own)
    else:
        with_brackets(own, leftward=True)
        own = with_phrases(own, leftward=True)
        mirror(own, width)
        strokes = [Stroke(width - s.x1, s.y0, width - s.x0, s.y1) for s in strokes]
    report = PageReport(number, PageStatus.TEXT)
    return PageText(number, width, frame.y1 - frame.y0, own, strokes, report, aside=aside)


def _turned(box: Box, angle: int) -> Box:
    if angle == 90:
        return Box(box.y0, -box.x1, box.y1, -box.x0)
    if angle == 180:
        return Box(-box.x1, -box.y1, -box.x0, -box.y0)
    if angle == 270:
        return Box(-box.y1, box.x0, -box.y0, box.x1)
    return box


def _moved(box: Box, dx: float, dy: float) -> Box:
    return Box(box.x0 - dx, box.y0 - dy, box.x1 - dx, box.y1 - dy)
