"""PDF bytes to Markdown, deterministically: characters and fonts by pdfium, scans by tesseract."""

from conversion.pdf.convert import CONVERTER, convert_pdf
from conversion.pdf.records import PageReport, PageStatus, PdfConversion, PdfOptions

__all__ = ["CONVERTER", "PageReport", "PageStatus", "PdfConversion", "PdfOptions", "convert_pdf"]
