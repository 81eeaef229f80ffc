"""Markdown as the words that stand on a page: what verification counts, without marks of markup."""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass

_FENCE = re.compile(r"^ *(?:`{3,}|~{3,})[^\n]*$", re.MULTILINE)
_TARGET = re.compile(r"(!?\[(?:[^\[\]\\]|\\.)*\])\((?:[^()\s\\]|\\.|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)")
_COMMENT = re.compile(r"<!--.*?-->|</?(?:br|sub|sup|u|a|span|div|kbd|mark|b|i|em|strong)\b[^<>]*>", re.DOTALL)
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_RULE = re.compile(r"^ *\|?(?: *:?-{3,}:? *\|)* *:?-{3,}:? *\|? *$")
_ORDINAL = re.compile(r"^(?P<before>[ >]*(?:[-*+] +)?)(?P<number>\d{1,9})[.)](?= )")
_SUPERSCRIPTS = str.maketrans({c: f" {unicodedata.normalize('NFKC', c)}" for c in "²³¹⁰⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉"})
_IDEOGRAPH = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"\d+(?:[.,:/]\d+)*|[{_IDEOGRAPH}]|[^\W\d_{_IDEOGRAPH}]+(?:['’][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of Markdown as words; a row of a table is one line."""

    tokens: tuple[str, ...]
    ordinal: str = ""
    """The number before an item of a list, which is markup and may stand on the page, too."""


def tokens(text: str) -> list[str]:
    """Words and numbers in order, in one spelling: compatible forms unified, no case, no soft hyphens.

    A number keeps its inner points, commas, colons and slashes (``1,250.00``); letters and digits part (``10GB``).
    Ideographs and kana are tokens each.
    """
    unified = unicodedata.normalize("NFKC", text.translate(_SUPERSCRIPTS)).replace("\u00ad", "").replace("’", "'")
    return _TOKEN.findall(unified.casefold())


def is_number(token: str) -> bool:
    """Whether a token is one of digits."""
    return token[0].isdigit()


def lines(markdown: str) -> list[Line]:
    """The lines of Markdown that hold words."""
    text = _COMMENT.sub(" ", _TARGET.sub(r"\1", _FENCE.sub("", markdown)))
    found = []
    for line in html.unescape(text).split("\n"):
        if _RULE.match(line):
            continue
        ordinal = _ORDINAL.match(line)
        rest = line[ordinal.end() :] if ordinal else line
        words = tuple(tokens(_ESCAPE.sub("", rest).replace("**", "").replace("*", "")))
        if words or ordinal:
            found.append(Line(words, ordinal["number"] if ordinal else ""))
    return found
