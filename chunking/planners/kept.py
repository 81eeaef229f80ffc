"""The part of a text that a planner has to decide, between groups that stand already."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chunking.headings import Outline
    from chunking.sections import Segment
    from wrac.records import Group


NOT_ASKED = "not-asked"
"""Opens the violation of units that a cap or a server that was away kept from the model; the reason follows.

Groups that own one of them are the rules' for the time being, and do not outlive a change.
"""


class Block(NamedTuple):
    """Neighbouring segments: one kept group, or all that stands between two of them."""

    parts: tuple[Segment, ...]
    is_kept: bool


def blocks_of(outline: Outline, parts: Sequence[Segment], kept: Sequence[Group]) -> list[Block]:
    """All segments in order. A kept group that is no run of whole segments of this text is passed over."""
    starts = {part.first: index for index, part in enumerate(parts)}
    ends = {part.end: index + 1 for index, part in enumerate(parts)}
    blocks: list[Block] = []
    done = 0
    for group in kept:
        first = outline.position.get(group.unit_ids[0], -1) if group.unit_ids else -1
        end = first + len(group.unit_ids)
        start, stop = starts.get(first, -1), ends.get(end, -1)
        if done <= start < stop and group.unit_ids == tuple(unit.id for unit in outline.units[first:end]):
            blocks += _open(parts, done, start)
            blocks.append(Block(tuple(parts[start:stop]), is_kept=True))
            done = stop
    return blocks + _open(parts, done, len(parts))


def _open(parts: Sequence[Segment], first: int, end: int) -> list[Block]:
    return [Block(tuple(parts[first:end]), is_kept=False)] if first < end else []
