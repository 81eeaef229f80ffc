"""Segments: the smallest pieces that a plan may part, each with the headings that lead it.

A segment is one content unit or one fusion, after the headings that open it. No cut falls inside a segment, so no
group is made of headings only and none ends with the next section's heading.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wrac.records import Group, UnitKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chunking.headings import Outline, Path


class Segment(NamedTuple):
    """Units ``first`` to ``end`` (exclusive), of which those before ``content`` are headings and breaks."""

    first: int
    content: int
    end: int
    tokens: int
    path: Path
    """Headings that all of its content stands under."""

    @property
    def opens_section(self) -> bool:
        """Whether a heading leads it."""
        return self.first < self.content


def segments(outline: Outline) -> list[Segment]:
    """Segments in reading order; together they hold every unit once. In a document of headings each is a segment."""
    units = outline.units
    ends = _fused_ends(outline)
    found: list[Segment] = []
    first = index = 0
    while index < len(units):
        unit = units[index]
        if index not in ends and unit.kind is UnitKind.BREAK and first == index and found:
            found[-1] = _extended(outline, found[-1], index + 1)
            first = index = index + 1
            continue
        if index not in ends and not outline.is_content(index):
            index += 1
            continue
        end = ends.get(index, index + 1)
        path = outline.path_of(range(index, end))
        if found and (lead := _leading(outline, first, index, path)) > first:
            found[-1] = _extended(outline, found[-1], lead)
            first = lead
        found.append(Segment(first, index, end, sum(unit.tokens for unit in units[first:end]), path))
        first = index = end
    if found and first < len(units):
        found[-1] = _extended(outline, found[-1], len(units))
    return found


def group_of(outline: Outline, parts: Sequence[Segment]) -> Group:
    """The group that owns neighbouring segments, its three levels filled in."""
    owned = range(parts[0].first, parts[-1].end)
    levels = outline.levels(outline.path_of(owned))
    return Group(*levels, tuple(outline.units[i].id for i in owned))


def _fused_ends(outline: Outline) -> dict[int, int]:
    """First unit of each fusion -> the unit after its last."""
    position = outline.position
    return {position[f.unit_ids[0]]: position[f.unit_ids[-1]] + 1 for f in outline.tree.fusions}


def _leading(outline: Outline, first: int, content: int, path: Path) -> int:
    """Where what belongs to the coming content begins.

    Headings that lead nothing and lie deeper than those that lead the content close the section before.
    """
    units = outline.units
    leads = [i for i in range(first, content) if i in path] or [content]
    level = units[leads[0]].level or 1
    for index in range(first, leads[0]):
        if units[index].is_heading and units[index].level <= level:
            return index
    return leads[0]


def _extended(outline: Outline, segment: Segment, end: int) -> Segment:
    more = sum(unit.tokens for unit in outline.units[segment.end : end])
    return segment._replace(end=end, tokens=segment.tokens + more)
