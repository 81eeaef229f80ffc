"""Text that left one page and came up on another."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ingest.report.records import PageNote

if TYPE_CHECKING:
    from ingest.report.changes import StoredText

_LEAST_TOKENS = 12
"""Shorter units are alike by chance: "See also", "Returns: None"."""


class MovedText:
    """Units by digest, of the pages that were read; a unit that left and came is a move."""

    def __init__(self) -> None:
        self._left: dict[str, tuple[str, int]] = {}
        """Digest -> (URL, tokens)."""
        self._came: dict[str, str] = {}

    def add(self, url: str, before: StoredText | None, after: StoredText | None) -> None:
        """One page, as it was and as it is; None where it was not, or is no more."""
        old, new = _units(before), _units(after)
        self._left.update({digest: (url, tokens) for digest, tokens in old.items() if digest not in new})
        self._came.update(dict.fromkeys(new.keys() - old.keys(), url))

    def moves(self) -> list[PageNote]:
        """One note for each pair of pages between which text moved, most tokens first."""
        tokens: dict[tuple[str, str], int] = defaultdict(int)
        units: dict[tuple[str, str], int] = defaultdict(int)
        for digest, url in self._came.items():
            source, size = self._left.get(digest, ("", 0))
            if source and source != url:
                tokens[source, url] += size
                units[source, url] += 1
        return [
            PageNote(url=there, other_url=here, reason=_in_words(units[here, there], tokens[here, there]))
            for here, there in sorted(tokens, key=lambda pair: (-tokens[pair], pair))
        ]


def _units(text: StoredText | None) -> dict[str, int]:
    if text is None:
        return {}
    return {unit.digest: unit.tokens for unit in text.units if unit.tokens >= _LEAST_TOKENS}


def _in_words(units: int, tokens: int) -> str:
    passages = "1 passage" if units == 1 else f"{units:,} passages"
    return f"{passages} of the text, {tokens:,} tokens"
