"""Words as the judge compares them."""

from __future__ import annotations

import pytest

from evaluation.words import content_stems, stem, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("**Fee:** ₹1,00,000", ["fee", "100000"]),
        ("see [the ‘site’](http://a.b/c_(d))", ["see", "the", "site"]),
        ("24×7 &amp; A/B, 3.5 or 08:15", ["24x7", "a", "b", "3.5", "or", "08:15"]),
        ("<li>Fee</li>", ["fee"]),
        ("don't — don’t", ["dont", "dont"]),
        ("e.g. v1.2.3", ["e", "g", "v1.2.3"]),
        (r"a\*b", ["a", "b"]),
        ("", []),
    ],
)
def test_words_are_free_of_marks(text, words):
    assert words_of(text) == words


@pytest.mark.parametrize(
    ("word", "stemmed"),
    [
        ("loans", "loan"),
        ("cats", "cat"),
        ("pass", "pass"),
        ("policies", "policy"),
        ("processing", "process"),
        ("payment", "payment"),  # too little would be left
        ("statements", "state"),
        ("gas", "gas"),
        ("b2bs", "b2b"),
        ("ev-2024s", "ev-2024s"),
    ],
)
def test_endings_are_cut_where_enough_is_left(word, stemmed):
    assert stem(word) == stemmed


def test_content_leaves_out_what_says_nothing():
    assert content_stems(words_of("The fees of a loan are 5 crowns")) == ["fee", "loan", "5", "crown"]
