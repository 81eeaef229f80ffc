"""Whether all content units of a document are in its chunks, once and in order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wrac.records import Chunk, UnitTree


@dataclass(frozen=True, slots=True)
class Coverage:
    """Counts of content units over any number of documents, and of headings that stand in no chunk."""

    units: int = 0
    lost: int = 0
    duplicated: int = 0
    out_of_order: int = 0
    not_verbatim: int = 0
    """Content units whose source text is not inside the text of the chunk that names them."""
    headings_lost: int = 0
    untiled: int = 0
    """Characters other than white space that stand in no unit, or in two."""

    def __add__(self, other: Coverage) -> Coverage:
        return Coverage(
            self.units + other.units,
            self.lost + other.lost,
            self.duplicated + other.duplicated,
            self.out_of_order + other.out_of_order,
            self.not_verbatim + other.not_verbatim,
            self.headings_lost + other.headings_lost,
            self.untiled + other.untiled,
        )


def coverage(tree: UnitTree, chunks: Sequence[Chunk]) -> Coverage:
    """Compares the content units of ``tree`` with what ``chunks`` name and hold."""
    position = {unit.id: i for i, unit in enumerate(tree.units)}
    content = [unit for unit in tree.units if not unit.is_heading]
    wanted = {unit.id for unit in content}
    named = [(unit_id, chunk) for chunk in chunks for unit_id in chunk.unit_ids if unit_id in wanted]
    times = Counter(unit_id for unit_id, _ in named)
    order = [position[unit_id] for unit_id, _ in named]
    text = {unit.id: tree.text_of(unit) for unit in content}
    all_text = "\n".join(chunk.text for chunk in chunks)
    return Coverage(
        units=len(content),
        lost=sum(unit.id not in times for unit in content),
        duplicated=sum(count - 1 for count in times.values()),
        out_of_order=sum(later < earlier for earlier, later in pairwise(order)),
        not_verbatim=sum(text[unit_id].strip() not in chunk.text for unit_id, chunk in named),
        headings_lost=sum(unit.is_heading and tree.text_of(unit).strip() not in all_text for unit in tree.units),
        untiled=_untiled(tree),
    )


def _untiled(tree: UnitTree) -> int:
    text = tree.document.text
    owners = bytearray(len(text))
    for unit in tree.units:
        for offset in range(unit.start, unit.end):
            owners[offset] = min(owners[offset] + 1, 2)
    return sum(count != 1 and not character.isspace() for count, character in zip(owners, text, strict=True))
