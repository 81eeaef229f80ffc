"""Cleaned HTML to Markdown: tree -> blocks (``walk``) -> text (``write``)."""

from conversion.html.converter import HtmlConverter

__all__ = ["HtmlConverter"]
