"""The Markdown behind a part of an embed_text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexing.excerpts import excerpt

TABLE = """## Codes

| code | meaning |
| --- | --- |
| E1 | no paper |
| E2 | door open |
| E3 | **call** us |

Ring the bell."""


def test_marks_are_kept() -> None:
    text = "# Guide\n\nFetch the **archive**.\n\nRun `setup.sh` [as root](root.html).\n\nRestart."
    assert excerpt(text, "Run setup.sh as root.") == "Run `setup.sh` [as root](root.html)."


def test_rows_come_with_the_head_of_their_table() -> None:
    part = "code: E3; meaning: call us\nRing the bell."
    assert excerpt(TABLE, part) == ("| code | meaning |\n| --- | --- |\n| E3 | **call** us |\n\nRing the bell.")


def test_code_comes_with_its_fences() -> None:
    text = "Before.\n\n```sh\nfetch archive\nunpack archive\nremove archive\n```\n\nAfter."
    assert excerpt(text, "unpack archive") == "```sh\nunpack archive\n```"
    assert excerpt(text, "remove archive After.") == "```sh\nremove archive\n```\n\nAfter."
    assert excerpt(text, "Before. fetch archive") == "Before.\n\n```sh\nfetch archive\n```"


def test_a_part_that_is_not_there_gives_the_whole_text() -> None:
    assert excerpt(TABLE, "") == TABLE


@given(
    st.lists(st.sampled_from(["a b", "c", "| d | e |", "```", "", "# f", "g h i"]), max_size=12), st.text("abcdefghi ")
)
def test_every_line_is_a_line_of_the_text(lines: list[str], part: str) -> None:
    assert set(excerpt("\n".join(lines), part).split("\n")) <= {*lines, ""}
