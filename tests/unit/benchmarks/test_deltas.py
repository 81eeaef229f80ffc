"""The measurement of edits, on generated pages: its goals hold, and it would tell if they did not."""

from __future__ import annotations

import random

import pytest

from benchmarks.deltas import LIMITS, Cost, measure, show
from benchmarks.edits import EDITS
from chunking import build_tree
from conversion import markdown_document

WORDS = ["tide", "harbour", "lane", "gate", "lamp", "berth", "quay", "depot", "barge", "lodge", "anchor", "rope"]


def manual(seed: int, sections: int = 30) -> str:
    draw = random.Random(seed)
    blocks = ["# Manual"]
    for section in range(sections):
        blocks.append(f"{'#' * draw.choice([2, 2, 3])} Part {section}")
        blocks += [" ".join(draw.choices(WORDS, k=draw.randint(10, 90))) + "." for _ in range(draw.randint(1, 6))]
    return "\n\n".join(blocks)


@pytest.fixture(scope="module")
def trees():
    return [build_tree(markdown_document(manual(seed)), LIMITS) for seed in range(2)]


def test_an_edited_paragraph_costs_two_texts_and_one_call_at_most(trees):
    costs = measure(trees, 2, from_nothing=False)
    assert show(costs)
    for (_, name), cost in costs.items():
        assert sum(cost.texts) <= 3 * len(cost.texts), name


def test_planned_from_nothing_the_goals_are_missed(trees):
    assert not show(measure(trees[:1], 2, from_nothing=True))


@pytest.mark.parametrize(("texts", "calls", "met"), [(2, 1, True), (3, 1, False), (2, 2, False)])
def test_a_missed_goal_is_told(texts, calls, met):
    assert show({("model", "word changed"): Cost([1], [texts], [calls], [9])}) is met


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_the_same_for_the_same_number_and_changes_something(trees, name):
    one, two = (EDITS[name](trees[0], random.Random(5)) for _ in range(2))
    assert one == two != trees[0].document.text


def test_a_text_without_paragraphs_and_sections_is_not_edited():
    tree = build_tree(markdown_document("- a\n- b\n"), LIMITS)
    assert [edit(tree, random.Random(1)) for edit in EDITS.values()] == [None] * len(EDITS)
