"""PowerPoint files (``pptx``) to Markdown, slide by slide."""

from conversion.office.pptx.converter import convert_pptx

__all__ = ["convert_pptx"]
