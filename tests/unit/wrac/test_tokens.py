"""Token counts are o200k, offline."""

from wrac.tokens import count_tokens


def test_counts_known_from_the_published_encoding():
    # o200k_base: "hello world" is [24912, 2375]; "antidisestablishmentarianism" is six tokens.
    assert count_tokens("") == 0
    assert count_tokens("hello world") == 2
    assert count_tokens("antidisestablishmentarianism") == 6


def test_special_tokens_in_a_page_are_text():
    assert count_tokens("<|endoftext|>") > 1


def test_lone_surrogates_do_not_break_a_page():
    assert count_tokens("a \ud800 b") > 0
