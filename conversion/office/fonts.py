"""Fonts of fixed width, by their names."""

from __future__ import annotations

import re

_FIXED = re.compile(
    r"\b(?:courier|consolas|monaco|menlo|lucida (?:sans )?(?:console|typewriter)|terminal|fixedsys|inconsolata|andale"
    r"|cascadia|fira code|source code|ubuntu mono|ocr a|letter gothic|prestige elite)\b|\bmono(?:space[d]?)?\b|mono$",
    re.IGNORECASE,
)


def is_fixed_font(name: str) -> bool:
    """Whether the name is one of a font that code is set in."""
    return _FIXED.search(name) is not None
