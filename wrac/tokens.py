"""Token counts: o200k, exact and offline (``bpe-openai`` carries its tables; tiktoken would download them)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import bpe_openai

if TYPE_CHECKING:
    from bpe_openai import Encoding


@cache
def _encoding() -> Encoding:
    return bpe_openai.get_encoding("o200k_base")


def count_tokens(text: str) -> int:
    """Number of o200k tokens of ``text``."""
    return len(_encoding().encode_ordinary(text))
