"""Whether the text layer of a page says what a reader sees, judged by its fonts and characters alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversion.pdf.records import Word

_UNREADABLE = re.compile("[\ufffd\ue000-\uf8ff\x00-\x08\x0e-\x1f\U000f0000-\U0010ffff]")
_ODD_LETTER = re.compile(
    r"(?<=[^\W\d_])[\u2190-\u2bff]|[\u2190-\u2bff](?=[^\W\d_])|(?<=[\u2700-\u27bf])[\u2700-\u27bf]"
)
"""Signs inside words."""
_CID = re.compile(r"\(cid:\d+\)")
_LEAST = 20
"""Characters below which nothing is judged."""
_SHARE = 0.3


def is_guessed(words: Sequence[Word]) -> bool:
    """Whether the fonts of a good part of the text do not say which characters it is made of."""
    guessed = sum(len(word.text) for word in words if word.style.unmapped)
    return guessed >= _LEAST and guessed > _SHARE * sum(len(word.text) for word in words)


def is_gibberish(text: str) -> bool:
    """Whether a good part of the characters has no meaning.

    Fonts without a ToUnicode map give codes without a character, private-use characters or control characters.
    Bullets and icons are private-use characters too, so that a few of them say nothing.
    """
    solid = "".join(text.split())
    if len(solid) < _LEAST:
        return False
    unreadable = (
        len(_ODD_LETTER.findall(text))
        + len(_UNREADABLE.findall(solid))
        + sum(len(found) for found in _CID.findall(solid))
    )
    return unreadable > _SHARE * len(solid)
