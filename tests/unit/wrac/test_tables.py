from __future__ import annotations

import pytest

from wrac.tables import Table, parse_table, row_sentences


def test_rows_have_as_many_cells_as_the_header() -> None:
    table = parse_table("| a | b |\n|---|:-:|\n| 1 |\n| 1 | 2 | 3 |")
    assert table == Table(("a", "b"), (("1", ""), ("1", "2")))


@pytest.mark.parametrize(
    "text", ["a | b\n--- | ---\n1 | 2", "| a | b |\n| --- | --- |\n| 1 | 2 |\n", " |a|b|\r\n |-|-|\r\n |1|2|"]
)
def test_outer_pipes_and_line_breaks_may_vary(text: str) -> None:
    assert parse_table(text) == Table(("a", "b"), (("1", "2"),))


def test_an_escaped_pipe_is_part_of_its_cell() -> None:
    assert parse_table("| a \\| b | c |\n|---|---|\n| `x \\| y` | z \\||") == Table(
        ("a | b", "c"), (("`x | y`", "z |"),)
    )


@pytest.mark.parametrize("text", ["", "| a |", "| a |\n| b |", "text\nmore"])
def test_no_delimiter_row_no_table(text: str) -> None:
    assert parse_table(text) is None


def test_sentences_name_values_by_column_and_leave_out_what_is_empty() -> None:
    table = Table(("Model", "", "Price"), (("Edge", "new", "12"), ("", "", ""), ("Prime", "", "")))
    assert row_sentences(table) == ["Model: Edge; new; Price: 12", "Model: Prime"]
