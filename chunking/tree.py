"""Markdown to an ID-addressable tree of units.

Blocks come from markdown-it-py's block rules (CommonMark 0.31, GFM tables, definition lists, footnotes); common shapes
take the short way through ``chunking.blocks``. Inline syntax is never parsed: a unit is a span of source text.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from chunking.blocks import (
    IMAGE_ONLY,
    Block,
    blocks_of_item,
    dedented,
    indentation,
    is_blank,
    items_at_margin,
    read_block,
)
from chunking.limits import WindowLimits
from chunking.procedures import find_fusions, is_procedure_list
from chunking.sentences import cut_at_sentences
from wrac.ids import digest as digest_text
from wrac.records import ATOMIC_KINDS, Unit, UnitKind, UnitTree
from wrac.tokens import count_each

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it.token import Token

    from wrac.records import MarkdownDocument

_ID_LENGTH = 12
_KINDS = {
    "heading_open": UnitKind.HEADING,
    "bullet_list_open": UnitKind.LIST,
    "ordered_list_open": UnitKind.LIST,
    "dl_open": UnitKind.LIST,
    "list_item_open": UnitKind.ITEM,
    "dt_open": UnitKind.ITEM,
    "table_open": UnitKind.TABLE,
    "fence": UnitKind.CODE,
    "code_block": UnitKind.CODE,
    "blockquote_open": UnitKind.QUOTE,
    "hr": UnitKind.BREAK,
    "html_block": UnitKind.HTML,
    "footnote_reference_open": UnitKind.DEFINITION,
}
_CONTAINERS = frozenset({UnitKind.LIST, UnitKind.ITEM, UnitKind.QUOTE})
_MAX_NESTING = 60


def build_tree(document: MarkdownDocument, limits: WindowLimits | None = None) -> UnitTree:
    """Units of the document in reading order; their spans tile all non-blank text and never overlap.

    A block above ``limits.maximum`` tokens that is neither an atom nor a procedure is divided one level down: a list
    into items, a quote into its blocks, a paragraph at sentence ends. The same text gives the same units and ids.
    """
    limits = limits or WindowLimits()
    source = _Source(document.text)
    blocks = [(block, span) for block in _blocks(source) if (span := source.span(block)) is not None]
    counts = count_each(document.text[start:end] for _, (start, end) in blocks)
    spans: list[_Span] = []
    for (block, (start, end)), tokens in zip(blocks, counts, strict=True):
        spans += _pieces(source, block, _Span(block.kind, block.level, start, end, tokens), limits)
    units = _identified(document.text, spans)
    return UnitTree(document, units, find_fusions(document.text, units, limits))


class _Span(NamedTuple):
    kind: UnitKind
    level: int
    start: int
    end: int
    tokens: int


class _Source:
    """The text, its lines, and where they start."""

    def __init__(self, text: str) -> None:
        self.text = text
        # Only these three line breaks count (CommonMark 0.31, 2.1); the parsed text keeps every offset.
        self.parsed = text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text
        self.lines = self.parsed.split("\n")
        self.starts = list(accumulate((len(line) + 1 for line in self.lines), initial=0))
        self.starts[-1] = len(text)
        self._state: StateBlock | None = None

    def span(self, block: Block) -> tuple[int, int] | None:
        """Character span of a block without trailing white space.

        None where it holds white space only that Markdown does not count as blank, e.g. a lone form feed.
        """
        start = self.starts[block.first]
        end = start + len(self.text[start : self.starts[block.end]].rstrip())
        return (start, end) if start < end else None

    def parse(self, first: int) -> tuple[list[Token], int]:
        """Tokens of the one block that starts on the non-blank line ``first``, and the line after it."""
        if self._state is None:
            self._state = StateBlock(self.parsed, _parser(), {}, [])
        return _parse_first(self._state, first)

    def parse_within(self, block: Block) -> list[Token]:
        """Tokens of a block whose extent is known.

        It is moved to the margin first: the footnote rule measures what it takes in from there. A tab is as wide as
        its column makes it, so a block with tabs stays in its place.
        """
        text = "\n".join(self.lines[block.first : block.end])
        if "\t" not in text:
            lines = self.lines[block.first : block.end]
            text = "\n".join(dedented(lines, indentation(lines[0])) or lines)
        tokens, _ = _parse_first(StateBlock(text, _parser(), {}, []), 0)
        for token in tokens:
            token.map = [line + block.first for line in token.map] if token.map else None
        return tokens


def _parse_first(state: StateBlock, first: int) -> tuple[list[Token], int]:
    state.tokens.clear()
    state.line, state.level, state.blkIndent, state.parentType = first, 0, 0, "root"
    for rule in _parser().block.ruler.getRules(""):
        if rule(state, first, state.lineMax, False):
            break
    return state.tokens, max(state.line, first + 1)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable("table")
    return parser.use(footnote_plugin, move_to_end=False).use(deflist_plugin)


def _blocks(source: _Source) -> Iterator[Block]:
    lines, line, count = source.lines, 0, len(source.lines)
    while line < count:
        if is_blank(lines[line]):
            line += 1
            continue
        block = read_block(lines, line) or _parsed_block(source, line)
        if block.kind is UnitKind.PARAGRAPH and lines[line].lstrip(" ").startswith(("!", "[!")):
            text = "\n".join(lines[block.first : block.end])
            block = block._replace(kind=UnitKind.FIGURE) if IMAGE_ONLY.fullmatch(text.strip()) else block
        yield block
        line = block.end


def _parsed_block(source: _Source, first: int) -> Block:
    tokens, end = source.parse(first)
    if not tokens:  # a link reference definition leaves no token
        return Block(UnitKind.DEFINITION, first, end)
    if max(token.level for token in tokens) >= _MAX_NESTING - 1:
        end = _end_of_deep_block(source, tokens, end)
    kind = _KINDS.get(tokens[0].type, UnitKind.PARAGRAPH)
    level = int(tokens[0].tag[1]) if kind is UnitKind.HEADING else 0
    return Block(kind, first, end, level)


def _end_of_deep_block(source: _Source, tokens: Sequence[Token], end: int) -> int:
    """Past its nesting limit the parser takes the rest of the text; the block ends where text stands at the margin."""
    deepest = max(token.map[0] for token in tokens if token.map)
    for line in range(deepest + 2, end):
        text = source.lines[line]
        if text[:1] not in ("", " ", "\t", ">") and is_blank(source.lines[line - 1]):
            return line
    return end


def _pieces(source: _Source, block: Block, span: _Span, limits: WindowLimits) -> list[_Span]:
    """The block as one piece, or divided until no piece that may be divided is above the window."""
    kind = block.kind
    if span.tokens <= limits.maximum or kind in ATOMIC_KINDS or kind is UnitKind.HEADING:
        return [span]
    if kind is UnitKind.LIST and is_procedure_list(source.text[span.start : span.end]):
        return [span]
    if kind in _CONTAINERS:
        children = _read_children(source.lines, block)
        if len(children) > 1:
            return _all_pieces(source, [(child, ()) for child in children], limits)
        return _divided(source, block, source.parse_within(block), limits)
    return _sentences(source, kind, span.start, span.end, limits)


def _read_children(lines: Sequence[str], block: Block) -> list[Block]:
    if block.kind is UnitKind.LIST:
        return items_at_margin(lines, block)
    return blocks_of_item(lines, block) if block.kind is UnitKind.ITEM else []


def _divided(source: _Source, block: Block, tokens: Sequence[Token], limits: WindowLimits) -> list[_Span]:
    """The block one level down. ``tokens[0]`` opens it."""
    children = _children(tokens, block)
    if children:
        return _all_pieces(source, children, limits)
    span = source.span(block)
    return _sentences(source, block.kind, *span, limits) if span else []


def _all_pieces(
    source: _Source, children: Sequence[tuple[Block, Sequence[Token]]], limits: WindowLimits
) -> list[_Span]:
    spans = [source.span(child) for child, _ in children]
    counts = count_each(source.text[span[0] : span[1]] if span else "" for span in spans)
    pieces: list[_Span] = []
    for (child, tokens), span, count in zip(children, spans, counts, strict=True):
        if span is None:
            continue
        if count > limits.maximum and tokens and child.kind in _CONTAINERS:
            pieces += _divided(source, child, tokens, limits)
        else:
            pieces += _pieces(source, child, _Span(child.kind, child.level, *span, count), limits)
    return pieces


def _children(tokens: Sequence[Token], block: Block) -> list[tuple[Block, Sequence[Token]]]:
    """Blocks directly inside the one that ``tokens[0]`` opens, each with its own tokens; they tile its lines."""
    level = tokens[0].level + 1
    opens: list[tuple[int, int, UnitKind]] = []
    for index, token in enumerate(tokens[1:], 1):
        if token.level != level or token.nesting < 0 or token.map is None or token.type == "dd_open":
            continue
        first = max(token.map[0], block.first) if opens else block.first
        if not opens or first > opens[-1][1]:
            opens.append((index, first, _KINDS.get(token.type, UnitKind.PARAGRAPH)))
    stops = [(index, first) for index, first, _ in opens[1:]] + [(len(tokens), block.end)]
    if not opens:  # an empty block, or one past the parser's nesting limit
        return []
    return [
        (Block(kind, first, end), tokens[index:stop])
        for (index, first, kind), (stop, end) in zip(opens, stops, strict=True)
        if first < end
    ]


def _sentences(source: _Source, kind: UnitKind, start: int, end: int, limits: WindowLimits) -> list[_Span]:
    spans = cut_at_sentences(source.text, start, end, limits)
    counts = count_each(source.text[first:last] for first, last in spans)
    return [_Span(kind, 0, first, last, tokens) for (first, last), tokens in zip(spans, counts, strict=True)]


def _identified(text: str, spans: Sequence[_Span]) -> tuple[Unit, ...]:
    """Units with ids by content and occurrence, each under the heading that it stands under."""
    occurrences: dict[tuple[UnitKind, str], int] = {}
    taken: set[str] = set()
    stack: list[tuple[int, str]] = []
    units = []
    for kind, level, start, end, tokens in spans:
        normal = " ".join(text[start:end].split())
        occurrence = occurrences.get((kind, normal), 0)
        occurrences[kind, normal] = occurrence + 1
        digest = digest_text(f"{kind}:{occurrence}:{normal}")
        length = _ID_LENGTH
        while (unit_id := digest[:length]) in taken:
            length += 1
        taken.add(unit_id)
        while level and stack and stack[-1][0] >= level:
            stack.pop()
        units.append(Unit(unit_id, kind, level, start, end, stack[-1][1] if stack else None, tokens, digest))
        if level:
            stack.append((level, unit_id))
    return tuple(units)
