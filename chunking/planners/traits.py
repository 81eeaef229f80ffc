"""What the rule planner sees of a segment's words: vocabulary, names and numbers, and lines that act as headings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from wrac.records import UnitKind

if TYPE_CHECKING:
    from chunking.headings import Outline
    from chunking.sections import Segment

_BOLD_LINE = re.compile(r"(?:\*\*|__)[^*_\n]{1,80}(?:\*\*|__):?[ \t]*(?:\n|$)")
_NUMBERED_LINE = re.compile(r"(?:[0-9]{1,2}\.){1,4}[0-9]{1,2}\.?[ \t]+\S[^\n]{0,80}(?:\n|$)")
_TERM = re.compile(r"[^\n]{1,300}\n:[ \t]")


class Traits(NamedTuple):
    """Words are what white space parts: enough to compare neighbours by, at a third of a pattern's time."""

    vocabulary: frozenset[str]
    words: int
    entities: int
    """Words with a capital, and numbers: names and figures are what dense text is full of."""
    opens_like_heading: bool
    """Opens with a bold line, a numbered one such as ``2.1 Scope``, or a term: structure that was not declared."""

    def overlap(self, other: Traits) -> float:
        """Share of the smaller vocabulary that stands in the other too, 0 to 1."""
        smaller = min(len(self.vocabulary), len(other.vocabulary))
        return len(self.vocabulary & other.vocabulary) / smaller if smaller else 0.0


def traits_of(outline: Outline, part: Segment) -> Traits:
    """Traits of a segment's content; headings that lead it are left out."""
    first = outline.units[part.content]
    text = outline.tree.document.text[first.start : outline.units[part.end - 1].end]
    words = text.split()
    entities = len(words) - sum(map(str.islower, words))
    if first.kind is UnitKind.PARAGRAPH:
        heading = bool(_BOLD_LINE.match(text) or _NUMBERED_LINE.match(text))
    else:
        heading = first.kind is UnitKind.LIST and bool(_TERM.match(text))
    return Traits(frozenset(map(str.lower, words)), len(words), entities, heading)
