"""The rows of a comparison: a way to make chunks, from documents of one format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wrac.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

OURS_BY_RULE = "ours, by rule"
OURS_REPLAYED = "ours, replayed cuts"
OURS_BY_MODEL = "ours, by model"
FIXED = "fixed size 256"
RECURSIVE = "recursive 512"
HEADERS = "headers + breadcrumb"
AGENTIC = "agentic, published"
AGENTIC_BY_MODEL = "agentic, by model"
WRAC = "W-RAC, published"
WRAC_REPAIRED = "W-RAC, repaired"
PUBLISHED = (OURS_REPLAYED, AGENTIC, WRAC, WRAC_REPAIRED)
"""Rows that rest on what the papers' authors published, which they made from Markdown."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row."""

    name: str
    """The method, with its format where several are compared."""
    method: str
    source: str
    """Format of the documents that the chunks are from."""


def chosen(rows: Sequence[Row], only: Sequence[str]) -> tuple[Row, ...]:
    """The rows whose name holds one of ``only``, in any case; all without any. Raises ``ConfigError`` for none."""
    found = tuple(row for row in rows if not only or any(part.casefold() in row.name.casefold() for part in only))
    if not found:
        raise ConfigError(f"--only {', '.join(only)}: no row has such a name; there are {_names(rows)}")
    return found


def row_named(rows: Iterable[Row], asked: str) -> Row:
    """The row of this name, or the only one whose name holds it, whatever its case. Raises ``ConfigError``."""
    known = list(rows)
    wanted = asked.strip().casefold()
    found = [row for row in known if row.name.casefold() == wanted] or [
        row for row in known if wanted and wanted in row.name.casefold()
    ]
    if len(found) == 1:
        return found[0]
    told = "means several rows" if found else "is no row"
    raise ConfigError(f"--against {asked!r} {told}: there are {_names(found or known)}")


def _names(rows: Iterable[Row]) -> str:
    return "; ".join(row.name for row in rows)
