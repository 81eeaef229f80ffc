"""What holds for every Markdown text and every plan: nothing lost, invented, or parted that belongs together."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from chunking import RulePlanner, WindowLimits, assemble, build_tree, repair, validate
from wrac.records import Chunk, MarkdownDocument, UnitKind, UnitTree
from wrac.tokens import count_tokens

SMALL = WindowLimits(target=24, minimum=10, maximum=40)

FRAGMENTS = [
    "# One",
    "# Two",
    "## Sub",
    "### Deep",
    "#### Deeper",
    "###### Six",
    "Setext\n===",
    "Setext two\n---",
    "A plain paragraph with some words.",
    "Follow these steps:",
    "A longer paragraph. It has many sentences. " * 6,
    "- a\n- b\n- c",
    "- a\n\n  more\n  - nested\n- b",
    "1. Open the door\n2. Close the door",
    "3. Lock it",
    "1. Smith (1999)\n2. Jones (2001)",
    "* star\n* star",
    "Step 1: go",
    "Step 2: stop",
    "### Step 1: Look",
    "### Step 2: Leave",
    "```py\n# no heading\n\nx = 1\n```",
    "~~~\nopen fence",
    "    indented code",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "| wide | table |\n|---|---|\n" + "| cell with words | and more words |\n" * 12,
    "> quote\n> more",
    "> " + "long quote words " * 30,
    "![figure](x.png)",
    "[label]: http://example.org",
    "[^1]: A note.",
    "Term\n: its definition",
    "<div>\nraw\n</div>",
    "<!-- c -->",
    "---",
    "\x0c",
    "\u2028",
    "a\x0cb\u2028c",
    "\xa0",
    "\ttab\tcode",
    "- \ttab item",
    "* * *",
    "**Bold line**",
    "2.1 Scope",
    "\x00",
    "\ud800",
    "- " + "item words " * 30 + "\n- short",
    "word " * 80,
    "x" * 300,
    "[^1]",
    "\\# escaped",
    "a:\n- b",
    "> - > nested\n> - > more",
]
BREAKS = ["\n\n", "\n", "\r\n", "\r\n\r\n", "\n\n\n", "\n \n"]

documents = st.lists(st.tuples(st.sampled_from(FRAGMENTS), st.sampled_from(BREAKS)), max_size=14).map(
    lambda parts: "".join(text + end for text, end in parts)
)
any_text = st.text(alphabet=st.sampled_from("#-*>|`~[]():!<&\\ \t\n\r\x0c\u2028a1.é你"), max_size=120)
sources = st.one_of(documents, any_text)


def document(text: str, title: str = "") -> MarkdownDocument:
    return MarkdownDocument(text, title, "markdown", "markdown/1", "")


def content_of(tree: UnitTree) -> list[str]:
    return [unit.id for unit in tree.units if unit.kind not in (UnitKind.HEADING, UnitKind.BREAK)]


def chunks_of(tree: UnitTree, limits: WindowLimits = SMALL) -> tuple[Chunk, ...]:
    return assemble(tree, RulePlanner(limits).plan(tree))


@settings(max_examples=120, deadline=None)
@given(sources)
def test_spans_tile_all_text_that_is_not_blank(text: str) -> None:
    end = 0
    for unit in build_tree(document(text), SMALL).units:
        assert end <= unit.start < unit.end
        assert not text[end : unit.start].strip()
        assert unit.tokens == count_tokens(text[unit.start : unit.end])
        end = unit.end
    assert not text[end:].strip()


@settings(max_examples=120, deadline=None)
@given(sources)
def test_ids_are_unique_and_parents_are_headings_above(text: str) -> None:
    seen: dict[str, UnitKind] = {}
    for unit in build_tree(document(text), SMALL).units:
        assert unit.id not in seen
        assert unit.parent is None or seen[unit.parent] is UnitKind.HEADING
        seen[unit.id] = unit.kind


@settings(max_examples=120, deadline=None)
@given(sources, st.sampled_from(["", "Page title"]))
def test_the_rule_plan_is_valid_and_owns_every_unit_once_in_order(text: str, title: str) -> None:
    tree = build_tree(document(text, title), SMALL)
    groups = RulePlanner(SMALL).plan(tree).groups
    assert validate(tree, groups) == ()
    assert [i for group in groups for i in group.unit_ids] == [unit.id for unit in tree.units]


@settings(max_examples=120, deadline=None)
@given(sources)
def test_chunk_text_is_source_spans_and_nothing_else(text: str) -> None:
    tree = build_tree(document(text, "A title that is not in the text"), SMALL)
    at = {unit.id: unit for unit in tree.units}
    for group, chunk in zip(RulePlanner(SMALL).plan(tree).groups, chunks_of(tree), strict=True):
        units = [at[i] for i in chunk.unit_ids]
        own = text[units[0].start : units[-1].end]
        heads = dict.fromkeys(h for h in (group.level1, group.level2, group.parent) if h and h not in chunk.unit_ids)
        assert chunk.text == "\n\n".join([*(tree.text_of(at[h]) for h in heads), own])
        assert chunk.tokens == count_tokens(chunk.text)


@settings(max_examples=120, deadline=None)
@given(sources)
def test_only_procedures_lead_ins_and_atoms_exceed_the_window(text: str) -> None:
    tree = build_tree(document(text), SMALL)
    fused = {i for fusion in tree.fusions for i in fusion.unit_ids}
    whole = {UnitKind.TABLE, UnitKind.CODE, UnitKind.FIGURE}
    for group in RulePlanner(SMALL).plan(tree).groups:
        units = [unit for unit in tree.units if unit.id in group.unit_ids]
        content = [unit for unit in units if unit.kind not in (UnitKind.HEADING, UnitKind.BREAK)]
        if sum(unit.tokens for unit in content) > SMALL.maximum:
            assert len(content) == 1 or all(unit.id in fused for unit in content)
            assert content[0].id in fused or content[0].kind in whole


@settings(max_examples=120, deadline=None)
@given(sources)
def test_fusions_stay_whole(text: str) -> None:
    tree = build_tree(document(text), SMALL)
    owner = {i: n for n, chunk in enumerate(chunks_of(tree)) for i in chunk.unit_ids}
    order = [unit.id for unit in tree.units]
    for fusion in tree.fusions:
        assert len({owner[i] for i in fusion.unit_ids}) == 1
        first = order.index(fusion.unit_ids[0])
        assert tuple(order[first : first + len(fusion.unit_ids)]) == fusion.unit_ids


@settings(max_examples=120, deadline=None)
@given(sources, st.sampled_from(["", "Page title"]))
def test_three_levels_are_headings_above_or_the_page_title(text: str, title: str) -> None:
    tree = build_tree(document(text, title), SMALL)
    at = {unit.id: unit for unit in tree.units}
    for group in RulePlanner(SMALL).plan(tree).groups:
        levels = [at[h] for h in (group.level1, group.level2, group.parent) if h is not None]
        assert all(unit.is_heading for unit in levels)
        assert [unit.start for unit in levels] == sorted(unit.start for unit in levels)
        assert (group.level2 is None) == (group.parent is None)
        assert group.level1 is not None or group.parent is None or title


garbage = st.recursive(
    st.one_of(st.none(), st.integers(), st.text(max_size=5), st.sampled_from(["u1", "x"])),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=3), inner, max_size=2)),
    max_leaves=8,
)


@settings(max_examples=120, deadline=None)
@given(documents, st.data())
def test_repair_makes_any_arrays_a_valid_plan(text: str, data: st.DataObject) -> None:
    tree = build_tree(document(text), SMALL)
    ids = st.sampled_from([unit.id for unit in tree.units] or ["none"])
    plan = data.draw(st.lists(st.one_of(st.lists(st.one_of(ids, garbage), max_size=9), garbage), max_size=9))
    groups, _ = repair(tree, plan)
    assert validate(tree, groups) == ()
    assert repair(tree, groups) == (groups, ())


@settings(max_examples=80, deadline=None)
@given(documents)
def test_repair_leaves_valid_plans_alone_in_both_notations(text: str) -> None:
    tree = build_tree(document(text), SMALL)
    groups = RulePlanner(SMALL).plan(tree).groups
    assert repair(tree, groups) == (groups, ())
    arrays = [group.as_array() for group in groups]
    if content_of(tree):
        assert repair(tree, arrays) == (groups, ())


@settings(max_examples=80, deadline=None)
@given(documents, st.randoms(use_true_random=False))
def test_repair_restores_order_and_drops_no_cut_that_can_be_kept(text: str, random: object) -> None:
    tree = build_tree(document(text), SMALL)
    groups = RulePlanner(SMALL).plan(tree).groups
    arrays = [group.as_array() for group in groups]
    random.shuffle(arrays)  # type: ignore[attr-defined]
    for array in arrays:
        array.reverse()
    if content_of(tree):
        assert repair(tree, [*arrays, *arrays])[0] == groups


@settings(max_examples=60, deadline=None)
@given(documents)
def test_same_text_same_units_plan_and_chunks(text: str) -> None:
    first, second = build_tree(document(text), SMALL), build_tree(document(text), SMALL)
    assert first == second
    assert chunks_of(first) == chunks_of(second)


@settings(max_examples=60, deadline=None)
@given(documents, st.sampled_from(["A new paragraph that nobody wrote before.\n\n", "# New title of all\n\n"]))
def test_text_above_leaves_units_their_ids(text: str, above: str) -> None:
    ids = [unit.id for unit in build_tree(document(text), SMALL).units]
    assert [unit.id for unit in build_tree(document(above + text), SMALL).units][1:] == ids


_PROGRAM = """
import sys
from chunking import RulePlanner, assemble, build_tree
from wrac.records import MarkdownDocument
tree = build_tree(MarkdownDocument(sys.stdin.read(), "T", "markdown", "markdown/1", ""))
print(ascii([(c.unit_ids, c.embed_text, c.digest) for c in assemble(tree, RulePlanner().plan(tree))]))
"""


def test_processes_with_other_hash_seeds_agree() -> None:
    text = "\n\n".join(f for f in FRAGMENTS if "\ud800" not in f and "\x00" not in f)
    outputs = {
        hashlib.sha256(
            subprocess.run(
                [sys.executable, "-c", _PROGRAM],
                input=text.encode(),
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"},
                check=True,
            ).stdout
        ).hexdigest()
        for seed in ("0", "1", "4242")
    }
    assert len(outputs) == 1
