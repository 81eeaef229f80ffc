"""Windows tile the text, keep to the limit, and end where a reader would end them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.windows import cut_windows, embed_long_query, lead_of, mean_direction, window_texts


class Words:
    """One token per word; knows nothing of vectors but their shape."""

    name, dimension, max_tokens, languages = "words", 2, 1_000, None

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in re.finditer(r"\S+", text)]

    def embed(self, texts: list[str]) -> np.ndarray:
        return np.asarray([[1.0, 0.0]] * len(texts), dtype=np.float32)

    def embed_query(self, text: str) -> np.ndarray:
        return self.embed([text])[0]


class Characters(Words):
    """One token per character, spaces included."""

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return [(place, place + 1) for place in range(len(text))]


def cut(text: str, limit: int) -> list[str]:
    return [text[start:end] for start, end in cut_windows(text, Words(), limit)]


def test_a_short_text_is_one_window() -> None:
    assert cut_windows("Guide\none two three", Words(), 4) == ((0, 19),)


def test_an_empty_text_is_one_window() -> None:
    assert cut_windows("", Words(), 4) == ((0, 0),)


def test_steps_stay_whole() -> None:
    steps = [f"{n}. Turn knob {n} to the left." for n in range(1, 7)]
    # 7 words a step, 42 and the breadcrumb; 20 hold the breadcrumb and two steps.
    windows = cut("Guide\n" + "\n".join(steps), 20)
    assert [window.strip().split("\n") for window in windows] == [["Guide", *steps[:2]], steps[2:4], steps[4:]]


def test_paragraphs_are_preferred_to_lines() -> None:
    text = "a b c d\ne f\n\ng h\ni j k l"
    assert cut(text, 10) == ["a b c d\ne f\n\n", "g h\ni j k l"]


def test_a_long_line_is_cut_at_sentence_ends() -> None:
    assert cut("One two three four. Five six seven. Eight nine ten eleven.", 8) == [
        "One two three four. Five six seven. ",
        "Eight nine ten eleven.",
    ]


def test_a_long_sentence_is_cut_between_words() -> None:
    windows = cut(" ".join(f"w{n}" for n in range(30)), 10)
    assert [len(window.split()) for window in windows] == [10, 10, 10]


def test_a_text_without_spaces_is_cut_between_tokens() -> None:
    assert [end - start for start, end in cut_windows("x" * 25, Characters(), 10)] == [9, 8, 8]


def test_windows_are_even_rather_than_full() -> None:
    # 24 words at 20 are two windows of 12, not 20 and 4.
    windows = cut("\n".join(f"line {n} of text" for n in range(6)), 20)
    assert [len(window.split()) for window in windows] == [12, 12]


def test_the_limit_is_capped_by_what_the_model_reads() -> None:
    small = Words()
    small.max_tokens = 18
    text = "w " * 50
    # 18 less the 8 kept free for the seam.
    assert [len(text[start:end].split()) for start, end in cut_windows(text, small, 500)] == [10] * 5


def test_further_windows_stand_below_the_breadcrumb() -> None:
    text = "Guide > Setup\n" + "\n".join(f"word {n} of line" for n in range(8))
    lead = lead_of(text, Words(), 15)
    first, *others = window_texts(text, cut_windows(text, Words(), 15), lead)
    assert lead == "Guide > Setup"
    assert first.startswith("Guide > Setup\nword 0")
    assert others
    assert all(other.startswith("Guide > Setup\nword ") for other in others)


def test_a_long_first_line_is_no_breadcrumb() -> None:
    assert lead_of("one two three four five\nsix", Words(), 14) == ""
    assert lead_of("a single line", Words(), 100) == ""


@given(
    st.text(alphabet=st.sampled_from(list("abc. \n\t。é漢")), max_size=300),
    st.integers(min_value=9, max_value=40),
    st.sampled_from([Words(), Characters()]),
)
def test_windows_tile_any_text_and_keep_to_the_limit(text: str, limit: int, embedder: Words) -> None:
    spans = cut_windows(text, embedder, limit)
    assert "".join(text[start:end] for start, end in spans) == text
    lead = lead_of(text, embedder, limit)
    for piece in window_texts(text, spans, lead):
        # A line break and the trimming of white space cost at most one token at the seam.
        assert len(embedder.token_spans(piece)) <= limit + 1


def test_the_mean_of_windows_is_a_direction() -> None:
    mean = mean_direction(np.asarray([[1.0, 0.0], [0.0, 1.0]], dtype=np.float32))
    assert mean == pytest.approx([0.5**0.5, 0.5**0.5])
    assert mean_direction(np.asarray([[1.0, 0.0], [-1.0, 0.0]], dtype=np.float32)) == pytest.approx([1, 0])


def test_a_long_query_is_embedded_in_parts() -> None:
    seen: list[str] = []

    def one(text: str) -> np.ndarray:
        seen.append(text)
        return np.asarray([1.0, 0.0] if len(seen) % 2 else [0.0, 1.0], dtype=np.float32)

    small = Words()
    small.max_tokens = 20
    assert embed_long_query("w " * 24, small, one) == pytest.approx([0.5**0.5, 0.5**0.5])
    assert [len(text.split()) for text in seen] == [12, 12]
