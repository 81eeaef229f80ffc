from __future__ import annotations

import pytest

from chunking import RulePlanner, WindowLimits, assemble, build_tree, validate
from chunking.planners.rule import Weights
from wrac.records import Chunk, MarkdownDocument, UnitTree

LIMITS = WindowLimits(target=60, minimum=25, maximum=100)


def tree_of(text: str, title: str = "") -> UnitTree:
    return build_tree(MarkdownDocument(text, title, "markdown", "markdown/1", ""), LIMITS)


def plan(text: str, title: str = "") -> list[list[str]]:
    """First lines of every group's units."""
    tree = tree_of(text, title)
    at = {unit.id: tree.text_of(unit).split("\n")[0] for unit in tree.units}
    return [[at[i] for i in group.unit_ids] for group in RulePlanner(LIMITS).plan(tree).groups]


def levels(text: str, title: str = "") -> list[tuple[str | None, str | None, str | None]]:
    tree = tree_of(text, title)
    at: dict[str | None, str | None] = {None: None, **{unit.id: tree.text_of(unit) for unit in tree.units}}
    return [(at[g.level1], at[g.level2], at[g.parent]) for g in RulePlanner(LIMITS).plan(tree).groups]


def chunks(text: str, title: str = "") -> tuple[Chunk, ...]:
    tree = tree_of(text, title)
    return assemble(tree, RulePlanner(LIMITS).plan(tree))


def words(name: str, count: int = 50) -> str:
    """A paragraph of about ``count`` tokens that shares no word with another name's."""
    return " ".join([name] * count)


def test_sections_of_the_target_size_stay_apart() -> None:
    text = f"# Top\n\n{words('apple')}\n\n## Pear\n\n{words('pear')}\n\n## Plum\n\n{words('plum')}"
    assert plan(text) == [["# Top", words("apple")], ["## Pear", words("pear")], ["## Plum", words("plum")]]


def test_small_siblings_join() -> None:
    text = f"# Top\n\n## Pear\n\n{words('pear', 10)}\n\n## Plum\n\n{words('plum', 10)}"
    assert plan(text) == [["# Top", "## Pear", words("pear", 10), "## Plum", words("plum", 10)]]


def test_a_section_with_all_below_it_stays_whole_while_it_fits() -> None:
    # About 90 tokens, half as much again as the target, and within the maximum of 100.
    fruit = ["## Fruit", words("apple", 26), "### Pear", words("pear", 26), "### Plum", words("plum", 26)]
    roots = ["## Roots", words("beet")]
    assert plan("\n\n".join(["# Top", *fruit, *roots])) == [["# Top", *fruit], roots]


def test_headings_of_one_name_are_sections_of_their_own() -> None:
    """By place, not by name: else the first and the last would hold all that lies between them."""
    first, other, last = (
        [f"## {name}", words(fruit, 30), words(f"{fruit}s", 30)]
        for name, fruit in (("Notes", "pear"), ("Roots", "beet"), ("Notes", "plum"))
    )
    assert plan("\n\n".join(["# Top", *first, *other, *last])) == [["# Top", *first], other, last]


def test_a_large_section_is_cut_between_its_units() -> None:
    text = f"# Top\n\n{words('apple', 55)}\n\n{words('pear', 55)}\n\n{words('plum', 55)}"
    assert plan(text) == [["# Top", words("apple", 55)], [words("pear", 55)], [words("plum", 55)]]


def test_a_cut_falls_before_a_line_that_acts_as_heading() -> None:
    parts = [words("apple", 28), words("pear", 28), "**Stone fruit**", words("plum", 28), words("peach", 28)]
    assert plan("\n\n".join(parts)) == [parts[:2], parts[2:]]


def test_a_cut_falls_before_a_term_rather_than_after_it() -> None:
    term = f"`stone()`\n: {words('plum', 20)}"
    parts = [words("apple", 28), words("pear", 28), term, words("peach", 28)]
    tree = tree_of("\n\n".join(parts))
    groups = RulePlanner(LIMITS).plan(tree).groups
    assert [group.unit_ids for group in groups] == [
        tuple(unit.id for unit in tree.units[:2]),
        tuple(unit.id for unit in tree.units[2:]),
    ]


def test_a_deeper_border_is_spanned_rather_than_a_higher_one() -> None:
    text = (
        f"# Top\n\n## Pear\n\n### A\n\n{words('a', 15)}\n\n### B\n\n{words('b', 15)}\n\n"
        f"## Plum\n\n### C\n\n{words('c', 15)}\n\n### D\n\n{words('d', 15)}"
    )
    assert plan(text) == [
        ["# Top", "## Pear", "### A", words("a", 15), "### B", words("b", 15)],
        ["## Plum", "### C", words("c", 15), "### D", words("d", 15)],
    ]


def test_several_h1_stay_apart_unless_tiny() -> None:
    text = f"# One\n\n{words('one', 30)}\n\n# Two\n\n{words('two', 30)}"
    assert plan(text) == [["# One", words("one", 30)], ["# Two", words("two", 30)]]
    assert levels(text) == [("# One", "# One", "# One"), ("# Two", "# Two", "# Two")]


def test_h4_under_h1_is_at_the_second_level() -> None:
    text = f"# One\n\n#### Four\n\n{words('four', 60)}\n\n###### Six\n\n{words('six', 60)}"
    assert levels(text) == [("# One", "#### Four", "#### Four"), ("# One", "#### Four", "###### Six")]


