"""What goes in and out of the Office converters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wrac.records import PageMetadata, Removal

if TYPE_CHECKING:
    from wrac.records import MarkdownDocument

_PREVIEW = 160


@dataclass(frozen=True, slots=True)
class OfficeOptions:
    """Bounds of a conversion; the defaults suit untrusted files."""

    max_part: int = 64 << 20
    """Bytes of one XML part that is read into a tree as a whole."""
    max_slides: int = 2_000
    max_cells: int = 500_000
    """Filled cells of a workbook; the rest is left out and recorded."""
    max_columns: int = 256
    """Columns of one table that are read; what stands further to the right is left out and recorded."""
    table_rows: int = 40
    """Rows of a sheet that are written as one Markdown table; each further table repeats the column heads."""
    table_characters: int = 6_000
    """The same bound by the text of the rows."""
    notes: bool = True
    """Whether the speaker's notes of slides are read."""


@dataclass(frozen=True, slots=True)
class OfficeConversion:
    """The document as Markdown, with everything that was left out."""

    document: MarkdownDocument
    metadata: PageMetadata
    removals: tuple[Removal, ...]
    pages: int = 0
    """Slides or sheets of the document; 0 where the format knows no pages."""
    failed: tuple[tuple[int, str], ...] = ()
    """Pages that could not be read, each with its reason."""


@dataclass(slots=True)
class Removals:
    """Collects what is left out. Texts under one rule and locator become one removal."""

    _texts: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    _sizes: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, rule: str, locator: str, text: str) -> None:
        """Records the text; blank text is nothing."""
        text = " ".join(text.split())
        if not text:
            return
        key = rule, locator
        self._sizes[key] = self._sizes.get(key, 0) + len(text)
        kept = self._texts.setdefault(key, [])
        if sum(map(len, kept)) < _PREVIEW:
            kept.append(text)

    def done(self) -> tuple[Removal, ...]:
        """All removals, in the order in which their kinds were met."""
        return tuple(
            Removal(rule, locator, self._sizes[rule, locator], " ".join(texts)[:_PREVIEW])
            for (rule, locator), texts in self._texts.items()
        )
