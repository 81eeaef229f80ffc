"""What goes in and out of the PDF conversion, and the records that its steps pass on.

    PDF bytes -> PageText (words with style and place) -> Segment, Line -> Flow (reading order) -> Block -> Markdown

Places are in points in the frame of the page's text: x grows along the line, y grows upwards, whatever the rotation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.structure import Element
    from wrac.records import MarkdownDocument, Removal


# ---------------------------------------------------------------- in and out


@dataclass(frozen=True, slots=True)
class PdfOptions:
    """Bounds and settings of a conversion; the defaults suit untrusted files."""

    max_pages: int = 5_000
    """More pages than this are refused before any of them is read."""
    max_page_characters: int = 400_000
    """A page with more is reported as failed: no one reads it, and it would cost seconds."""
    max_page_shapes: int = 20_000
    """Lines, boxes and images of one page that are looked at for rulings and backgrounds; the rest is ignored."""
    ocr: bool = True
    """Whether pages without a text layer are read by tesseract."""
    ocr_languages: tuple[str, ...] = ("eng",)
    """Tesseract's names of languages, e.g. ``eng``, ``deu``, ``hin``."""
    ocr_dpi: int = 300
    ocr_seconds: float = 60.0
    """Wall time that tesseract may take for one page."""
    tesseract: str = "tesseract"
    """Name or path of the program."""
    max_image_pixels: int = 100_000_000
    """A page with a larger image is not rendered: decoding it would take the memory of the machine."""


class PageStatus(StrEnum):
    """How the text of one page was found."""

    TEXT = "text"
    """From its text layer."""
    OCR = "ocr"
    """Read by tesseract from its picture."""
    EMPTY = "empty"
    """Nothing stands on it."""
    NEEDS_OCR = "needs-ocr"
    """A picture without a readable text layer, and no OCR was possible; ``detail`` says why."""
    FAILED = "failed"
    """It could not be read; ``detail`` says why."""


@dataclass(frozen=True, slots=True)
class PageReport:
    """How one page ended."""

    page: int
    """1-based."""
    status: PageStatus
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PdfConversion:
    """The document as Markdown, with an account of every page and of everything that was left out."""

    document: MarkdownDocument
    pages: tuple[PageReport, ...]
    removals: tuple[Removal, ...]
    """Running heads, page numbers, watermarks, hidden text; the locator starts with ``page N``."""
    tagged: bool = False
    """Whether the document's own structure tree decided what its blocks are."""

    @property
    def pages_ok(self) -> int:
        """Pages of which everything readable is in the document."""
        return sum(report.status in (PageStatus.TEXT, PageStatus.OCR, PageStatus.EMPTY) for report in self.pages)


# ---------------------------------------------------------------- read from the file


@dataclass(frozen=True, slots=True)
class Style:
    """How text is set."""

    font: str
    size: float
    bold: bool
    italic: bool
    mono: bool
    angle: int
    """Direction of its lines in degrees, counter-clockwise from the right; -1 where it is no multiple of 90."""
    hidden: str = ""
    """Why no reader sees it (the rule of its removal), empty for ordinary text."""
    unmapped: bool = False
    """Its font does not say which characters its glyphs are: the text is a guess."""


@dataclass(slots=True)
class Word:
    """Characters without white space, set in one style."""

    text: str
    x0: float
    x1: float
    y0: float
    y1: float
    base: float
    """y of the baseline."""
    style: Style
    glued: bool = False
    """No space before it: the same word goes on in another style."""
    link: str = ""
    inner: tuple[float, ...] = ()
    """x of each of its characters, where it is so long that it may run into the next column of a table."""
    tag: int = -1
    """Marked-content identifier (ISO 32000-1, 14.7.4), -1 where there is none."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A horizontal or vertical ruling line, or the edge of a box."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def horizontal(self) -> bool:
        """Whether it is wider than high."""
        return self.x1 - self.x0 >= self.y1 - self.y0


@dataclass(slots=True)
class PageText:
    """One page as read: words in the order of the file, rulings, and what was left out already."""

    number: int
    """1-based."""
    width: float
    height: float
    """Size in the frame of its text."""
    words: list[Word]
    strokes: list[Stroke]
    report: PageReport
    removals: list[Removal] = field(default_factory=list)
    aside: list[Word] = field(default_factory=list)
    """Words that run in another direction, each in the frame of its own direction."""
    segments: list[Segment] = field(default_factory=list)
    """Made of the words, which are gone then."""
    over_picture: bool = False
    """A picture covers most of the page: it may hold more text than the text layer does."""
    structure: Element | None = None
    """Its part of the document's structure tree, where the document is tagged."""


# ---------------------------------------------------------------- laid out


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one style; spaces between words are in it."""

    text: str
    style: Style
    link: str = ""


@dataclass(slots=True)
class Segment:
    """Words on one baseline without a wide gap between them."""

    x0: float
    x1: float
    y0: float
    y1: float
    base: float
    size: float
    runs: list[Run]
    order: int
    """Place in the file's own order."""
    lead: str
    """First word."""
    lead_width: float
    body_x0: float
    """Where the second word starts; ``x1`` where there is none."""
    starts: Sequence[tuple[int, float]] = ()
    """(offset in the text, x) of each word or part of a word."""

    @property
    def text(self) -> str:
        """Plain text."""
        return "".join(run.text for run in self.runs)


@dataclass(slots=True)
class Line:
    """The segments of one baseline inside one column, from left to right."""

    page: int
    segments: list[Segment]
    x0: float
    x1: float
    y0: float
    y1: float
    base: float
    size: float
    """Of most of its characters."""
    bold: bool
    mono: bool
    """All of its text is."""
    rotated: bool = False
    """Set apart from the page's text in another direction."""

    @property
    def text(self) -> str:
        """Plain text, segments parted by a space."""
        return " ".join(segment.text for segment in self.segments)


@dataclass(slots=True)
class Flow:
    """One column, or the full width, of a part of a page: lines from top to bottom."""

    page: int
    x0: float
    x1: float
    lines: list[Line]
    strokes: Sequence[Stroke]
    """Rulings between the gutters to its left and right."""
