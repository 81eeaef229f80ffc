"""What holds for every change of a text, and for every plan that is said to have been the one before."""

from __future__ import annotations

import json
import random
from itertools import chain

from hypothesis import given, settings
from hypothesis import strategies as st

from chunking import RulePlanner, WindowLimits, assemble, build_tree, keep_groups, validate
from chunking.alignment import align, replacements
from chunking.planners.llm import LLMPlanner
from llm.chat import Ending, Reply
from wrac.records import ChunkPlan, Group, MarkdownDocument, UnitKind, UnitTree, Usage

SMALL = WindowLimits(target=24, minimum=10, maximum=40)
BLOCKS = [
    "# One",
    "## Sub",
    "### Deep",
    "Setext\n---",
    "A plain paragraph with some words.",
    "Another paragraph, which is a little longer than the one that came before it.",
    "Follow these steps:",
    "1. Open the door\n2. Close the door",
    "3. Lock it",
    "### Step 1: Look",
    "### Step 2: Leave",
    "- a\n- b\n- c",
    "```py\nx = 1\n```",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "---",
    "long words " * 30,
    "N/A",
]
SAYING = [block for block in BLOCKS if not block.startswith(("#", "Setext", "---"))]
sections = st.lists(st.sampled_from(SAYING), min_size=1, max_size=4).map(lambda blocks: ["# One", *blocks])
texts = st.lists(st.sampled_from(BLOCKS), max_size=14)


def tree_of(blocks: list[str]) -> UnitTree:
    return build_tree(MarkdownDocument("\n\n".join(blocks), "Page", "markdown", "markdown/1", ""), SMALL)


class Anything:
    """A model whose cuts are drawn from its question."""

    model = "anything"

    def ask(self, messages, **_: object) -> Reply:
        draw = random.Random(str(messages))
        numbers = [draw.randint(0, 9) for _ in range(draw.randint(0, 6))]
        return Reply(json.dumps({"c": numbers, "p": numbers[:1]}), Ending.COMPLETE, Usage(calls=1))


PLANNERS = (RulePlanner(SMALL), LLMPlanner(Anything(), limits=SMALL))
planners = st.sampled_from(PLANNERS)


@st.composite
def hostile_plans(draw: st.DrawFn, tree: UnitTree) -> ChunkPlan:
    ids = st.sampled_from([*(unit.id for unit in tree.units), "no-such-unit"])
    heads = st.one_of(st.none(), ids)
    groups = st.builds(Group, heads, heads, heads, st.lists(ids, max_size=6).map(tuple))
    return ChunkPlan(tuple(draw(st.lists(groups, max_size=8))), "hostile/1")


@settings(max_examples=150, deadline=None)
@given(texts, texts, planners, st.data())
def test_whatever_plan_came_before_the_new_one_is_lossless_and_in_order(before, after, planner, data) -> None:
    old, new = tree_of(before), tree_of(after)
    kept = keep_groups(old, data.draw(hostile_plans(old)), new, SMALL)
    plan = planner.plan(new, kept=kept)
    assert validate(new, plan.groups) == ()
    assert [i for group in plan.groups for i in group.unit_ids] == [unit.id for unit in new.units]
    assert set(kept) <= set(plan.groups), "what is kept stands in the plan as it is"


@settings(max_examples=100, deadline=None)
@given(texts, planners)
def test_nothing_is_planned_anew_where_nothing_changed(blocks, planner) -> None:
    tree = tree_of(blocks)
    plan = planner.plan(tree)
    assert keep_groups(tree, plan, tree, SMALL) == plan.groups
    assert planner.plan(tree, kept=plan.groups).groups == plan.groups


@settings(max_examples=100, deadline=None)
@given(st.lists(sections, max_size=8), st.integers(0, 8), planners)
def test_a_section_put_in_leaves_the_other_chunks_alone(parts, place, planner) -> None:
    put_in = ["# Harbour", "The outer buoy shows a green light every four seconds and may be passed by day."]
    old, new = tree_of([*chain(*parts)]), tree_of([*chain(*parts[:place], put_in, *parts[place:])])
    plan = planner.plan(old)
    again = planner.plan(new, kept=keep_groups(old, plan, new, SMALL))
    gone = {chunk.text for chunk in assemble(old, plan)} - {chunk.text for chunk in assemble(new, again)}
    assert len(gone) <= 1, "but for the one chunk that the section parts"


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(0, 6)), st.lists(st.integers(0, 6)))
def test_an_alignment_pairs_equal_items_in_order_and_nothing_twice(old, new) -> None:
    pairs = align(old, new)
    assert all(old[a] == new[b] for a, b in pairs.items())
    assert list(pairs) == sorted(pairs)
    assert list(pairs.values()) == sorted(set(pairs.values()))
    both = pairs | replacements(pairs, len(old), len(new))
    assert [both[a] for a in sorted(both)] == sorted(set(both.values()))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 6)))
def test_equal_texts_are_aligned_whole(items) -> None:
    assert align(items, items) == {i: i for i in range(len(items))}


@settings(max_examples=100, deadline=None)
@given(texts, texts, st.data())
def test_a_planner_passes_over_groups_that_are_not_of_its_text(before, after, data) -> None:
    tree = tree_of(after)
    kept = [*data.draw(hostile_plans(tree)).groups, *RulePlanner(SMALL).plan(tree_of(before)).groups]
    for planner in PLANNERS:
        plan = planner.plan(tree, kept=kept)
        assert validate(tree, plan.groups) == ()
        assert [i for g in plan.groups for i in g.unit_ids] == [u.id for u in tree.units]


def test_the_text_of_the_tests_holds_content() -> None:
    kinds = {unit.kind for unit in tree_of(BLOCKS).units}
    assert {UnitKind.HEADING, UnitKind.PARAGRAPH, UnitKind.TABLE, UnitKind.CODE, UnitKind.LIST} <= kinds