def test_below_three_levels_the_direct_parent_is_the_third() -> None:
    text = f"# 1\n\n## 2\n\n### 3\n\n#### 4\n\n{words('deep', 60)}"
    assert levels(text) == [("# 1", "## 2", "#### 4")]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Page", (None, "## Two", "### Three")),
        ("", ("## Two", "### Three", "### Three")),
        ("two", ("## Two", "### Three", "### Three")),
    ],
)
def test_without_h1_the_page_title_is_level_1(title: str, expected: tuple[str | None, str, str]) -> None:
    assert levels(f"## Two\n\n### Three\n\n{words('x')}", title) == [expected]


def test_without_headings_all_levels_are_the_page_title() -> None:
    text = f"{words('x', 60)}\n\n{words('y', 60)}"
    assert levels(text, "Page") == [(None, None, None), (None, None, None)]
    assert [chunk.breadcrumb for chunk in chunks(text, "Page")] == ["Page", "Page"]
    assert [chunk.embed_text for chunk in chunks(text)] == [words("x", 60), words("y", 60)]


def test_siblings_that_join_stand_under_their_common_heading() -> None:
    text = f"# Top\n\n## Pear\n\n{words('pear', 10)}\n\n## Plum\n\n{words('plum', 10)}"
    assert levels(text) == [("# Top", "# Top", "# Top")]


def test_a_heading_that_leads_nothing_joins_the_section_it_closes() -> None:
    text = f"# Top\n\n{words('apple')}\n\n## Empty\n\n# Next\n\n{words('next')}"
    assert plan(text) == [["# Top", words("apple"), "## Empty"], ["# Next", words("next")]]


def test_a_sibling_without_content_stays_before_the_next_one() -> None:
    text = f"# Top\n\n{words('apple')}\n\n## Empty\n\n## Full\n\n{words('full')}"
    assert plan(text) == [["# Top", words("apple")], ["## Empty", "## Full", words("full")]]


def test_headings_alone_are_kept() -> None:
    assert [i for group in plan("# One\n\n## Two\n\n---\n") for i in group] == ["# One", "## Two", "---"]


def test_a_document_of_headings_is_cut_like_any_other() -> None:
    text = "\n\n".join(f"## Heading number {n} of many" for n in range(60))
    found = chunks(text, "Page")
    assert len(found) > 3
    assert max(chunk.tokens for chunk in found) <= LIMITS.maximum + 10
    assert "\n\n".join(chunk.text for chunk in found) == text


def test_an_empty_document_has_no_groups() -> None:
    assert plan(" \n\n\x0c\n") == []


def test_a_break_opens_no_group() -> None:
    text = f"{words('apple', 60)}\n\n---\n\n{words('pear', 60)}"
    assert plan(text) == [[words("apple", 60), "---"], [words("pear", 60)]]


def test_giant_table_stays_one_chunk() -> None:
    table = "| a | b |\n|---|---|\n" + "\n".join(f"| {n} | {n * n} |" for n in range(400))
    found = chunks(f"# T\n\nThe squares:\n\n{table}\n\n{words('after', 60)}")
    assert [chunk.kind for chunk in found] == ["section", "paragraph"]
    assert found[0].text == f"# T\n\nThe squares:\n\n{table}"
    assert found[0].embed_text.split("\n")[:3] == ["T", "The squares:", "a: 0; b: 0"]


def test_giant_procedure_stays_one_chunk() -> None:
    steps = "\n".join(f"{n}. Turn the screw number {n} to the left." for n in range(1, 200))
    (found,) = chunks(f"# T\n\n{steps}")
    assert found.kind == "procedure"
    assert found.text == f"# T\n\n{steps}"


def test_a_list_of_references_is_divided_between_its_items() -> None:
    items = [f"{n}. Author {n} (1987). Title of the work. doi:10.1000/{n}" for n in range(1, 300)]
    found = chunks("# Sources\n\n" + "\n".join(items))
    assert len(found) > 30
    assert max(chunk.tokens for chunk in found) <= LIMITS.maximum + 10
    assert [line for chunk in found for line in chunk.text.split("\n") if line[:1].isdigit()] == items


def test_a_long_paragraph_is_cut_at_sentence_ends() -> None:
    sentences = [f"Sentence number {n} says a little." for n in range(60)]
    found = chunks(" ".join(sentences))
    assert len(found) > 5
    assert all(chunk.text.startswith("Sentence") and chunk.text.endswith("little.") for chunk in found)
    assert " ".join(chunk.text for chunk in found) == " ".join(sentences)


def test_names_and_figures_are_cut_smaller_than_plain_words() -> None:
    planner = RulePlanner(LIMITS, Weights(dense=0.6))
    names = tree_of("\n\n".join(f"Anna{n} Berta{n} Carl{n} Dora{n}" for n in range(30)))
    plain = tree_of("\n\n".join(f"anna{n} berta{n} carl{n} dora{n}" for n in range(30)))
    assert len(planner.plan(names).groups) > len(planner.plan(plain).groups)


@pytest.mark.parametrize(("target", "minimum", "maximum"), [(5, 6, 10), (11, 6, 10), (5, -1, 10), (0, 0, 0)])
def test_limits_that_contradict_each_other_are_refused(target: int, minimum: int, maximum: int) -> None:
    with pytest.raises(ValueError, match="token window"):
        WindowLimits(target, minimum, maximum)


def test_headings_that_count_steps_and_say_nothing_more_are_no_chunk() -> None:
    tree = tree_of("A plain paragraph with some words.\n\n### Step 1: Look\n\n### Step 2: Leave")
    assert validate(tree, RulePlanner(LIMITS).plan(tree).groups) == ()
