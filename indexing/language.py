"""Which language a question is in, as far as its script and its function words tell."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache
from pathlib import Path

STOPWORDS_FOLDER = Path(__file__).parent / "stopwords"
"""One file per language that fastembed's BM25 stems, named as it names them; a word a line, lower case, composed."""

DICTIONARIES = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nb": "norwegian",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}
"""Primary language subtag -> stemmer and stop words. (fastembed stems Tamil too, but takes its words apart first.)"""

# First word of a character's Unicode name -> the language that is most likely where only this script is seen.
_SCRIPTS = {
    "ARABIC": "ar",
    "ARMENIAN": "hy",
    "BENGALI": "bn",
    "CJK": "zh",
    "CYRILLIC": "ru",
    "DEVANAGARI": "hi",
    "GEORGIAN": "ka",
    "GREEK": "el",
    "HANGUL": "ko",
    "HEBREW": "he",
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "KHMER": "km",
    "TAMIL": "ta",
    "THAI": "th",
}


def guess_language(text: str) -> str:
    """The primary language subtag of a short text, empty where nothing tells.

    Scripts other than Latin decide by themselves; a fifth of the letters is enough for kana, Hangul and Han (in this
    order: Japanese uses Han too), whose words are short and often mixed with Latin names. In Latin script it is the
    language of which the text uses at least two function words, and more than of any other.
    """
    scripts = Counter(_script(char) for char in text if char.isalpha())
    total = sum(scripts.values())
    for language in ("ja", "ko", "zh"):
        if 5 * scripts[language] > total > 0:
            return language
    most, count = scripts.most_common(1)[0] if scripts else ("", 0)
    return most if most and 2 * count > total else _by_function_words(text)


def _script(char: str) -> str:
    return "" if char.isascii() else _SCRIPTS.get(unicodedata.name(char, "").partition(" ")[0], "")


def _by_function_words(text: str) -> str:
    words = re.findall(r"\w+", unicodedata.normalize("NFC", text).lower())
    counts = {name: sum(word in listed for word in words) for name, listed in _function_words().items()}
    best = max(counts.values(), default=0)
    leaders = [name for name, count in counts.items() if count == best]
    if best < 2 or len(leaders) != 1:
        return ""
    return next(language for language, name in DICTIONARIES.items() if name == leaders[0])


@cache
def _function_words() -> dict[str, frozenset[str]]:
    files = sorted(STOPWORDS_FOLDER.glob("*.txt"))
    return {file.stem: frozenset(file.read_text(encoding="utf-8").split()) for file in files}
