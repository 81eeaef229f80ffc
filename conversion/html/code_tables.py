"""Code that was laid out as a table: of line numbers and lines, or of one line in each row."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conversion.html.blocks import Code
from conversion.html.code import verbatim
from conversion.html.languages import language
from conversion.html.tags import holds, text_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_CODE_TABLE = re.compile(
    r"highlighttable|lntable|rouge-table|hljs-ln|js-file-line-container|code-?table|linenodivtable", re.IGNORECASE
)
_LINES_TABLE = re.compile(r"(?:^|\s)RktBlk(?:\s|$)")
_NUMBERS = re.compile(r"\s*\d+(?:\s+\d+)*\s*")
_GUTTER_CELL = re.compile(r"lineno|gutter|blob-num|ln-numbers|lntd|line-number", re.IGNORECASE)


def code_table(element: HtmlElement) -> Code | None:
    """The code that a table lays out; None where it lays out something else."""
    return _numbered_code(element) or _lines_of_code(element)


def _numbered_code(element: HtmlElement) -> Code | None:
    """Code that a highlighter laid out as a table of line numbers and lines."""
    marked = _CODE_TABLE.search(element.get("class") or "") is not None
    cells = [cell for row in element.iter("tr") for cell in row if cell.tag in ("td", "th")]
    if len(cells) == 2 and holds(cells[1], "pre") and _NUMBERS.fullmatch(text_of(cells[0])):
        return _code_of(cells[1])
    if not marked:
        return None
    lines = [cell for cell in cells if not _is_gutter(cell)]
    if len(lines) == 1:
        return _code_of(lines[0])
    text = "\n".join(verbatim(cell) for cell in lines)
    return Code(text, language(element)) if text.strip() else None


def _lines_of_code(element: HtmlElement) -> Code | None:
    """Code that was laid out as a table of one column, a line in each row: by its class, or all of it in code elements.

    No-break spaces are the indentation there.
    """
    marked = _LINES_TABLE.search(element.get("class") or "") is not None
    rows = [[cell for cell in row if cell.tag in ("td", "th")] for row in element.iter("tr")]
    if holds(element, "img", "pre") or any(len(row) != 1 for row in rows):
        return None
    cells = [row[0] for row in rows if not (marked and holds(row[0], "table"))]
    if len(cells) < (1 if marked else 2) or not (marked or all(map(_is_all_code, cells))):
        return None
    text = "\n".join(verbatim(cell).strip("\n").replace("\xa0", " ") for cell in cells)
    return Code(text, language(element)) if text.strip() else None


def _is_all_code(cell: HtmlElement) -> bool:
    """Whether the cell's whole text stands in one code element, which is all that a paragraph round it holds."""
    inner = cell
    while inner.tag not in ("code", "tt", "samp"):
        if len(inner) != 1 or (inner.text or "").strip() or (inner[0].tail or "").strip():
            return False
        inner = inner[0]
    return True


def _is_gutter(cell: HtmlElement) -> bool:
    text = text_of(cell)
    if cell.get("data-line-number") is not None and not text.strip():
        return True
    return bool(_GUTTER_CELL.search(cell.get("class") or "")) and (
        not text.strip() or _NUMBERS.fullmatch(text) is not None
    )


def _code_of(cell: HtmlElement) -> Code | None:
    pre = cell.find(".//pre")
    source = cell if pre is None else pre
    text = verbatim(source)
    return Code(text, language(source)) if text.strip() else None
