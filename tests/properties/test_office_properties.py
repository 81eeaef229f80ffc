"""Whatever an Office file is made of: no word of its visible text is lost, doubled or moved."""

from __future__ import annotations

import io
import re

import openpyxl
from hypothesis import given, settings
from hypothesis import strategies as st
from office_files import docx

from conversion.office.docx import convert_docx
from conversion.office.records import OfficeOptions
from conversion.office.xlsx import convert_xlsx

URL = "https://handbook.example/a"
WORD = re.compile(r"w\d+q")
RUN = st.tuples(
    st.sampled_from(
        ["", "<w:b/>", "<w:i/>", "<w:strike/>", '<w:rFonts w:ascii="Consolas"/>', '<w:vertAlign w:val="superscript"/>']
    ),
    st.sampled_from(["{}", " {}", "{} ", "*{}*", "`{}", "{}|", "_{}_ ", "# {}", "[{}](x)", "\t{}"]),
    st.booleans(),
)
PARAGRAPH = st.tuples(
    st.sampled_from(["", "H1", "H2", "Chapter", "Source", "Quote", "Numbered"]),
    st.one_of(st.none(), st.tuples(st.integers(1, 7), st.integers(0, 2))),
    st.sampled_from(["", '<w:ind w:left="720"/>', '<w:ind w:left="1440"/>']),
    st.lists(RUN, max_size=4),
)
BLOCK = st.one_of(PARAGRAPH, st.lists(st.lists(PARAGRAPH, min_size=1, max_size=3), min_size=1, max_size=3))


class Words:
    """Hands out words that can be told apart."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def next(self) -> str:
        self.given.append(f"w{len(self.given)}q")
        return self.given[-1]


def paragraph(made: tuple, words: Words) -> str:  # type: ignore[type-arg]
    style, number, indent, runs = made
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if number:
        properties += f'<w:numPr><w:ilvl w:val="{number[1]}"/><w:numId w:val="{number[0]}"/></w:numPr>'
    content = ""
    for looks, form, is_link in runs:
        run = f'<w:r><w:rPr>{looks}</w:rPr><w:t xml:space="preserve">{form.format(words.next())}</w:t></w:r>'
        content += f'<w:hyperlink r:id="rId9">{run}</w:hyperlink>' if is_link else run
    return f"<w:p><w:pPr>{properties}{indent}</w:pPr>{content}</w:p>"


def block(made: object, words: Words) -> str:
    if isinstance(made, tuple):
        return paragraph(made, words)
    rows = "".join(
        f"<w:tr>{''.join(f'<w:tc>{paragraph(cell, words)}</w:tc>' for cell in row)}</w:tr>"
        for row in made  # type: ignore[attr-defined]
    )
    return f"<w:tbl>{rows}</w:tbl>"


@settings(max_examples=150, deadline=None)
@given(st.lists(BLOCK, max_size=8))
def test_words_of_a_word_file_are_all_there_in_order(blocks: list[object]) -> None:
    words = Words()
    body = "".join(block(made, words) for made in blocks) + "<w:p><w:r><w:t>end</w:t></w:r></w:p>"
    text = convert_docx(docx(body, links={"rId9": "https://example.org/"}), URL).document.text
    assert WORD.findall(text) == words.given


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.tuples(st.integers(1, 12), st.integers(1, 6)), st.booleans(), min_size=1, max_size=30),
    st.integers(1, 5),
)
def test_cells_of_a_sheet_are_all_there_once_but_for_repeated_heads(
    places: dict[tuple[int, int], bool], table_rows: int
) -> None:
    book = openpyxl.Workbook()
    for number, ((row, column), is_text) in enumerate(places.items()):
        book.active.cell(row, column, f"w{number}q" if is_text else 1000 + number)
    out = io.BytesIO()
    book.save(out)
    text = convert_xlsx(out.getvalue(), URL, OfficeOptions(table_rows=table_rows)).document.text
    found = re.findall(r"w\d+q|1\d\d\d", text)
    wanted = [f"w{n}q" if is_text else str(1000 + n) for n, is_text in enumerate(places.values())]
    assert set(found) == set(wanted)
    if table_rows == 5 and len(places) < 5:
        assert sorted(found) == sorted(wanted)
