"""Fixed-size chunks: so many tokens, some of them said again, no regard for what the text is."""

from __future__ import annotations

from evaluation.index import token_spans

SIZE = 256
OVERLAP = 32
"""Wordpieces; an eighth of the size, as is common."""


def fixed_chunks(text: str, size: int = SIZE, overlap: int = OVERLAP) -> list[str]:
    """Runs of ``size`` wordpieces, each beginning ``overlap`` before the end of the last."""
    spans = token_spans(text)
    starts = range(0, max(1, len(spans) - overlap), size - overlap) if spans else range(0)
    return [text[spans[start][0] : spans[min(start + size, len(spans)) - 1][1]] for start in starts]
