"""The short way through common blocks and markdown-it-py agree on every top-level block."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from chunking import WindowLimits, build_tree, tree
from chunking.blocks import is_blank, read_block
from wrac.records import MarkdownDocument

_ORACLE = (
    MarkdownIt("commonmark", {"maxNesting": 60})
    .enable("table")
    .use(footnote_plugin, move_to_end=False)
    .use(deflist_plugin)
)
_TYPES = {
    "heading": "heading_open",
    "paragraph": "paragraph_open",
    "list": ("bullet_list_open", "ordered_list_open", "dl_open"),
    "table": "table_open",
    "code": "fence",
    "quote": "blockquote_open",
    "break": "hr",
    "definition": "footnote_reference_open",
}

LINES = [
    "",
    "",
    "",
    " ",
    "word",
    "another line.",
    "# Title",
    "## ",
    "#no",
    "   ### deep",
    "- item",
    "- ",
    "-",
    "* star",
    "+ plus",
    "-   far",
    "-     code",
    "1. one",
    "2. two",
    "3) three",
    "10. ten",
    "1.",
    "2024. A year",
    "  two spaces",
    "   three",
    "    four",
    "\ttab",
    "      six",
    "  - nested",
    "    - nested deeper",
    "   ```",
    "```",
    "```py",
    "~~~",
    "````",
    "``` a`b",
    "> quote",
    ">",
    ">> twice",
    "> - list in quote",
    "---",
    "- - -",
    "***",
    "===",
    "___",
    "_under_ score",
    "__bold__ line",
    "**bold**",
    "* * x",
    "| a | b |",
    "|---|---|",
    "| 1 | 2 |",
    "|:-:|--|",
    "| lone |",
    "a | b",
    "--- | ---",
    "| x \\| y | z |",
    "[label]: /url",
    "[text](url) rest",
    "[^1]: note",
    "[^1]",
    ": definition",
    "~ other",
    "  : indented",
    "Term",
    "<div>",
    "</div>",
    "<!-- c",
    "-->",
    "<b>inline</b>",
    "![alt](x.png)",
    "\x0c",
    "\u2028",
    "\xa0",
    "a\x0cb",
    "\\# escaped",
    "5",
    "5 apples",
    "3.14 is pi",
    "`code` x",
    "[a]:",
    "[a]: ",
    "+1 more",
    "*emph* x",
    "=> arrow",
    "1986\\. Year",
    "- # heading",
    "- > q",
    "- ```",
    "  ```",
    "1. ```",
    "é accent",
    "你好",
]


@settings(max_examples=800, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=14))
@example(["- a", "1. b"])
@example(["Term", "", ": definition"])
@example(["- a", "", "- ", "  b"])
@example(["[^1]: note", "", "    more"])
def test_short_way_equals_the_full_parser(lines: list[str]) -> None:
    for first, kind, end in _short_way(lines):
        opening, full_end = _first_block("\n".join(lines[first:]))
        assert opening in _TYPES[kind], (kind, opening, lines[first:])
        assert _last_line(lines, first, first + full_end) == end, (kind, lines[first:])


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from([*LINES, *("  " + line for line in LINES)]), min_size=1, max_size=8))
@example(["  - a", "    - b", "  - c", "", "    d"])
@example(["  - a", " - b", "  c"])
@example(["  1. Click a", "  2. Click b"])
@example(["- # heading", "  [^1]: note", "  - item"])
def test_items_are_divided_as_by_the_full_parser(inner: list[str]) -> None:
    text = "\n".join(["- first", *(f"  {line}" for line in inner), "- last"])
    document = MarkdownDocument(text, "", "markdown", "markdown/1", "")
    limits = WindowLimits(target=1, minimum=0, maximum=1)
    short = build_tree(document, limits).units
    with patch.object(tree, "_read_children", return_value=[]):
        assert short == build_tree(document, limits).units


def _first_block(text: str) -> tuple[str, int]:
    """Type of the first token and the line after the first block, by markdown-it-py."""
    state = StateBlock(text, _ORACLE, {}, [])
    for rule in _ORACLE.block.ruler.getRules(""):
        if rule(state, 0, state.lineMax, False):
            break
    return state.tokens[0].type, state.line


def _short_way(lines: list[str]) -> list[tuple[int, str, int]]:
    """(first line, kind, line after the last) of every block that the short way recognises, from any line on."""
    found = []
    for first, line in enumerate(lines):
        if is_blank(line):
            continue
        block = read_block(lines, first)
        if block is not None:
            found.append((first, block.kind.value, _last_line(lines, first, block.end)))
    return found


def _last_line(lines: list[str], first: int, end: int) -> int:
    while end > first + 1 and is_blank(lines[end - 1]):
        end -= 1
    return end
