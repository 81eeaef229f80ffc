from __future__ import annotations

import pytest

from chunking import build_tree, repair, validate
from wrac.records import Group, MarkdownDocument, UnitTree

TEXT = """# Top

Intro.

## A

First of A.

1. Open the lid.

```sh
lift
```

2. Close the lid.

Last of A.

## B

Only of B.
"""
# Places: 0 Top, 1 Intro, 2 A, 3 First, 4-6 the procedure, 7 Last, 8 B, 9 Only.


@pytest.fixture
def tree() -> UnitTree:
    return build_tree(MarkdownDocument(TEXT, "", "markdown", "markdown/1", ""))


def mended(tree: UnitTree, *arrays: object) -> tuple[list[list[int]], list[str]]:
    """Owned places of every group, and the rules that were broken. Numbers in the arrays are places."""
    place = {unit.id: n for n, unit in enumerate(tree.units)}
    given = [[tree.units[i].id if isinstance(i, int) else i for i in a] if isinstance(a, list) else a for a in arrays]
    groups, faults = repair(tree, given)
    assert validate(tree, groups) == ()
    return [[place[i] for i in group.unit_ids] for group in groups], [fault.rule for fault in faults]


def test_arrays_of_the_papers_contract_are_taken_as_they_are(tree: UnitTree) -> None:
    assert mended(tree, [0, 1], [0, 2, 3, 4, 5, 6, 7], [0, 8, 9]) == ([[0, 1], [2, 3, 4, 5, 6, 7], [8, 9]], [])


def test_heading_ids_may_be_left_out_or_repeated(tree: UnitTree) -> None:
    assert mended(tree, [1], [0, 2, 0, 3, 4, 5, 6, 7], [9]) == ([[0, 1], [2, 3, 4, 5, 6, 7], [8, 9]], [])


def test_unknown_ids_are_dropped(tree: UnitTree) -> None:
    groups, rules = mended(tree, [0, 1, "made-up", None, 7.5, {"x": []}], [2, 3, 4, 5, 6, 7], [8, 9])
    assert groups == [[0, 1], [2, 3, 4, 5, 6, 7], [8, 9]]
    assert rules == ["unknown-id"]


def test_the_first_owner_wins(tree: UnitTree) -> None:
    groups, rules = mended(tree, [1, 3], [3, 4, 5, 6, 7], [9])
    assert groups == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert rules == ["duplicate"]


def test_what_is_missing_joins_its_neighbour_in_the_section(tree: UnitTree) -> None:
    groups, rules = mended(tree, [1], [4, 5, 6], [9])
    assert groups == [[0, 1], [2, 3, 4, 5, 6, 7], [8, 9]]
    assert rules == ["missing"]


def test_a_section_that_nobody_owns_is_a_group_of_its_own(tree: UnitTree) -> None:
    groups, rules = mended(tree, [3, 4, 5, 6, 7])
    assert groups == [[0, 1], [2, 3, 4, 5, 6, 7], [8, 9]]
    assert rules == ["missing"]


def test_order_is_restored(tree: UnitTree) -> None:
    groups, rules = mended(tree, [9, 8], [7, 6, 5, 4, 3, 2], [1, 0])
    assert groups == [[0, 1], [2, 3, 4, 5, 6, 7], [8, 9]]
    assert rules == ["out-of-order"]


def test_a_group_that_another_interrupts_is_parted(tree: UnitTree) -> None:
    groups, rules = mended(tree, [1, 9], [3, 4, 5, 6, 7])
    assert groups == [[0, 1], [2, 3, 4, 5, 6, 7], [8, 9]]
    assert rules == ["out-of-order"]


def test_split_procedures_are_united(tree: UnitTree) -> None:
    groups, rules = mended(tree, [1], [3, 4], [5, 6, 7], [9])
    assert groups == [[0, 1], [2, 3, 4, 5, 6], [7], [8, 9]]
    assert rules == ["split-procedure"]


def test_an_empty_plan_keeps_every_unit(tree: UnitTree) -> None:
    assert mended(tree)[0] == [[0, 1], [2, 3, 4, 5, 6, 7], [8, 9]]
    assert mended(tree, None, [], 7, "text")[0] == [[0, 1], [2, 3, 4, 5, 6, 7], [8, 9]]


def test_headings_are_refilled(tree: UnitTree) -> None:
    ids = [unit.id for unit in tree.units]
    wrong = [Group(ids[8], None, ids[1], tuple(ids[:8])), Group(ids[0], ids[8], ids[8], tuple(ids[8:]))]
    groups, faults = repair(tree, wrong)
    assert [fault.rule for fault in faults] == ["wrong-headings"]
    assert groups[0] == Group(ids[0], ids[0], ids[0], tuple(ids[:8]))
    assert groups[1] == wrong[1]


@pytest.mark.parametrize(
    ("owned", "rule"),
    [
        ([[0, 1, 2], [3, 4, 5, 6, 7], [8, 9]], "stray-heading"),
        ([[0, 1], [2], [3, 4, 5, 6, 7], [8, 9]], "heading-only"),
        ([[0, 1], [2, 3, 4], [5, 6, 7], [8, 9]], "split-procedure"),
        ([[0, 1], [2, 3, 4, 5, 6, 7]], "missing"),
        ([[0, 1], [8, 9], [2, 3, 4, 5, 6, 7]], "out-of-order"),
        ([[0, 1], [1, 2, 3, 4, 5, 6, 7], [8, 9]], "duplicate"),
    ],
)
def test_validate_names_the_broken_rule(tree: UnitTree, owned: list[list[int]], rule: str) -> None:
    ids = [unit.id for unit in tree.units]
    groups = [Group(None, None, None, tuple(ids[i] for i in own)) for own in owned]
    assert rule in {violation.rule for violation in validate(tree, groups)}
