"""Does a plan keep the contract? Every way in which it does not, as data."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from chunking.headings import Levels, Outline
from chunking.sections import segments
from wrac.records import FusionKind, Violation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from wrac.records import Group, UnitTree

_SPLIT_RULES = {FusionKind.PROCEDURE: "split-procedure", FusionKind.LEAD_IN: "split-lead-in"}


def validate(tree: UnitTree, groups: Sequence[Group]) -> tuple[Violation, ...]:
    """All violations, empty for a lossless plan.

    ``unknown-id``: not of this tree; ``duplicate``: owned more than once; ``missing``: owned by no group;
    ``out-of-order``: owned after a later unit; ``split-procedure``, ``split-lead-in``: a fusion in several groups;
    ``stray-heading``: a heading or thematic break parted from what it leads or closes; ``heading-only``: a group
    without content in a document that has some; ``wrong-headings``: three levels that are not those above the content.
    """
    outline = Outline(tree)
    arrays = [group.unit_ids for group in groups]
    heads = [h for group in groups for h in (group.level1, group.level2, group.parent) if h is not None]
    return (
        *array_violations(outline, arrays, outline.position, heads),
        *_stray_headings(outline, arrays),
        *_wrong_groups(outline, groups),
    )


def array_violations(
    outline: Outline, arrays: Sequence[Sequence[str]], owned: Mapping[str, int], heads: Sequence[str] = ()
) -> Iterator[Violation]:
    """Faults of arrays of ids. Each id of ``owned`` (id -> place) must stand once and in order; others may repeat."""
    given = [unit_id for array in arrays for unit_id in array]
    counts = Counter(given)
    if unknown := tuple(i for i in dict.fromkeys([*counts, *heads]) if i not in outline.position):
        yield Violation("unknown-id", unknown)
    if duplicates := tuple(i for i, count in counts.items() if count > 1 and i in owned):
        yield Violation("duplicate", duplicates)
    if missing := tuple(i for i in owned if i not in counts):
        yield Violation("missing", missing)
    if late := tuple(_late(owned, counts)):
        yield Violation("out-of-order", late)
    owner: dict[str, int] = {}
    for number, array in enumerate(arrays):
        for unit_id in array:
            owner.setdefault(unit_id, number)
    for fusion in outline.tree.fusions:
        if len({owner[i] for i in fusion.unit_ids if i in owner and i in owned}) > 1:
            yield Violation(_SPLIT_RULES[fusion.kind], fusion.unit_ids)


def _late(owned: Mapping[str, int], given: Iterable[str]) -> Iterator[str]:
    furthest = -1
    for unit_id in given:
        place = owned.get(unit_id, furthest)
        if place < furthest:
            yield unit_id
        furthest = max(furthest, place)


def _stray_headings(outline: Outline, arrays: Sequence[Sequence[str]]) -> Iterator[Violation]:
    """Cuts inside a segment that part no fusion."""
    ends = {outline.position[array[-1]] + 1 for array in arrays if array and array[-1] in outline.position}
    fused = {i for fusion in outline.tree.fusions for i in fusion.unit_ids[:-1]}
    for part in segments(outline):
        for cut in range(part.first + 1, part.end):
            if cut in ends and outline.units[cut - 1].id not in fused:
                yield Violation("stray-heading", tuple(unit.id for unit in outline.units[part.first : cut]))


def _wrong_groups(outline: Outline, groups: Sequence[Group]) -> Iterator[Violation]:
    for group in groups:
        indices = [outline.position[i] for i in group.unit_ids if i in outline.position]
        if not any(outline.is_content(i) for i in indices):
            yield Violation("heading-only", group.unit_ids)
        elif Levels(group.level1, group.level2, group.parent) != outline.levels(outline.path_of(indices)):
            yield Violation("wrong-headings", group.unit_ids)
