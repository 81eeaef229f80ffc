"""Any plan, from any source, made lossless.

A planner may be a model, and a page may have talked to it: nothing that comes back is trusted but the ids that the
tree knows. What a plan decides is only where to cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from chunking.headings import Outline
from chunking.sections import group_of, segments
from chunking.validate import array_violations, validate
from wrac.records import Group, Violation

if TYPE_CHECKING:
    from chunking.sections import Segment
    from wrac.records import UnitTree


def repair(tree: UnitTree, groups: Iterable[object]) -> tuple[tuple[Group, ...], tuple[Violation, ...]]:
    """A plan that ``validate`` finds no fault in, and the faults that it mended; a valid plan comes back as it is.

    ``groups`` holds ``Group`` records or arrays of ids, in which heading ids may be repeated at will; whatever else
    stands there is an unknown id. Unknown ids are dropped, the first owner of a unit wins, a missing unit joins its
    neighbour in the section, order is restored (a group that others interrupt is parted), fusions are united, headings
    are refilled.
    """
    outline = Outline(tree)
    given = list(groups)
    arrays = [_ids(group) for group in given]
    faults = _faults(outline, given, arrays)
    parts = segments(outline)
    if not parts:
        return (), faults
    labels = _labels(parts, _owned_segments(outline, parts, arrays))
    starts = [0, *(i for i in range(1, len(parts)) if labels[i] != labels[i - 1])]
    ends = [*starts[1:], len(parts)]
    return tuple(group_of(outline, parts[a:b]) for a, b in zip(starts, ends, strict=True)), faults


def _ids(group: object) -> list[str]:
    if isinstance(group, Group):
        return list(group.unit_ids)
    if isinstance(group, Iterable) and not isinstance(group, str | bytes):
        return [item if isinstance(item, str) else repr(item)[:80] for item in group]
    return [group if isinstance(group, str) else repr(group)[:80]]


def _faults(outline: Outline, given: Sequence[object], arrays: Sequence[Sequence[str]]) -> tuple[Violation, ...]:
    records = [group for group in given if isinstance(group, Group)]
    if len(records) == len(given):
        return validate(outline.tree, records)
    content = {unit.id: i for i, unit in enumerate(outline.units) if outline.is_content(i)}
    return tuple(array_violations(outline, arrays, content))


def _owned_segments(outline: Outline, parts: Sequence[Segment], arrays: Sequence[Sequence[str]]) -> list[int | None]:
    """The array that owns each segment: the first that names its first named content."""
    owner: dict[int, int] = {}
    for number, array in enumerate(arrays):
        for unit_id in array:
            place = outline.position.get(unit_id)
            if place is not None and outline.is_content(place):
                owner.setdefault(place, number)
    return [next((owner[i] for i in range(part.content, part.end) if i in owner), None) for part in parts]


def _labels(parts: Sequence[Segment], owners: Sequence[int | None]) -> list[int]:
    """Neighbouring segments of one label form one group; a section that nobody owns is a group of its own."""
    labels = list(owners)
    for order in (range(1, len(parts)), range(len(parts) - 2, -1, -1)):
        step = -1 if order.step > 0 else 1
        for i in order:
            if labels[i] is None and parts[i].path == parts[i + step].path:
                labels[i] = labels[i + step]
    settled: list[int] = []
    for i, label in enumerate(labels):
        if label is not None:
            settled.append(label)
        elif settled and settled[-1] < 0 and parts[i].path == parts[i - 1].path:
            settled.append(settled[-1])
        else:
            settled.append(-1 - i)
    return settled
