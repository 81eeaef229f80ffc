"""Everything that becomes a ``MarkdownDocument``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversion.html import HtmlConverter
from conversion.markdown import markdown_document
from conversion.markdownify import MarkdownifyConverter
from wrac.errors import ConfigError

if TYPE_CHECKING:
    from wrac.protocols import Converter


def make_converter(name: str) -> Converter:
    """The converter that a site profile names (``html`` or ``markdownify``). Raises ``ConfigError``."""
    if name == "html":
        return HtmlConverter()
    if name == "markdownify":
        return MarkdownifyConverter()
    raise ConfigError(f"converter = {name!r}: there are html and markdownify")


__all__ = ["HtmlConverter", "MarkdownifyConverter", "make_converter", "markdown_document"]
