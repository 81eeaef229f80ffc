"""What transcription needs of each page: its picture and its own text, read in a confined process, a few at a time."""

from __future__ import annotations

import atexit
import json
import pickle
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from conversion.drac.sandbox import Sandbox
from wrac.errors import ConversionFailed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conversion.drac.confinement import ProcessLimits
    from conversion.pdf.records import PdfOptions
    from wrac.records import MarkdownDocument, Removal


@dataclass(frozen=True, slots=True)
class PageSource:
    """One page as it is read for a model."""

    number: int
    """1-based."""
    status: str
    """What its text layer is: ``conversion.pdf.PageStatus`` (``text``, ``empty``, ``needs-ocr``, ``failed``)."""
    text: str
    """Words that a reader sees, by the text layer, in the file's own order; empty where there is none."""
    picture: bytes
    """PNG; empty where the page cannot be drawn, or is blank."""


@dataclass(frozen=True, slots=True)
class PageRun:
    """Pages of a document, one after the other."""

    pages: tuple[PageSource, ...]
    total: int
    """Pages of the whole document."""


def read_pages(
    pdf: bytes, url: str, first: int, last: int, limits: ProcessLimits, options: PdfOptions | None = None
) -> PageRun:
    """The pages ``first`` to ``last`` (1-based, both included), as far as the document has them.

    Raises ``ConversionFailed`` where it cannot be opened, or its process crashed or passed a limit.
    """
    request = pickle.dumps((pdf, url, first, last, options))
    reply = _sandbox().run(request, url, limits=limits, modules=("conversion.drac.pages", "conversion.pdf.render"))
    return _decoded(reply, url)


def slices(document: MarkdownDocument) -> dict[int, str]:
    """The Markdown of each page by the document's page map; pages on which no block starts are missing."""
    found: dict[int, str] = {}
    ends = [span.offset for span in document.pages[1:]] + [len(document.text)]
    for span, end in zip(document.pages, ends, strict=True):
        part = document.text[span.offset : end].strip("\n")
        found[span.page] = "\n\n".join(filter(None, (found.get(span.page, ""), part)))
    return found


def left_out(removals: Iterable[Removal]) -> dict[int, str]:
    """Text that the deterministic conversion left out, by page; locators of removals start with ``page N``."""
    found: dict[int, str] = {}
    for removal in removals:
        word, number, *_ = [*removal.locator.split(" ", 2), "", ""]
        if word == "page" and number.isdecimal():
            found[int(number)] = f"{found.get(int(number), '')} {removal.preview}".strip()
    return found


@cache
def _sandbox() -> Sandbox:
    sandbox = Sandbox("conversion.drac.pages:answer")
    atexit.register(sandbox.close)
    return sandbox


# ---------------------------------------------------------------- in the confined process


def answer(request: bytes) -> bytes:
    """A line of JSON about the pages, then their pictures. Called in the confined process only."""
    from conversion.pdf.lines import segments  # noqa: PLC0415 (loaded where it is needed only)
    from conversion.pdf.page import read_page  # noqa: PLC0415 (loaded where it is needed only)
    from conversion.pdf.pdfium import opened  # noqa: PLC0415
    from conversion.pdf.png import png  # noqa: PLC0415
    from conversion.pdf.records import PdfOptions  # noqa: PLC0415
    from conversion.pdf.render import PageNotDrawn, draw  # noqa: PLC0415

    pdf, url, first, last, options = pickle.loads(request)  # noqa: S301 (from our own parent)
    options = options or PdfOptions()
    heads, pictures = [], []
    with opened(pdf, url, options) as document:
        total = len(document)
        for number in range(max(first, 1), min(last, total) + 1):
            page = read_page(document.raw, number - 1, options)
            picture = b""
            if page.report.status != "empty":
                try:
                    picture = png(draw(document.raw, number - 1, options))
                except PageNotDrawn:
                    picture = b""
            # As the conversion joins words: an exponent is no further digit of the number before it.
            text = " ".join(found.text for found in [*segments(page.words), *segments(page.aside)])
            heads.append([number, str(page.report.status), text.strip(), len(picture)])
            pictures.append(picture)
    return json.dumps({"total": total, "pages": heads}).encode() + b"\n" + b"".join(pictures)


# ---------------------------------------------------------------- back from the confined process


def _decoded(reply: bytes, url: str) -> PageRun:
    line, _, rest = reply.partition(b"\n")
    try:
        head = json.loads(line)
        pages, at = [], 0
        for number, status, text, size in head["pages"]:
            picture = rest[at : at + int(size)]
            pages.append(PageSource(int(number), str(status), str(text), picture))
            at += int(size)
        return PageRun(tuple(pages), int(head["total"]))
    except (ValueError, TypeError, KeyError) as error:
        raise ConversionFailed(
            f"{url}: the pages of the document were read as something else", stage="convert"
        ) from error
