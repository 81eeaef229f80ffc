"""Entries of printed tables of contents and indexes: a title, leaders, a page number.

They repeat the headings of the document without its text, so that a search would find them first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conversion.pdf.hidden import removal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.records import Flow
    from wrac.records import Removal

_ENTRY = re.compile(r".*\S\s*(?:(?:\.\s?){4,}|…{2,}|(?:·\s?){4,}|_{4,})\s*(?:\d{1,4}|[ivxlc]{1,7})\s*", re.IGNORECASE)
_LEAST = 3
"""Entries in one column that make a table of contents; fewer may be a form."""


def without_contents(flows: Sequence[Flow]) -> list[Removal]:
    """Takes the entries out of the flows in place; one removal for each flow that held some."""
    removals: list[Removal] = []
    for flow in flows:
        entries = [line for line in flow.lines if _ENTRY.fullmatch(line.text)]
        if len(entries) >= _LEAST:
            gone = {id(line) for line in entries}
            flow.lines = [line for line in flow.lines if id(line) not in gone]
            removals.append(removal("pdf.contents", flow.page, " ".join(line.text for line in entries)))
    return removals
