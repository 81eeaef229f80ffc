"""What is open where a page begins: headings, a table, a list, by the deterministic conversion of what comes before.

Not by the model's own pages: batches then need not wait for one another, a page that is asked again is asked the same,
and a mistake is not handed on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversion.drac.rows import tables

if TYPE_CHECKING:
    from collections.abc import Mapping

_HEADING = re.compile(r"^(#{1,6}) +(\S.*)$")
_FENCE = re.compile(r"^ *(`{3,}|~{3,})")
_TAIL = 240
"""Characters of the page before that are shown."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a page continues."""

    total: int
    """Pages of the document."""
    headings: tuple[str, ...] = ()
    """Open headings as Markdown, outermost first."""
    table: str = ""
    """Heads of the columns of the table with which the page before ends."""
    tail: str = ""
    """The end of the page before."""


def contexts(pages: Mapping[int, str], total: int) -> dict[int, Context]:
    """The context of every page, given the Markdown of the pages as ``with_heads`` gives it."""
    found: dict[int, Context] = {}
    open_headings: list[str] = []
    table = tail = ""
    for number in range(1, total + 1):
        found[number] = Context(total, tuple(open_headings), table, tail)
        markdown = pages.get(number, "")
        if not markdown:
            table = tail = ""
            continue
        open_headings = _after(open_headings, markdown)
        table = _open_table(markdown)
        tail = markdown[-_TAIL:].lstrip() if not table else ""
    return found


def with_heads(pages: Mapping[int, str]) -> dict[int, str]:
    """The pages so that each stands by itself: rows that go on from the page before under the heads of their table."""
    found: dict[int, str] = {}
    head = ""
    for number, markdown in sorted(pages.items()):
        goes_on = head and markdown.startswith("|") and not (tables(markdown) and tables(markdown)[0].first == 0)
        page = f"{head}\n{markdown}" if goes_on else markdown
        found[number] = page
        last = tables(page)[-1:]
        lines = page.rstrip("\n").split("\n")
        head = "\n".join(lines[last[0].first : last[0].first + 2]) if last and last[0].end >= len(lines) else ""
    return found


def _after(open_headings: list[str], markdown: str) -> list[str]:
    """The headings that are open after the page."""
    path = list(open_headings)
    fence = ""
    for line in markdown.split("\n"):
        mark = _FENCE.match(line)
        if mark:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        heading = None if fence else _HEADING.match(line)
        if heading:
            path = [other for other in path if other.index(" ") < len(heading[1])] + [line]
    return path


def _open_table(markdown: str) -> str:
    """Heads of the table that the page ends with."""
    last = markdown.rstrip("\n").count("\n") + 1
    found = tables(markdown)
    return " | ".join(found[-1].head) if found and found[-1].end >= last else ""
