"""Word files (``docx``) to Markdown in one walk over their own structure."""

from conversion.office.docx.converter import convert_docx

__all__ = ["convert_docx"]
