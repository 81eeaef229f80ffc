"""Fused scores, worked out by hand."""

from __future__ import annotations

import pytest

from indexing.fusion import fuse


def test_both_sides_are_scaled_and_weighed() -> None:
    fused = fuse({"a": 0.9, "b": 0.5, "c": 0.1}, {"b": 8.0, "c": 4.0}, 0.5)
    # dense: a 1, b .5, c 0; sparse: a 0, b 1, c .5, sharpened to .5 ** 1.5 = .35355
    assert fused == pytest.approx({"b": 0.75, "a": 0.5, "c": 0.176777}, abs=1e-6)
    assert list(fused) == ["b", "a", "c"]


def test_the_weight_decides_between_the_sides() -> None:
    dense, sparse = {"a": 0.9, "b": 0.1}, {"b": 3.0}
    assert list(fuse(dense, sparse, 0.8)) == ["a", "b"]
    assert list(fuse(dense, sparse, 0.2)) == ["b", "a"]


def test_no_words_leave_the_dense_order() -> None:
    assert list(fuse({"a": 0.2, "b": 0.3}, {}, 0.5)) == ["b", "a"]


def test_equal_scores_come_in_the_order_of_their_ids() -> None:
    assert list(fuse({"b": 0.5, "a": 0.5}, {}, 0.5)) == ["a", "b"]


def test_of_equal_scores_the_one_with_the_words_comes_first() -> None:
    # "z" holds the words and is farthest in meaning, "a" the other way round: both come to 0.5.
    assert list(fuse({"a": 0.9, "z": 0.1}, {"z": 3.0}, 0.5)) == ["z", "a"]


def test_nothing_found_is_nothing() -> None:
    assert fuse({}, {}, 0.5) == {}
