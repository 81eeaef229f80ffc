"""The published W-RAC plans on our unit tree: what is wrong with them, and what repair makes of them.

Their ids are line numbers. An id means the units that overlap the lines from its own to the next element's.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from chunking import assemble, build_tree, repair
from chunking.headings import Outline
from conversion import markdown_document
from wrac.records import ChunkPlan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evaluation.baselines.published import PublishedPlan
    from wrac.records import Chunk, Group, UnitTree, Violation

DIVIDED = "divided-unit"
"""Two chunks name different lines of one unit (a list with blank lines between its items, mostly)."""


@dataclass(frozen=True, slots=True)
class RepairedPlan:
    """One published plan, its faults, and the lossless plan that it became."""

    filename: str
    tree: UnitTree
    groups: tuple[Group, ...]
    violations: tuple[Violation, ...]
    divided: int
    """Units that the published plan divides between chunks; the first chunk keeps them."""
    lost: int
    """Content units that no group of the repaired plan owns."""

    def chunks(self) -> tuple[Chunk, ...]:
        """The chunks of the repaired plan."""
        return assemble(self.tree, ChunkPlan(self.groups, "published W-RAC, repaired"))


@dataclass(frozen=True, slots=True)
class FaultCount:
    """How often one kind of fault was met."""

    units: int = 0
    documents: int = 0


def repaired(plan: PublishedPlan) -> RepairedPlan:
    """The plan through ``chunking.repair``."""
    tree = build_tree(markdown_document(plan.markdown))
    outline = Outline(tree)
    arrays, divided = _on_tree(tree, plan)
    # A plan without any array is still one of arrays, in which headings need not be named.
    groups, violations = repair(tree, arrays or [[]])
    owned = {unit_id for group in groups for unit_id in group.unit_ids}
    content = {unit.id for place, unit in enumerate(outline.units) if outline.is_content(place)}
    return RepairedPlan(plan.filename, tree, groups, violations, divided, len(content - owned))


def fault_counts(plans: Iterable[RepairedPlan]) -> Mapping[str, FaultCount]:
    """Units and documents by kind of fault, in a fixed order."""
    units: Counter[str] = Counter()
    documents: Counter[str] = Counter()
    for plan in plans:
        found = Counter({DIVIDED: plan.divided}) if plan.divided else Counter()
        for violation in plan.violations:
            # A split fusion is one fault however many units it has.
            found[violation.rule] += 1 if violation.rule.startswith("split-") else len(violation.unit_ids)
        units.update(found)
        documents.update(found.keys())
    return {rule: FaultCount(units[rule], documents[rule]) for rule in sorted(units)}


def _on_tree(tree: UnitTree, plan: PublishedPlan) -> tuple[list[list[str]], int]:
    """The plan's arrays in unit ids, unknown ids as they came, and how many units they divide."""
    units_of = _units_by_element(tree, plan)
    owner: dict[str, int] = {}
    divided: set[str] = set()
    arrays: list[list[str]] = []
    named: set[str] = set()
    for number, array in enumerate(plan.arrays):
        ids: list[str] = []
        for element in array:
            again = element in named
            named.add(element)
            for unit_id in units_of.get(element, (element,)):
                if not again and owner.setdefault(unit_id, number) != number:
                    divided.add(unit_id)
                elif unit_id not in ids:
                    ids.append(unit_id)
        arrays.append(ids)
    return arrays, len(divided)


def _units_by_element(tree: UnitTree, plan: PublishedPlan) -> dict[str, Sequence[str]]:
    within = tree.document.text.count("\n") + 1
    elements = sorted((e for e in plan.elements if 0 <= e.line < within), key=lambda element: element.line)
    lines = list(accumulate((len(line) + 1 for line in tree.document.text.split("\n")), initial=0))
    begins = [lines[element.line] for element in elements]
    found: dict[str, list[str]] = {element.id: [] for element in elements}
    for unit in tree.units:
        first = max(0, bisect_right(begins, unit.start) - 1)
        for element in elements[first : bisect_left(begins, unit.end)]:
            found[element.id].append(unit.id)
    return dict(found)
