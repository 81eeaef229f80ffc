"""Tables made of divisions: rows and cells by ARIA role, or cells whose classes say which column they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conversion.html.blocks import Block, Table
from conversion.html.tables import cell_text
from conversion.html.tags import text_of

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from conversion.html.state import State

    Rows = list[list[HtmlElement]]

_CELL_ROLES: Final = frozenset({"cell", "gridcell", "columnheader", "rowheader"})
_FIRST: Final = "col-first"
_LAST: Final = "col-last"
_HEAD: Final = "table-header"
_FEWEST_ROWS: Final = 2


def division_grid(state: State, element: HtmlElement, out: list[Block]) -> bool:
    """Appends the division as a table; answers False where it is none."""
    by_role = element.get("role") in ("table", "grid")
    rows = _rows_by_role(element) if by_role else _rows_by_class(element)
    if len(rows) < _FEWEST_ROWS:
        return False
    width = max(map(len, rows))
    if width < _FEWEST_ROWS:
        return False
    header = all(cell.get("role") == "columnheader" or _HEAD in _tokens(cell) for cell in rows[0])
    texts = [[cell_text(state, cell) for cell in row] for row in rows]
    out.append(Table([row + [""] * (width - len(row)) for row in texts], header=header))
    return True


def names_columns(name: str) -> bool:
    """Whether a class attribute is that of a box of such cells, as Javadoc emits it since version 16."""
    return "summary-table" in name or "details-table" in name


def _tokens(element: HtmlElement) -> list[str]:
    return (element.get("class") or "").split()


def _rows_by_role(element: HtmlElement) -> Rows:
    """Rows of the ARIA table; none where text stands outside its cells."""
    rows: Rows = []
    for row in element.iter("*"):
        if row.get("role") == "row" and (cells := [cell for cell in row.iter("*") if cell.get("role") in _CELL_ROLES]):
            rows.append(cells)
    inside = "".join(text_of(cell) for row in rows for cell in row)
    return rows if "".join(inside.split()) == "".join(text_of(element).split()) else []


def _rows_by_class(element: HtmlElement) -> Rows:
    """Cells in one sequence, a row ending with each ``col-last``; none where other elements stand among them."""
    rows: Rows = []
    row: list[HtmlElement] = []
    for cell in element:
        tokens = _tokens(cell)
        if not any(token.startswith("col-") for token in tokens):
            return []
        row.append(cell)
        if _LAST in tokens:
            rows.append(row)
            row = []
    return [*rows, row] if row else rows
