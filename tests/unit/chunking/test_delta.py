"""Which groups outlive a change of the page, case by case."""

from __future__ import annotations

import pytest

from chunking import RulePlanner, WindowLimits, assemble, build_tree, keep_groups, validate
from chunking.planners.kept import NOT_ASKED
from conversion import markdown_document
from wrac.records import ChunkPlan, Group, UnitTree, Violation

LIMITS = WindowLimits(target=40, minimum=15, maximum=70)
WORDS = ["tide", "harbour", "lane", "gate", "lamp", "berth", "quay", "depot", "barge", "lodge", "anchor", "rope"]


def paragraph(start: int, count: int = 20) -> str:
    return " ".join(WORDS[(start * 5 + i * (1 + start % 7)) % len(WORDS)] for i in range(count)) + f" {start}."


def tree_of(*blocks: str) -> UnitTree:
    return build_tree(markdown_document("\n\n".join(blocks)), LIMITS)


def plan_of(tree: UnitTree, *groups: str) -> ChunkPlan:
    """Each group as the blocks it owns, by their numbers: ``0-2``."""
    ids = [unit.id for unit in tree.units]
    spans = [(int(group.split("-")[0]), int(group.split("-")[-1]) + 1) for group in groups]
    return ChunkPlan(tuple(Group(None, None, None, tuple(ids[a:b])) for a, b in spans), "made/1")


def kept_blocks(tree: UnitTree, groups: tuple[Group, ...]) -> list[str]:
    place = {unit.id: str(index) for index, unit in enumerate(tree.units)}
    return ["-".join(dict.fromkeys([place[g.unit_ids[0]], place[g.unit_ids[-1]]])) for g in groups]


BLOCKS = ["# Handbook", paragraph(1), "## Gates", paragraph(2), paragraph(3), paragraph(4), paragraph(5), "## Fees"]
BLOCKS += [paragraph(6)]
GROUPS = ("0-1", "2-4", "5-6", "7-8")
BEFORE = tree_of(*BLOCKS)
PLAN = plan_of(BEFORE, *GROUPS)


def kept_after(*blocks: str) -> list[str]:
    after = tree_of(*blocks)
    return kept_blocks(after, keep_groups(BEFORE, PLAN, after, LIMITS))


def test_an_unchanged_text_keeps_every_group() -> None:
    assert kept_after(*BLOCKS) == list(GROUPS)


def test_an_edited_paragraph_leaves_its_group_as_it_is() -> None:
    assert kept_after(*BLOCKS[:3], paragraph(9), *BLOCKS[4:]) == list(GROUPS)


def test_a_renamed_heading_leaves_the_cuts_as_they_are() -> None:
    assert kept_after(*BLOCKS[:2], "## Doors", *BLOCKS[3:]) == list(GROUPS)


def test_a_heading_of_another_level_is_another_structure() -> None:
    assert kept_after(*BLOCKS[:2], "### Gates", *BLOCKS[3:]) == ["0-1", "5-6", "7-8"]


def test_a_group_that_outgrows_the_window_is_planned_anew() -> None:
    assert kept_after(*BLOCKS[:3], paragraph(9, 60), *BLOCKS[4:]) == ["0-1", "5-6", "7-8"]


def test_a_group_of_which_all_was_rewritten_is_planned_anew() -> None:
    assert kept_after(*BLOCKS[:3], paragraph(9), paragraph(10), *BLOCKS[5:]) == ["0-1", "5-6", "7-8"]


def test_a_deleted_paragraph_leaves_the_rest_of_its_group() -> None:
    assert kept_after(*BLOCKS[:4], *BLOCKS[5:]) == ["0-1", "2-3", "4-5", "6-7"]


def test_what_a_deletion_leaves_too_small_is_planned_with_its_neighbour() -> None:
    small = [*BLOCKS[:4], "Mind the gap, sailor.", *BLOCKS[5:]]
    before = tree_of(*small)
    after = tree_of(*small[:3], *small[4:])
    kept = keep_groups(before, plan_of(before, *GROUPS), after, LIMITS)
    assert kept_blocks(after, kept) == ["0-1", "6-7"], "3 (5 tokens) may join 4 and 5, which stand in the same section"


def test_a_paragraph_put_into_a_group_is_planned_with_it_alone() -> None:
    assert kept_after(*BLOCKS[:4], paragraph(9), *BLOCKS[4:]) == ["0-1", "6-7", "8-9"]


def test_a_paragraph_put_between_two_groups_is_planned_alone() -> None:
    assert kept_after(*BLOCKS[:5], paragraph(9), *BLOCKS[5:]) == ["0-1", "2-4", "6-7", "8-9"]


def test_a_line_put_between_two_groups_may_join_the_one_it_stands_nearer_to() -> None:
    found = kept_after(*BLOCKS[:7], "Mind the gap, sailor.", *BLOCKS[7:])
    assert found == ["0-1", "2-4", "8-9"], "it stands under the heading of 5-6, not under that of 8-9"


def test_a_moved_section_keeps_its_groups() -> None:
    assert kept_after(*BLOCKS[:2], *BLOCKS[7:], *BLOCKS[2:7]) == ["0-1", "2-3", "4-6", "7-8"]


def test_a_repeated_text_put_in_above_shifts_no_group() -> None:
    """Unit ids count occurrences: those of a repeated text below are all other ones then."""
    blocks = ["# Notes", *(block for n in range(6) for block in (f"## Entry {n}", "None to report.", paragraph(n)))]
    before = tree_of(*blocks)
    plan = RulePlanner(LIMITS).plan(before)
    after = tree_of(blocks[0], "## Entry new", "None to report.", paragraph(11), *blocks[1:])
    kept = keep_groups(before, plan, after, LIMITS)
    old = {chunk.digest for chunk in assemble(before, plan)}
    new = [chunk.digest for chunk in assemble(after, RulePlanner(LIMITS).plan(after, kept=kept))]
    assert sum(digest not in old for digest in new) == 1


def test_groups_that_wait_for_a_model_are_not_kept() -> None:
    waiting = Violation(f"{NOT_ASKED}: the budget is used up", (BEFORE.units[3].id,))
    plan = ChunkPlan(PLAN.groups, "made/1", repairs=(waiting,))
    assert kept_blocks(BEFORE, keep_groups(BEFORE, plan, BEFORE, LIMITS)) == ["0-1", "5-6", "7-8"]


def test_the_three_levels_are_those_of_the_new_text() -> None:
    after = tree_of("# Handbook", paragraph(1), "## Doors", *BLOCKS[3:])
    kept = keep_groups(BEFORE, PLAN, after, LIMITS)
    assert [after.units[2].id] * 2 == [group.level2 for group in kept[1:3]]
    assert validate(after, kept) == ()


@pytest.mark.parametrize("count", [400, 1_200])
def test_one_edit_of_a_very_large_page_changes_one_chunk(count: int) -> None:
    blocks = ["# All"]
    for n in range(count):
        blocks += [f"## Part {n}"] if n % 40 == 0 else []
        blocks.append(f"Paragraph {n}: {paragraph(n, 8 + n % 17)}")
    before = tree_of(*blocks)
    plan = RulePlanner(LIMITS).plan(before)
    after = tree_of(*(block.replace("Paragraph 205:", "Paragraph 205, mended:") for block in blocks))
    again = RulePlanner(LIMITS).plan(after, kept=keep_groups(before, plan, after, LIMITS))
    old = {chunk.embed_text for chunk in assemble(before, plan)}
    assert len({chunk.embed_text for chunk in assemble(after, again)} - old) == 1
