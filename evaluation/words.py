"""Words as the judge compares them: without Markdown, HTML, punctuation, layout, case and most endings.

The definitions are those of the public judge of RAG-Multi-Corpus that this room is held to; a change of any of them
makes figures incomparable.
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

FUNCTION_WORDS = frozenset(
    """
    a about above after again all also am an and any are as at be been before being below between both but by can
    could did do does done down during each eg etc for from had has have having he her here his how i if in include
    included includes including into is it its just like may me might more most must my no not of off on once only
    onto or other our out over own per same shall she should so some such than that the their them then there these
    they this those through to too under up us very via was we well were what when where which while who whom whose
    why will with within without would yes you your
    """.split()
) | frozenset(("e", "g", "ie"))
"""Words that say nothing about a topic."""

_LINK = re.compile(r"!?\[([^\]]*)\]\((?:[^()\s]|\([^()]*\))*(?:\s+\"[^\"]*\")?\)")
_TAG = re.compile(r"</?[A-Za-z][^>\n]{0,300}>")
_WORD = re.compile(r"[^\W_]+(?:[.,/:'](?=[^\W_])[^\W_]+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d)")
_JOINT = re.compile(r"[.,/:](?!\d)|(?<!\d)[.,/:]")
_TYPOGRAPHIC = (
    dict.fromkeys(map(ord, "‘’‚‛`´"), "'")
    | dict.fromkeys(map(ord, "“”„‟«»"), '"')
    | dict.fromkeys(map(ord, "–—−‐‑‒―"), "-")
    | dict.fromkeys(map(ord, "•·…"), " ")
    | {ord("×"): "x"}
)

# An ending, how many letters must be left without it, and what takes its place; the first that fits is taken.
_ENDINGS = (
    ("ically", 3, ""),
    ("ations", 3, ""),
    ("ation", 3, ""),
    ("ingly", 3, ""),
    ("ments", 4, ""),
    ("ment", 4, ""),
    ("ings", 3, ""),
    ("ies", 3, "y"),
    ("ied", 3, "y"),
    ("ing", 3, ""),
    ("ers", 4, ""),
    ("es", 4, ""),
    ("ed", 3, ""),
    ("ly", 4, ""),
    ("er", 4, ""),
    ("s", 3, ""),
    ("e", 4, ""),
)


def words_of(text: str) -> list[str]:
    """All words in order, lower case; numbers without thousands separators, ``A/B`` as two words, ``3.5`` as one."""
    bare = _TAG.sub(" ", _LINK.sub(r"\1", html.unescape(text))).replace("\\", "")
    folded = unicodedata.normalize("NFKC", bare).translate(_TYPOGRAPHIC).casefold()
    found: list[str] = []
    for word in _WORD.findall(folded):
        joined = _THOUSANDS.sub("", word.replace("'", ""))
        found += [part for part in _JOINT.split(joined) if part]
    return found


def stem(word: str) -> str:
    """The word without a common English ending; words with digits and short words stay as they are."""
    if len(word) < 5 or any(character.isdigit() for character in word):
        plural = len(word) == 4 and word.endswith("s") and not word.endswith("ss")
        return word[:-1] if plural else word
    for ending, least, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return word[: -len(ending)] + instead
    return word


def content_stems(words: Iterable[str]) -> list[str]:
    """Stems of the words that say something, in order; single letters are left out, single digits kept."""
    return [stem(word) for word in words if word not in FUNCTION_WORDS and (len(word) > 1 or word.isdigit())]


def in_a_row(words: Iterable[str]) -> str:
    """The words as one string in which a run of words is found by ``in``, whole words only."""
    return f" {' '.join(words)} "
