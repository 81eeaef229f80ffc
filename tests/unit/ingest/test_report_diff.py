"""The comparison of two texts: applying it gives the other one; how it reads is in ``tests/golden/report``."""

from __future__ import annotations

import itertools
import re
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ingest.report.diff import compare, excerpt
from ingest.report.records import Mark

GOLDEN = Path(__file__).parents[2] / "golden" / "report" / "diffs.md"
CASE = re.compile(
    r"^## ([^\n]+)\n~~~ before\n(.*?)~~~\n~~~ after\n(.*?)~~~\n~~~ shown\n(.*?)~~~$", re.MULTILINE | re.DOTALL
)
WORDS = st.sampled_from(
    ["lamp", "quay", "the", "a", ",", ".", " ", "  ", "\n", "\n\n", "| x |", "\r", "\x85", "\u2028", "é"]
)
TEXTS = st.one_of(st.lists(WORDS, max_size=60).map("".join), st.text(max_size=80))


@given(TEXTS, TEXTS)
@example("", "")
@example("a\n", "a")
@example("a\nb\na\nb\n", "b\na\nb\na\n")
def test_applying_it_gives_the_other_text(before, after):
    pieces = compare(before, after)
    assert "".join(p.text for p in pieces if p.mark is not Mark.ADDED) == before
    assert "".join(p.text for p in pieces if p.mark is not Mark.REMOVED) == after
    assert all(p.text for p in pieces)
    assert all(one.mark is not other.mark for one, other in itertools.pairwise(pieces))


@given(TEXTS)
def test_a_text_equals_itself(text):
    assert all(piece.mark is Mark.SAME for piece in compare(text, text))
    assert excerpt(compare(text, text), 1000).hunks == ()


@given(TEXTS, TEXTS, st.integers(0, 200))
def test_an_excerpt_is_bounded_and_counts_what_it_leaves_out(before, after, characters):
    whole, part = excerpt(compare(before, after), 100_000), excerpt(compare(before, after), characters)
    assert sum(len(p.text) for hunk in part.hunks for line in hunk.lines for p in line.pieces) <= characters
    assert whole.left_out == 0
    assert changed_lines(part) + part.left_out == changed_lines(whole)
    assert (part.words_added, part.words_removed) == (whole.words_added, whole.words_removed)


def changed_lines(diff):
    return sum(any(p.mark is not Mark.SAME for p in line.pieces) for hunk in diff.hunks for line in hunk.lines)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("same\n" * 20_000, "same\n" * 19_000 + "other\n" * 1_000),
        ("".join(f"{n % 7}\n" for n in range(20_000)), "".join(f"{n % 5}\n" for n in range(20_000))),
        ("a b " * 30_000, "b a a " * 20_000),
        ("\n".join(f"{'x y ' * 12}{n % 3}" for n in range(4_000)), "\n".join(["y x " * 12] * 4_000)),
    ],
    ids=["repeated lines", "interleaved lines", "one long line", "alike lines"],
)
def test_hostile_texts_take_no_long_time(before, after):
    since = time.process_time()
    pieces = compare(before, after)
    assert time.process_time() - since < 3
    assert "".join(p.text for p in pieces if p.mark is not Mark.ADDED) == before


def test_a_very_long_line_is_shortened_around_its_change():
    before = "word " * 5_000 + "old" + " tail" * 5_000
    diff = excerpt(compare(before, before.replace("old", "new")), 6_000)
    (line,) = diff.hunks[0].lines
    assert [piece.text.strip() for piece in line.pieces if piece.mark is not Mark.SAME] == ["old", "new"]
    assert all(len(piece.text) < 700 for piece in line.pieces)


CASES = CASE.findall(GOLDEN.read_text("utf-8"))


@pytest.mark.parametrize(("before", "after", "shown"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_golden(before, after, shown):
    assert "".join(lines_of(excerpt(compare(before, after), 2_000))) == shown


def lines_of(diff):
    """Each line as it reads: {-removed-}, {+added+}, and how many equal lines are passed over."""
    for hunk in diff.hunks:
        if hunk.skipped:
            yield f"({hunk.skipped} equal)\n"
        for line in hunk.lines:
            yield "".join(_marked(piece) for piece in line.pieces) + "\n"
    if diff.left_out:
        yield f"({diff.left_out} not shown)\n"


def _marked(piece):
    signs = {Mark.SAME: ("", ""), Mark.REMOVED: ("{-", "-}"), Mark.ADDED: ("{+", "+}")}
    return signs[piece.mark][0] + piece.text + signs[piece.mark][1]
