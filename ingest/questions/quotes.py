"""Whether a text says a quote, however both are laid out."""

from __future__ import annotations

import html
import re
import unicodedata

from chunking.plain import plain_inline

# Scripts that are written without spaces: Thai, Lao, Myanmar, Khmer, kana, Han. Each of their letters is a word here,
# so that a part of a sentence is found in it.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")


def words_in_a_row(text: str) -> str:
    """The words of a text with one space round each: white space, case and punctuation make no difference."""
    folded = unicodedata.normalize("NFKC", html.unescape(text)).casefold()
    return f" {' '.join(_WORD.findall(folded))} "


def says(markdown: str, quote: str) -> bool:
    """Whether the words of ``quote`` stand in the Markdown one after another, as a reader sees it or as it is written.

    Who quotes a page in a browser does not see the targets of its links.
    """
    wanted = words_in_a_row(quote)
    return wanted in words_in_a_row(plain_inline(markdown)) or wanted in words_in_a_row(markdown)
