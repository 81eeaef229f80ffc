"""Fused scores, worked out by hand."""

from __future__ import annotations

import pytest

from indexing.fusion import agreed_first, fuse, lift_by_page, scale


def test_both_sides_are_scaled_and_weighed() -> None:
    fused = fuse(scale({"a": 0.9, "b": 0.5, "c": 0.1}, {"b": 8.0, "c": 4.0}), 0.5)
    # dense: a 1, b .5, c 0; sparse: a 0, b 1, c .5, sharpened to .5 ** 1.5 = .35355
    assert fused == pytest.approx({"b": 0.75, "a": 0.5, "c": 0.176777}, abs=1e-6)
    assert list(fused) == ["b", "a", "c"]


def test_the_weight_decides_between_the_sides() -> None:
    dense, sparse = {"a": 0.9, "b": 0.1}, {"b": 3.0}
    assert list(fuse(scale(dense, sparse), 0.8)) == ["a", "b"]
    assert list(fuse(scale(dense, sparse), 0.2)) == ["b", "a"]


def test_no_words_leave_the_dense_order() -> None:
    assert list(fuse(scale({"a": 0.2, "b": 0.3}, {}), 0.5)) == ["b", "a"]


def test_equal_scores_come_in_the_order_of_their_ids() -> None:
    assert list(fuse(scale({"b": 0.5, "a": 0.5}, {}), 0.5)) == ["a", "b"]


def test_of_equal_scores_the_one_with_the_words_comes_first() -> None:
    # "z" holds the words and is farthest in meaning, "a" the other way round: both come to 0.5.
    assert list(fuse(scale({"a": 0.9, "z": 0.1}, {"z": 3.0}), 0.5)) == ["z", "a"]


def test_nothing_found_is_nothing() -> None:
    assert fuse(scale({}, {}), 0.5) == {}


def test_texts_are_drawn_towards_the_best_of_their_page() -> None:
    pages = {"a": "one", "b": "two", "c": "one", "d": "two"}
    lifted = lift_by_page({"a": 0.8, "b": 0.6, "c": 0.4, "d": 0.38}, pages, 0.25)
    # By hand: c is .4 and a quarter of .8, over 1.25; d is .38 and a quarter of .6, over 1.25.
    assert lifted == pytest.approx({"a": 0.8, "b": 0.6, "c": 0.48, "d": 0.424})


def test_a_better_page_decides_between_texts_that_answer_alike() -> None:
    pages = {"best": "one", "worse": "one", "other": "two"}
    assert list(lift_by_page({"best": 0.9, "other": 0.5, "worse": 0.45}, pages, 0.25)) == ["best", "worse", "other"]
    assert list(lift_by_page({"best": 0.9, "other": 0.5, "worse": 0.45}, pages, 0.0)) == ["best", "other", "worse"]


def test_texts_of_one_page_keep_their_order_and_a_text_without_page_keeps_its_score() -> None:
    lifted = lift_by_page({"a": 0.5, "z": 0.5, "lone": 0.3}, {"a": "one", "z": "one"}, 0.25)
    assert list(lifted.items()) == [("a", 0.5), ("z", 0.5), ("lone", 0.3)]


def test_the_first_comes_from_what_both_sides_agree_on() -> None:
    dense, sparse = {"near": 0.9, "both": 0.7, "far": 0.1}, {"words": 8.0, "both": 6.0}
    # By hand: near is 1 and 0, both .75 and .75, words 0 and 1, far 0 and 0: only one product is not 0.
    scores = {"near": 0.7, "words": 0.6, "both": 0.5, "far": 0.1}
    first = agreed_first(scores, scale(dense, sparse), 0.5)
    assert list(first.items()) == [("both", 0.7), ("near", 0.6), ("words", 0.5), ("far", 0.1)]


def test_agreement_is_weighed_as_the_sides_are() -> None:
    # By hand: a is 1 and .25, b .25 and 1; at .8 a comes to 1 * .25 ** .2 = .76, b to .25 ** .8 = .33.
    dense, sparse = {"a": 0.9, "b": 0.3, "c": 0.1}, {"a": 2.0, "b": 8.0}
    scores = {"a": 0.6, "b": 0.5, "c": 0.1}
    assert list(agreed_first(scores, scale(dense, sparse), 0.8)) == ["a", "b", "c"]
    assert list(agreed_first(scores, scale(dense, sparse), 0.2)) == ["b", "a", "c"]


def test_places_behind_the_first_five_stay() -> None:
    names = ["a", "b", "c", "d", "e", "f", "g"]
    dense = {name: 0.1 * place for place, name in enumerate(names, 1)}  # the last one is the nearest
    sparse = dict.fromkeys(names, 1.0)
    scores = {name: 1 - 0.1 * place for place, name in enumerate(names)}
    assert list(agreed_first(scores, scale(dense, sparse), 0.5)) == ["e", "d", "c", "b", "a", "f", "g"]


def test_where_one_side_says_nothing_the_order_stays() -> None:
    scores = {"b": 0.9, "a": 0.8}
    assert agreed_first(scores, scale({"a": 0.5, "b": 0.4}, {}), 0.5) == scores
    assert list(agreed_first(scores, scale({"a": 0.5, "b": 0.4}, {}), 0.5)) == ["b", "a"]
