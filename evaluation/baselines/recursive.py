"""Recursive splitting: at blank lines, where that is too coarse at lines, then sentences, then words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.index import token_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZE = 512
OVERLAP = 64
"""Wordpieces."""
SEPARATORS = ("\n\n", "\n", ". ", " ")


def recursive_chunks(text: str, size: int = SIZE, overlap: int = OVERLAP) -> list[str]:
    """Neighbouring pieces packed up to ``size`` wordpieces, the last ``overlap`` of a chunk said again in the next."""
    chunks: list[str] = []
    packed: list[tuple[str, int]] = []
    total = fresh = 0
    for piece in _pieces(text, size, SEPARATORS):
        count = len(token_spans(piece))
        if fresh and total + count > size:
            chunks.append("".join(part for part, _ in packed).strip())
            while packed and (total > overlap or total + count > size):
                total -= packed.pop(0)[1]
            fresh = 0
        packed.append((piece, count))
        total += count
        fresh += 1
    if fresh:
        chunks.append("".join(part for part, _ in packed).strip())
    return [chunk for chunk in chunks if chunk]


def _pieces(text: str, size: int, separators: Sequence[str]) -> list[str]:
    """The text in pieces of at most ``size``, separators kept at their ends; joined they are the text."""
    if len(token_spans(text)) <= size or not separators:
        return [text]
    separator, *finer = separators
    parts = text.split(separator)
    whole = [part + separator for part in parts[:-1]] + [parts[-1]]
    return [piece for part in whole if part for piece in _pieces(part, size, finer)]
