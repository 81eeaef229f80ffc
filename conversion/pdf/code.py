"""Lines of fixed-width type as code, with the indentation and the blank lines that their places show."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from conversion.html.marks import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.records import Line

_BLANK = 1.6
"""Times the usual leading: a wider gap is a blank line."""
_MAX_BLANK = 3


def code_text(lines: Sequence[Line], leading: float) -> str:
    """The text of the lines; each segment starts at the column that its place shows."""
    width = _character_width(lines)
    left = min(line.x0 for line in lines)
    out: list[str] = []
    for index, line in enumerate(lines):
        if index and lines[index - 1].page == line.page:
            step = (lines[index - 1].base - line.base) / max(line.size, 1.0)
            if step > _BLANK * leading:
                out.extend([""] * min(_MAX_BLANK, max(1, round(step / leading) - 1)))
        text = ""
        for segment in line.segments:
            column = round((segment.x0 - left) / width)
            text += " " * max(column - len(text), 1 if text else 0) + visible(segment.text)
        out.append(text.rstrip())
    return "\n".join(out)


def _character_width(lines: Sequence[Line]) -> float:
    widths = [(s.x1 - s.x0) / len(s.text) for line in lines for s in line.segments if len(s.text) > 1]
    return max(median(widths), 0.5) if widths else 0.6 * max(lines[0].size, 1.0)
