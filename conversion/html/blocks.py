"""Blocks: what the walk reads out of the tree and the writer turns into Markdown.

Inline text inside a block is finished Markdown: folded, escaped, links absolute. It may hold anchor marks
(``conversion.html.marks``), which the converter takes out at the very end.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Paragraph:
    """Inline Markdown; lines are parted by hard breaks only."""

    text: str


@dataclass(slots=True)
class Heading:
    """A heading of level 1 to 6."""

    level: int
    text: str


@dataclass(slots=True)
class Code:
    """Verbatim lines without a final line end."""

    text: str
    language: str = ""


@dataclass(slots=True)
class Item:
    """One list item."""

    blocks: list[Block]
    number: int = 0
    box: str = ""
    """``[ ] `` or ``[x] `` for a task, else empty."""


@dataclass(slots=True)
class ListBlock:
    """A bullet list, or an ordered one whose items carry their numbers."""

    ordered: bool
    items: list[Item]


@dataclass(slots=True)
class Quote:
    """A quotation or an admonition."""

    blocks: list[Block]


@dataclass(slots=True)
class Definition:
    """Terms and the one-paragraph definitions right after them; longer definitions follow as blocks of their own."""

    terms: list[str]
    definitions: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Note:
    """The first paragraph of a footnote; further blocks follow as blocks of their own."""

    label: str
    text: str


@dataclass(slots=True)
class Table:
    """Rows of equal length, pipes not yet escaped; ``header`` says whether the first row names the columns."""

    rows: list[list[str]]
    header: bool


@dataclass(slots=True)
class Rule:
    """A thematic break."""


Block = Paragraph | Heading | Code | ListBlock | Quote | Definition | Note | Table | Rule
