from __future__ import annotations

import time

import pytest

from chunking.plain import plain_inline, plain_text
from wrac.records import UnitKind


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("**bold** and __bold__", "bold and bold"),
        ("*em* and _em_", "em and em"),
        ("***both***", "both"),
        ("snake_case_name and 2*3*4", "snake_case_name and 2*3*4"),
        ("`code_with_marks` and ``a ` b``", "code_with_marks and a ` b"),
        ('[text](http://x.org/a_(b) "title") end', "text end"),
        ("[![alt](i.png)](http://x.org)", "alt"),
        ("![alt text](i.png)", "alt text"),
        ("line  \nbreak\\\nagain", "line\nbreak\nagain"),
        ("1986\\. \\*not em\\*", "1986. *not em*"),
        ("H<sub>2</sub>O <!-- gone --> a < b", "H2O  a < b"),
        ("Operator<br>Result<br/>", "Operator Result "),
        ("[brackets] stay", "[brackets] stay"),
    ],
)
def test_inline_marks_are_gone_and_words_stay(markdown: str, plain: str) -> None:
    assert plain_inline(markdown) == plain


def test_code_is_verbatim_without_its_fence() -> None:
    assert plain_text(UnitKind.CODE, "```py\na **b** [c](d)\n\n- x\n```") == "a **b** [c](d)\n\n- x"


def test_table_rows_are_sentences_without_marks() -> None:
    table = "| **Model** | Price |\n|---|---|\n| [Edge](e.html) | 12 |"
    assert plain_text(UnitKind.TABLE, table) == "Model: Edge; Price: 12"


def test_a_table_without_rows_says_its_header() -> None:
    assert "Model" in plain_text(UnitKind.TABLE, "| Model |\n|---|")


def test_lists_lose_bullets_and_keep_numbers() -> None:
    assert plain_text(UnitKind.LIST, "- a\n  - [x] b\n\n1. c") == "a\nb\n\n1. c"


def test_definitions_lose_their_colon() -> None:
    assert plain_text(UnitKind.LIST, "Term\n: what it *means*") == "Term\nwhat it means"


def test_quotes_lose_their_marks() -> None:
    assert plain_text(UnitKind.QUOTE, "> a\n> > b") == "a\nb"


def test_a_break_says_nothing() -> None:
    assert plain_text(UnitKind.BREAK, "---") == ""


@pytest.mark.parametrize("mark", ["**a ", "__a ", "<!-- ", "[", "![a](b ", "[a](b ", "`a ", "``a ", "*a ", "_a", "<a "])
def test_unclosed_marks_buy_no_time(mark: str) -> None:
    start = time.process_time()
    plain_inline(mark * 20_000)
    assert time.process_time() - start < 5
