"""Does a line tell its reader to do something? Judged by the words that instructions open with (imperatives.toml)."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

_MARKUP = re.compile(r"[*_`\[\]\"'“”‘’(){}<>]+")
_WORD = re.compile(r"[^\W\d_]+(?:[-’'][^\W\d_]+)*")
_POLITE = re.compile(r"\w+(?:en|ern|eln)\s+sie\b|[a-zà-ÿ]{3,}ez\b", re.IGNORECASE)
"""Forms that a language makes of any verb: German "klicken Sie", French "cliquez"."""
_MAX_LABEL_WORDS = 8


class _Lexicon(NamedTuple):
    commands: frozenset[str]
    beginnings: tuple[str, ...]
    endings: tuple[str, ...]
    openers: frozenset[str]
    nouns: tuple[str, ...]
    step: re.Pattern[str]


@cache
def _lexicon() -> _Lexicon:
    data = tomllib.loads(files("chunking").joinpath("imperatives.toml").read_text(encoding="utf-8"))

    def words(section: str) -> list[str]:
        return " ".join(data[section].values()).split()

    step = "|".join(sorted(data["step"]["words"].split()))
    return _Lexicon(
        frozenset(words("words")),
        tuple(words("beginnings")),
        tuple(words("endings")),
        frozenset(words("openers")),
        tuple(phrase for phrases in data["nouns"].values() for phrase in phrases),
        re.compile(
            rf"[\s#>*_`(\[]*(?:(?:{step})\s*(?:no\.?\s*|n[º°]\s*|#)?([0-9]{{1,3}})\b|第?\s*([0-9]{{1,3}})\s*(?:步|단계))",
            re.IGNORECASE,
        ),
    )


def step_number(text: str) -> int | None:
    """N where the text opens with "Step N" in a known language, else None."""
    match = _lexicon().step.match(text)
    return int(match[1] or match[2]) if match else None


def is_imperative(text: str) -> bool:
    """Whether the line is an instruction: it opens with a command, or with a short label or clause before one."""
    plain = _MARKUP.sub("", text).strip()
    if _is_command(plain):
        return True
    first = _WORD.match(plain)
    if first and first[0].lower() in _lexicon().openers:
        if _is_command(plain[first.end() :].lstrip(" ,:")):
            return True
        _, comma, after = plain.partition(",")
        if comma and _is_command(after.lstrip()):
            return True
    label, colon, after = plain.partition(":")
    return bool(colon) and len(label.split()) <= _MAX_LABEL_WORDS and _is_command(after.lstrip())


def _is_command(text: str) -> bool:
    lexicon = _lexicon()
    word = _WORD.match(text)
    if word and word[0].lower() in lexicon.commands:
        return not text.lower().startswith(lexicon.nouns)
    return (
        text.startswith(lexicon.beginnings)
        or text.rstrip("。. ").endswith(lexicon.endings)
        or bool(_POLITE.match(text))
    )
