from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from chunking import RulePlanner, WindowLimits, assemble, build_tree, validate
from chunking.imperatives import is_imperative, step_number
from chunking.sentences import cut_at_sentences
from wrac.records import MarkdownDocument, UnitKind, UnitTree
from wrac.tokens import count_each, count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

LIMITS = WindowLimits(target=20, minimum=5, maximum=40)


def tree_of(text: str, limits: WindowLimits | None = None) -> UnitTree:
    return build_tree(MarkdownDocument(text, "", "markdown", "markdown/1", ""), limits)


def units(text: str, limits: WindowLimits | None = None) -> list[tuple[str, str]]:
    tree = tree_of(text, limits)
    return [(unit.kind.value, tree.text_of(unit)) for unit in tree.units]


@pytest.mark.parametrize("mark", ["\x0c", "\u2028", "\u2029", "\x85", "\x0b", "\x1c"])
def test_only_line_feeds_and_carriage_returns_break_lines(mark: str) -> None:
    text = f"para one{mark}# no heading\n\n# Heading\n"
    assert units(text) == [("paragraph", f"para one{mark}# no heading"), ("heading", "# Heading")]


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_every_line_break_of_commonmark_keeps_offsets(line_break: str) -> None:
    text = line_break.join(["# A", "", "- x", "- y", "", "```", "c", "```", "end", ""])
    assert units(text) == [
        ("heading", "# A"),
        ("list", f"- x{line_break}- y"),
        ("code", line_break.join(["```", "c", "```"])),
        ("paragraph", "end"),
    ]


def test_units_know_level_and_the_heading_above() -> None:
    tree = tree_of("intro\n\n# A\n\na\n\n### B\n\nb\n\n## C\n\nc\n")
    at = {unit.id: tree.text_of(unit) for unit in tree.units}
    assert [(unit.level, at.get(unit.parent or "")) for unit in tree.units] == [
        (0, None),
        (1, None),
        (0, "# A"),
        (3, "# A"),
        (0, "### B"),
        (2, "# A"),
        (0, "## C"),
    ]


def test_same_text_has_ids_by_occurrence_and_white_space_does_not_count() -> None:
    first, second = tree_of("a b\n\na b\n").units
    assert first.id != second.id
    assert [unit.id for unit in tree_of("a\nb\n\n\n\na   b\n").units] == [first.id, second.id]


def test_kind_is_part_of_the_id() -> None:
    (quote,), (text,) = tree_of("> a").units, tree_of("\\> a").units
    assert quote.id != text.id


def test_a_list_above_the_window_is_divided_into_items() -> None:
    text = "\n".join(f"- item number {n} with a few words" for n in range(9))
    assert units(text, LIMITS) == [("item", line) for line in text.split("\n")]


def test_an_item_above_the_window_is_divided_into_its_blocks() -> None:
    text = "- short\n- opening\n\n  " + "word " * 30 + "\n\n  ```\n  " + "code " * 60 + "\n  ```\n- end"
    assert [(kind, piece[:9]) for kind, piece in units(text, LIMITS)] == [
        ("item", "- short"),
        ("paragraph", "- opening"),
        ("paragraph", "  word wo"),
        ("code", "  ```\n  c"),
        ("item", "- end"),
    ]


def test_a_quote_above_the_window_is_divided_into_its_blocks() -> None:
    text = "> " + "one " * 30 + "\n>\n> " + "two " * 30
    assert [piece[:5] for _, piece in units(text, LIMITS)] == ["> one", "> two"]


def test_definitions_above_the_window_are_divided_into_terms() -> None:
    text = "\n\n".join(f"Term {n}\n: a definition of term {n} in words" for n in range(6))
    assert units(text, LIMITS) == [("item", part) for part in text.split("\n\n")]


def test_atoms_are_never_divided() -> None:
    table = "| a | b |\n|---|---|\n" + "| some | words |\n" * 30
    code = "```\n" + "line of code\n" * 30 + "```"
    assert units(f"{table}\n{code}", LIMITS) == [("table", table.rstrip()), ("code", code)]


def test_a_figure_is_a_paragraph_of_images_only() -> None:
    text = "![a](b.png)\n\n[![c](d.png)](e)\n![f](g_(h).png)\n\n![a](b.png) and text\n"
    assert [kind for kind, _ in units(text)] == ["figure", "figure", "paragraph"]


@pytest.mark.parametrize(
    "deep",
    [
        ">" * 5000 + " x",
        "- " * 5000 + "x",
        "> - " * 2500 + "x",
        "\n".join("  " * depth + "- a" for depth in range(400)),
        "\n".join(">" * depth + " a" for depth in range(1, 400)),
        "[" * 20000,
        "*a **b " * 5000,
    ],
    ids=["quotes", "lists", "both", "stairs of lists", "stairs of quotes", "brackets", "emphasis"],
)
def test_deep_nesting_ends_where_text_stands_at_the_margin(deep: str) -> None:
    text = f"{deep}\n\n# After\n\ntext"
    start = time.process_time()
    tree = tree_of(text)
    assert time.process_time() - start < 20
    assert [(u.kind.value, tree.text_of(u)) for u in tree.units[-2:]] == [("heading", "# After"), ("paragraph", "text")]


