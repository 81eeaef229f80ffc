"""Markdown without its marks, for embedding: what a reader sees, and code as it is."""

from __future__ import annotations

import re
from operator import itemgetter

from wrac.records import UnitKind
from wrac.tables import parse_table, row_sentences

# Every pattern is bounded or cannot be entered twice at one place: a page must not buy time with unclosed marks.
_LABEL = r"((?:[^\[\]]++|\[[^\[\]]{0,200}\]){0,100}+)"
_IMAGE = re.compile(rf"!\[{_LABEL}\](?:\([^()]{{0,2000}}\)|\[[^\[\]]{{0,200}}\])")
_TARGET = r"(?:[^()\s]++|\([^()\s]{0,500}\)){0,50}+(?:\s++(?:\"[^\"]{0,500}\"|'[^']{0,500}'))?"
_LINK = re.compile(rf"\[{_LABEL}\]\({_TARGET}\)")
_STRONG = re.compile(r"(\*\*|__)(?=\S)(.{1,500}?)(?<=\S)\1", re.DOTALL)
_STARRED = re.compile(r"(?<![\w*\\])\*(?=[^\s*])([^*\n]{1,300}?)(?<=[^\s\\])\*(?![\w*])")
_UNDERSCORED = re.compile(r"(?<![\w\\])_(?=[^\s_])([^_\n]{1,300}?)(?<=[^\s\\])_(?!\w)")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.{1,500}?)(?<!`)\1(?!`)", re.DOTALL)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[^\n`]*\n?", re.MULTILINE)
_QUOTE = re.compile(r"^[ ]{0,3}(?:>[ ]?)+", re.MULTILINE)
_TAG = re.compile(r"<!--.{0,500}?-->|</?[A-Za-z][^<>]*+>", re.DOTALL)
_LINE_TAG = re.compile(r"<(?:br|hr)[ /]*>", re.IGNORECASE)
_BULLET = re.compile(r"^[ \t]*[-+*][ \t]+(?:\[[ xX]\][ \t]+)?|^:[ \t]+", re.MULTILINE)
_HARD_BREAK = re.compile(r"(?: {2,}|\\)\n")
# What a template such as r"\1" does, without its detour through Python code.
_FIRST, _SECOND = itemgetter(1), itemgetter(2)
_LISTS = frozenset({UnitKind.LIST, UnitKind.ITEM, UnitKind.QUOTE})


def plain_text(kind: UnitKind, source: str) -> str:
    """What a unit says: code verbatim without its fence, table rows as sentences, other text without inline marks."""
    if kind is UnitKind.CODE:
        return _FENCE.sub("", source).rstrip()
    if kind is UnitKind.BREAK:
        return ""
    if kind is UnitKind.TABLE:
        table = parse_table(source)
        if table is not None and table.rows:
            return plain_inline("\n".join(row_sentences(table)))
    if kind is UnitKind.QUOTE:
        source = _QUOTE.sub("", source)
    if kind in _LISTS:
        source = _BULLET.sub("", source)
    if "```" in source or "~~~" in source:
        source = _FENCE.sub("", source)
    return plain_inline(source)


def plain_inline(text: str) -> str:
    """Text without emphasis marks, code marks, link targets, tags and backslash escapes."""
    if "](" in text or "![" in text:
        text = _LINK.sub(_FIRST, _IMAGE.sub(_FIRST, text))
    if "<" in text:
        text = _TAG.sub("", _LINE_TAG.sub(" ", text))
    if "`" in text:
        text = _CODE.sub(_SECOND, text)
    if "**" in text or "__" in text:
        text = _STRONG.sub(_SECOND, text)
    if "*" in text:
        text = _STARRED.sub(_FIRST, text)
    if "_" in text:
        text = _UNDERSCORED.sub(_FIRST, text)
    if "  \n" in text or "\\\n" in text:
        text = _HARD_BREAK.sub("\n", text)
    if "\\" in text:
        text = _ESCAPE.sub(_FIRST, text)
    return text
