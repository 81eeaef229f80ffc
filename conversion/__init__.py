"""Everything that becomes a ``MarkdownDocument``."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from conversion.html import HtmlConverter
from conversion.markdown import markdown_document
from wrac.errors import ConfigError

if TYPE_CHECKING:
    from conversion.markdownify import MarkdownifyConverter
    from wrac.protocols import Converter

__all__ = ["HtmlConverter", "MarkdownifyConverter", "make_converter", "markdown_document"]


def make_converter(name: str) -> Converter:
    """The converter that a site profile names (``html`` or ``markdownify``). Raises ``ConfigError``."""
    if name == "html":
        return HtmlConverter()
    if name == "markdownify":
        from conversion.markdownify import MarkdownifyConverter  # noqa: PLC0415 - as below

        return MarkdownifyConverter()
    raise ConfigError(f"converter = {name!r}: there are html and markdownify")


def __getattr__(name: str) -> Any:
    # BeautifulSoup and markdownify take as long to import as all else here, and few sites need them.
    if name == "MarkdownifyConverter":
        return import_module("conversion.markdownify").MarkdownifyConverter
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