@pytest.mark.parametrize(
    "text",
    [
        "This is a sentence of some words. " * 30000,
        "a" * 1_000_000,
        "word\n" * 100_000,
        "para\n\n" * 5000,
        "\n\n".join(f"{'#' * (1 + n % 6)} H {n}\n\nText." for n in range(5000)),
        "\n".join(f"[a{n}]: http://x/{n}" for n in range(5000)),
        "| a | b |\n|---|---|\n" + "| 1 |\n" * 70_000,
        "```\n" * 5001,
    ],
    ids=["sentences", "one word", "lines", "paragraphs", "headings", "definitions", "ragged table", "fences"],
)
def test_large_documents_take_time_in_proportion(text: str) -> None:
    start = time.process_time()
    tree = tree_of(text)
    plan = RulePlanner().plan(tree)
    chunks = assemble(tree, plan)
    assert time.process_time() - start < 30
    assert validate(tree, plan.groups) == ()
    atoms = {UnitKind.TABLE, UnitKind.CODE}
    assert all(chunk.tokens <= 420 or chunk.kind in atoms for chunk in chunks)


def test_sentences_join_up_to_the_target_and_abbreviations_do_not_end_them() -> None:
    text = "One e.g. two three four five. Six seven eight nine ten! Why not? 你好。再见。"
    spans = cut_at_sentences(text, 0, len(text), WindowLimits(target=10, minimum=1, maximum=12))
    assert [text[a:b] for a, b in spans] == [
        "One e.g. two three four five.",
        "Six seven eight nine ten! Why not?",
        "你好。再见。",
    ]


@pytest.mark.parametrize("text", ["word " * 200, "x" * 500, "🜁" * 200, "a\n" * 200])
def test_text_without_sentences_is_cut_below_the_maximum(text: str) -> None:
    spans = cut_at_sentences(text, 0, len(text), LIMITS)
    assert all(count_tokens(text[a:b]) <= LIMITS.maximum for a, b in spans)
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())


@pytest.mark.parametrize(
    "line",
    [
        "Open the lid.",
        "**Click** _Save_.",
        "On the **Settings** page, select *Users*.",
        "Login: enter your name",
        "Then press OK",
        "Klicken Sie auf OK",
        "Cliquez sur OK",
        "Abra el archivo",
        "Нажмите кнопку",
        "点击保存",
        "ボタンを押してください",
    ],
)
def test_instructions(line: str) -> None:
    assert is_imperative(line)


@pytest.mark.parametrize(
    "line", ["Best Bank Award", "Via App", "Use cases of the tool", "Open source licences", "The lid opens", "2019", ""]
)
def test_no_instructions(line: str) -> None:
    assert not is_imperative(line)


@pytest.mark.parametrize(
    ("line", "number"),
    [("Step 3: x", 3), ("## **STEP 12** x", 12), ("Schritt 1", 1), ("第2步", 2), ("步骤 4", 4), ("Stepping 3", None)],
)
def test_step_numbers(line: str, number: int | None) -> None:
    assert step_number(line) == number


def test_long_running_text_is_counted_once_to_be_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not again at every kind of cut that it does not have, nor to join the pieces."""
    counted = 0

    def counting(texts: Iterable[str]) -> list[int]:
        nonlocal counted
        kept = list(texts)
        counted += sum(map(len, kept))
        return count_each(kept)

    monkeypatch.setattr("chunking.sentences.count_each", counting)
    text = " ".join(f"[link {n}](https://docs.example.org/{n})" for n in range(500))
    spans = cut_at_sentences(text, 0, len(text), LIMITS)
    assert "".join(text[first:last] for first, last in spans).replace(" ", "") == text.replace(" ", "")
    assert counted <= len(text)


@pytest.mark.parametrize("between", ["\n", "\n\nWords between.\n\n"])
def test_a_long_numbered_list_is_judged_once_and_not_from_each_of_its_items(
    between: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = 0

    def count(text: str) -> bool:
        nonlocal judged
        judged += 1
        return is_imperative(text)

    monkeypatch.setattr("chunking.procedures.is_imperative", count)
    tree = tree_of(between.join(f"{number}. The lamp of berth {number}" for number in range(1, 301)) + "\n")
    assert len(tree.units) >= 300
    assert tree.fusions == ()
    assert judged <= 3 * 300


def test_a_list_is_a_procedure_from_the_first_part_that_makes_it_one() -> None:
    parts = ["1. The lamp", "2. The rope", "3. The hull", "4. Open the gate", "5. Close the lock", "6. Pull the chain"]
    tree = tree_of("\n\nWords between.\n\n".join(parts) + "\n")
    (fusion,) = tree.fusions
    fused = [tree.text_of(unit).strip() for unit in tree.units if unit.id in fusion.unit_ids]
    assert fused[0] == "2. The rope", "three of the five from here on are commands, three of all six are not enough"
    assert fused[-1] == "6. Pull the chain"
