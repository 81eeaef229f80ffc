"""Tables whose cells are boxed in by rulings: heads in bold type, open sides, cells over several rows and columns."""

from __future__ import annotations

from itertools import pairwise

import pytest
from pdf_files import BOLD, Page, column, pdf, rule, text

from conversion.pdf import PdfOptions, convert_pdf

NO_OCR = PdfOptions(ocr=False)
BODY = column(
    72, 700, [f"Body text line {n} that runs on until it has come to the edge of its column." for n in range(8)]
)


def converted(*contents: str) -> str:
    return convert_pdf(pdf([Page(content) for content in contents]), "file:a.pdf", NO_OCR).document.text


def boxed(
    top: float,
    edges: list[float],
    rows: list[list[str]],
    *,
    without: frozenset[tuple[str, int, int]] = frozenset(),
    head: str = BOLD,
    height: float = 20,
    has_top: bool = True,
) -> str:
    """A table from ``top`` down with a ruling on every side of every cell.

    ``without`` names those left out: ("under", row, column) and ("left", row, column), columns up to ``len(edges)``.
    """
    out = ""
    for index, row in enumerate(rows):
        y = top - index * height
        out += "".join(rule(a, y, b, y) for a, b in pairwise(edges)) if index == 0 and has_top else ""
        for place, (x0, x1) in enumerate(pairwise(edges)):
            if ("under", index, place) not in without:
                out += rule(x0, y - height, x1, y - height)
        for place, x in enumerate(edges):
            if ("left", index, place) not in without:
                out += rule(x, y, x, y - height)
        for place, words in enumerate(row):
            if words:
                out += text(edges[place] + 3, y - 14, words, font=head if index == 0 else "F1")
    return out


def rows_of(made: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in made.splitlines() if line[:1] == "|"]


def test_a_bold_head_whose_cells_stand_close_is_no_heading() -> None:
    rows = [["No", "Part"], *([str(n), f"Part {n}"] for n in range(1, 30))]
    table = boxed(780, [72, 90, 150], rows)
    made = converted(BODY, table, table)
    assert "#" not in made
    assert rows_of(made)[0] == ["No", "Part"]
    assert rows_of(made)[2:] == rows[1:] * 2


@pytest.mark.parametrize("open_sides", [(0,), (3,), (0, 3)])
def test_a_table_without_rulings_at_its_sides_has_all_its_columns(open_sides: tuple[int, ...]) -> None:
    rows = [["City", "Fare", "Time"], ["Oslo", "310", "9 h"], ["Rome", "95", "4 h"]]
    left_out = frozenset(("left", index, side) for index in range(3) for side in open_sides)
    made = converted(BODY + boxed(560, [72, 172, 272, 372], rows, without=left_out))
    assert rows_of(made) == [rows[0], ["---"] * 3, *rows[1:]]


def test_a_cell_over_several_rows_stands_in_each_of_them_wherever_its_text_is_set() -> None:
    rows = [["Model", "Size", "Price"], ["", "S", "10"], ["P200", "M", "20"], ["", "L", "30"], ["P300", "S", "15"]]
    spans = frozenset({("under", 1, 0), ("under", 2, 0)})
    made = converted(BODY + boxed(560, [72, 172, 272, 372], rows, without=spans))
    assert rows_of(made)[2:] == [
        ["P200", "S", "10"],
        ["P200", "M", "20"],
        ["P200", "L", "30"],
        ["P300", "S", "15"],
    ]


def test_a_cell_over_several_columns_starts_in_the_first_of_them() -> None:
    rows = [["Model", "Low", "High"], ["P200", "10", "20"], ["P300", "", ""]]
    content = boxed(560, [72, 172, 272, 372], rows, without=frozenset({("left", 2, 2)}))
    # Set in the middle of both columns.
    made = converted(BODY + content + text(249, 506, "on request"))
    assert rows_of(made)[2:] == [["P200", "10", "20"], ["P300", "on request", ""]]


def test_text_at_the_edge_of_its_column_stays_there_though_no_ruling_stands_at_it() -> None:
    rows = [["Model", "Low", "High"], ["P200", "10", "20"], ["", "", "30"]]
    without = frozenset({("left", 2, 1), ("left", 2, 2)})
    assert rows_of(converted(BODY + boxed(560, [72, 172, 272, 372], rows, without=without)))[2:] == rows[1:]


def test_a_head_above_the_first_ruling_belongs_to_the_table() -> None:
    rows = [("City", "Fare", "Time"), ("Oslo", "310", "9 h"), ("Rome", "95", "4 h"), ("Riga", "80", "3 h")]
    content = ""
    for index, row in enumerate(rows):
        y = 560 - 20 * index
        content += "".join(
            text(72 + 80 * i, y, words, font=BOLD if index == 0 else "F1") for i, words in enumerate(row)
        )
        content += rule(69, y - 7, 330, y - 7)
    assert rows_of(converted(BODY + content)) == [list(rows[0]), ["---"] * 3, *(list(row) for row in rows[1:])]


def test_a_line_of_prose_above_the_first_ruling_does_not() -> None:
    rows = [("Oslo", "310", "9 h"), ("Rome", "95", "4 h"), ("Riga", "80", "3 h")]
    content = text(72, 560, "The fares are these:") + rule(69, 553, 330, 553)
    for index, row in enumerate(rows):
        y = 540 - 20 * index
        content += "".join(text(72 + 80 * i, y, words) for i, words in enumerate(row)) + rule(69, y - 7, 330, y - 7)
    made = converted(BODY + content)
    assert "The fares are these:\n\n|" in made
    assert rows_of(made)[0] == ["Oslo", "310", "9 h"]


def test_a_row_over_a_page_border_is_one_row() -> None:
    edges = [72.0, 172, 272, 372]
    first = [
        ["Fault", "Cause", "Remedy"],
        ["E1", "no power", "switch it on"],
        ["E2", "no power at the", "check the fuse"],
    ]
    rest = [["", "terminals of it", "and the cable"], ["E3", "leak", "close it"]]
    pages = [BODY + boxed(560, edges, first), boxed(740, edges, rest, head="F1")]
    assert rows_of(converted(*pages)) == [
        first[0],
        ["---"] * 3,
        first[1],
        ["E2", "no power at the terminals of it", "check the fuse and the cable"],
        rest[1],
    ]


def test_a_row_without_a_name_at_the_top_of_a_page_stays_one() -> None:
    edges = [72.0, 172, 272, 372]
    first = [["Region", "Quarter", "Sales"], ["North", "Q1", "10"], ["", "Q2", "20"]]
    rest = [["", "Q3", "30"], ["South", "Q1", "40"]]
    pages = [BODY + boxed(560, edges, first), boxed(740, edges, rest, head="F1")]
    assert rows_of(converted(*pages))[-4:] == [first[1], first[2], *rest]


def test_a_divided_row_that_no_ruling_closes_takes_no_other_row_in() -> None:
    edges = [72.0, 172, 272, 372]
    first = [
        ["Fault", "Cause", "Remedy"],
        ["E1", "no power", "switch it on"],
        ["E2", "no power at the", "check the fuse"],
    ]
    rest = [["", "terminals of it", "and the cable"], ["E3", "leak", "close it"], ["E4", "heat", "wait"]]
    unclosed = frozenset(("under", 2, column) for column in range(3))
    pages = [BODY + boxed(560, edges, first, without=unclosed), boxed(740, edges, rest, head="F1", has_top=False)]
    assert rows_of(converted(*pages))[2:] == [
        first[1],
        ["E2", "no power at the terminals of it", "check the fuse and the cable"],
        *rest[1:],
    ]
