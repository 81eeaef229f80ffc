"""Questions with known answers, measured on hits worked out by hand."""

from __future__ import annotations

import math

import pytest

from evaluation.questions.answers import Answer, Evaluation, Verdict
from evaluation.questions.asking import _turned_away
from evaluation.questions.judged import JudgedHits, measures_for
from ingest.questions import Question, Targets
from wrac.records import Hit

ALONE = Targets(None, None, [])
WORDS = "lamp " * 300
"""300 wordpieces: ``lamp`` is one."""


def hit(path, text="nothing of note"):
    return Hit(path, 1.0, text, "", f"https://docs.test/{path}", "", "docs", {"digest": path + text})


def judged(question, hits, k=5):
    return JudgedHits(question, ALONE.of(question), hits, k)


def values(question, hits, k=5):
    ranking = judged(question, hits, k).ranking()
    return {name: measure(ranking) for name, measure in measures_for(k).items()}


def test_one_page_at_the_second_place():
    found = values(Question("?", urls=("/b",)), [hit("a"), hit("b"), hit("b#x"), hit("c")])
    assert found == {
        "hit@1": 0.0,
        "hit@3": 1.0,
        "hit@5": 1.0,
        "MRR": 0.5,
        "R@5": 1.0,
        "nDCG@5": pytest.approx(1 / math.log2(3)),  # a second chunk of the page is no second answer
    }


def test_of_three_pages_two_are_found():
    question = Question("?", urls=("/a", "/d", "/e"))
    found = values(question, [hit("d"), hit("x"), hit("a"), hit("y"), hit("z")])
    ideal = 1 + 1 / math.log2(3) + 1 / 2
    assert found["R@5"] == pytest.approx(2 / 3)
    assert found["MRR"] == found["hit@1"] == 1.0
    assert found["nDCG@5"] == pytest.approx((1 + 1 / 2) / ideal)


def test_nothing_is_found_among_too_few_hits():
    assert set(values(Question("?", urls=("/b",)), [hit("a")]).values()) == {0.0}
    assert set(values(Question("?", urls=("/b",)), []).values()) == {0.0}
    assert judged(Question("?", urls=("/b",)), []).recall_in_budget() == 0.0


def test_small_k_has_no_measure_beyond_it():
    assert list(measures_for(1)) == ["hit@1", "MRR", "R@1", "nDCG@1"]
    assert list(measures_for(3)) == ["hit@1", "hit@3", "MRR", "R@3", "nDCG@3"]


@pytest.mark.parametrize(
    ("before", "is_inside"),
    [
        (0, True),
        (3, True),  # 900 wordpieces before it
        (4, False),
    ],
)
def test_a_page_counts_in_the_budget_where_it_begins_inside(before, is_inside):
    hits = [hit(f"x{number}", WORDS) for number in range(before)] + [hit("b", WORDS)]
    assert judged(Question("?", urls=("/b",)), hits).recall_in_budget() == float(is_inside)


@pytest.mark.parametrize(("before", "is_inside"), [(99, True), (101, False)])
def test_a_quote_counts_in_the_budget_where_it_ends_inside(before, is_inside):
    """900 wordpieces are full: of the fourth hit, the first 100 are left, and the quote is one."""
    hits = [hit(f"x{number}", WORDS) for number in range(3)] + [hit("b", "lamp " * before + "harbour " + WORDS)]
    question = Question("?", quotes=("harbour",))
    assert judged(question, hits).first == (3,)
    assert judged(question, hits).recall_in_budget() == float(is_inside)


def answered(nearness, verdict=Verdict.FOUND, nothing=False):
    return Answer(Question("?", nothing=nothing), "", (), verdict=verdict, nearness=nearness)


def test_what_has_no_answer_is_told_from_nine_of_ten_that_have_one():
    """Nearness of ten answered questions from .30 on: the limit is the second of them, which nine reach."""
    known = [answered(0.30 + 0.05 * number) for number in range(10)]
    asked = [*known, answered(0.34, Verdict.UNJUDGED, nothing=True), answered(0.36, Verdict.UNJUDGED, nothing=True)]
    away, let_in = _turned_away(asked)[-2:]
    assert (away.verdict, away.values, away.limit) == (Verdict.TURNED_AWAY, {"turned away": 1.0}, pytest.approx(0.35))
    assert (let_in.verdict, let_in.values) == (Verdict.LET_IN, {"turned away": 0.0})


def test_what_has_no_answer_is_not_judged_by_questions_that_were_missed():
    [_, unjudged] = _turned_away([answered(0.9, Verdict.MISSED), answered(0.2, Verdict.UNJUDGED, nothing=True)])
    assert (unjudged.verdict, unjudged.values) == (Verdict.UNJUDGED, {})


def test_means_are_over_the_questions_that_have_the_measure():
    asked = [
        Answer(Question("a", tags=("x",)), "", (), values={"hit@5": 1.0}),
        Answer(Question("b", tags=("x", "y")), "", (), values={"hit@5": 0.0}),
        Answer(Question("c", tags=("y",), nothing=True), "", (), values={"turned away": 1.0}),
    ]
    found = Evaluation(tuple(asked), ("hit@5", "turned away"), 5, "docs")
    assert (found.mean("hit@5"), found.mean("hit@5", "y"), found.mean("turned away", "y")) == (0.5, 0.0, 1.0)
    assert math.isnan(found.mean("turned away", "x"))
    assert found.tags == ["x", "y"]
