"""Lines of runs to finished inline Markdown: hyphenation undone, emphasis, code and links marked, escaped."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from conversion.html.escapes import finished, finished_line
from conversion.html.links import destination
from conversion.html.marks import (
    ANCHOR_OPEN,
    BREAK,
    CODE_MARK,
    EM_CLOSE,
    EM_OPEN,
    LINK_OPEN,
    OPAQUE_CLOSE,
    OPAQUE_OPEN,
    STRONG_CLOSE,
    STRONG_OPEN,
    anchor_mark,
    visible,
)
from conversion.pdf.lines import is_cjk
from conversion.pdf.reading import HYPHEN
from conversion.pdf.records import Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Set

_HYPHENS = (HYPHEN, "-", "\u00ad")
_LAST_WORD = re.compile(r"(\w+)[\u00ad\u2010-]$")
_BRACKET = re.compile(r"[\[\]]")
_TIGHT_END = re.compile(r"[\w)][–—/]$")
"""A dash or slash that touches the word before it: no space follows it either."""
_FIRST_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class Text:
    """Runs of lines that belong together, and the pages on which they go on."""

    runs: list[Run] = field(default_factory=list)
    page: int = 0
    """On which its last line stands."""

    @property
    def plain(self) -> str:
        """Without marks of pages."""
        return "".join(run.text for run in self.runs if not run.text.startswith(ANCHOR_OPEN))

    def cut_beginning(self, length: int) -> None:
        """The first ``length`` characters are gone, and white space behind them."""
        while self.runs and length:
            first = self.runs.pop(0)
            if rest := first.text[length:]:
                self.runs.insert(0, Run(rest, first.style, first.link))
            length -= min(length, len(first.text))
        if self.runs:
            first = self.runs[0]
            self.runs[0] = Run(first.text.lstrip(), first.style, first.link)


class Inline:
    """Joins lines and writes them; knows the words of the document to decide about hyphens at line ends."""

    def __init__(self, vocabulary: Set[str]) -> None:
        self._vocabulary = vocabulary

    def add(self, text: Text, runs: list[Run], page: int, *, hard: bool = False) -> None:
        """Appends a line; ``hard`` keeps the break before it."""
        if text.runs:
            self._join(text, runs[0].text if runs else "", hard=hard)
            if page != text.page:
                text.runs.append(Run(anchor_mark(page), text.runs[-1].style))
        text.page = page
        text.runs.extend(runs)

    def _join(self, text: Text, following: str, *, hard: bool) -> None:
        last = text.runs[-1]
        if hard:
            text.runs.append(Run(BREAK, last.style))
            return
        ending = last.text[-1:]
        if ending in _HYPHENS and (first := _FIRST_WORD.match(following)):
            kept = self._keeps_hyphen(text.plain, first.group())
            text.runs[-1] = Run(last.text[:-1] + ("-" if kept else ""), last.style, last.link)
        elif _TIGHT_END.search(last.text) and following[:1].isalnum():
            pass
        elif not (ending and following and is_cjk(ending) and is_cjk(following[0])):
            text.runs[-1] = Run(last.text + " ", last.style, last.link)

    def _keeps_hyphen(self, before: str, first: str) -> bool:
        """Whether the hyphen belongs to the word rather than to the end of the line."""
        found = _LAST_WORD.search(before[-80:])
        if not found or not first[0].islower() or found.group(1)[-1].isdigit():
            return True
        head, tail = found.group(1).casefold(), first.casefold()
        if head + tail in self._vocabulary:
            return False
        if f"{head}-{tail}" in self._vocabulary:
            return True
        return len(head) > 2 and head in self._vocabulary and tail in self._vocabulary

    @staticmethod
    def paragraphs(text: Text, *, strong: bool = True) -> list[str]:
        """Finished Markdown; ``strong`` says whether bold type means emphasis here."""
        run, opaque = _marked(text.runs, strong=strong)
        return finished(run, opaque)

    @staticmethod
    def line(text: Text, *, strong: bool = True) -> str:
        """Finished Markdown on one line."""
        run, opaque = _marked(text.runs, strong=strong)
        return finished_line(run, opaque)


def _marked(runs: list[Run], *, strong: bool) -> tuple[list[str], list[str]]:
    """Runs as marked text and the pieces that escaping must not touch (``conversion.html.marks``)."""
    out: list[str] = []
    opaque: list[str] = []

    def keep(piece: str) -> str:
        opaque.append(piece)
        return f"{OPAQUE_OPEN}{len(opaque) - 1}{OPAQUE_CLOSE}"

    for link, group in groupby(_with_marks_inside(runs), key=lambda run: run.link):
        pieces = [_emphasised(run, keep, strong=strong, in_link=bool(link)) for run in group]
        text = "".join(pieces)
        bare = text.strip()
        if not link or not bare:
            out.append(text)
            continue
        lead, _, trail = text.partition(bare)
        if bare == link and link.startswith(("http://", "https://")):
            out.append(f"{lead}{keep(f'<{link}>')}{trail}")
        else:
            bare = _BRACKET.sub(lambda bracket: keep("\\" + bracket.group()), bare)
            out.append(f"{lead}{LINK_OPEN}{bare}{keep(f']({destination(link)})')}{trail}")
    return out, opaque


def _with_marks_inside(runs: list[Run]) -> Iterator[Run]:
    """The runs; breaks and marks of pages belong to the link around them."""
    link = ""
    for run in runs:
        if _is_mark(run):
            yield Run(run.text, run.style, link)
        else:
            link = run.link
            yield run


def _is_mark(run: Run) -> bool:
    return run.text[:1] in (ANCHOR_OPEN, BREAK)


def _emphasised(run: Run, keep: Callable[[str], str], *, strong: bool, in_link: bool) -> str:
    if _is_mark(run):
        return run.text
    text = visible(run.text.replace(HYPHEN, "-"))
    bare = text.strip()
    if not bare:
        return text
    if run.style.mono and not in_link:
        lead, _, trail = text.partition(bare)
        return lead + keep(CODE_MARK + bare) + trail
    if strong and run.style.bold:
        text = STRONG_OPEN + text + STRONG_CLOSE
    if run.style.italic:
        text = EM_OPEN + text + EM_CLOSE
    return text
