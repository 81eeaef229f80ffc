"""Opens PDF bytes by pdfium and says in one clear sentence why it cannot."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pypdfium2
import pypdfium2.raw as pdfium

from wrac.errors import ConversionFailed, UnsupportedContent
from wrac.ids import page_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conversion.pdf.records import PdfOptions

_REASONS = {
    pdfium.FPDF_ERR_SUCCESS: "it has no pages",
    pdfium.FPDF_ERR_PASSWORD: "it is encrypted and needs a password; publish it without one",
    pdfium.FPDF_ERR_SECURITY: "it is encrypted by a scheme that pdfium does not know; publish it without encryption",
    pdfium.FPDF_ERR_FORMAT: "it is damaged or cut off: no page tree can be found; fetch or export it again",
}


_UNSUPPORTED = frozenset({pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY})
"""Reasons that lie in the file as its owner made it: no second look will change them."""


def failed(url: str, why: str) -> ConversionFailed:
    """The error of a document that gives no text at all."""
    return ConversionFailed(f"{url}: {why}", stage="convert", page_id=page_id(url))


@contextmanager
def opened(data: bytes, url: str, options: PdfOptions) -> Iterator[pypdfium2.PdfDocument]:
    """The document, closed afterwards.

    Raises ``UnsupportedContent`` where it is encrypted, ``ConversionFailed`` where else it is not to be read.

    pdfium is not thread-safe: one document at a time in a process.
    """
    if b"%PDF-" not in data[:1024]:
        raise failed(url, "this is no PDF: its first 1,024 bytes hold no %PDF- mark")
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        code = getattr(error, "err_code", None)
        if code in _UNSUPPORTED and b"/Encrypt" not in data:
            # pdfium keeps its last error, and has none of its own for files without pages.
            code = pdfium.FPDF_ERR_SUCCESS
        reason = _REASONS.get(code, f"pdfium cannot open it ({error}); export it again")
        if code in _UNSUPPORTED:
            raise UnsupportedContent(f"{url}: {reason}", stage="convert", page_id=page_id(url)) from error
        raise failed(url, reason) from error
    try:
        count = len(document)
        if count == 0:
            raise failed(url, "it has no pages")
        if count > options.max_pages:
            raise failed(url, f"it has {count:,} pages, more than {options.max_pages:,}; split it or raise max_pages")
        yield document
    finally:
        document.close()
