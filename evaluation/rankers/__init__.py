"""What orders an index for a query. Every method's chunks are ranked by the same rankers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np


class Ranker(Protocol):
    """Ranks the texts that it was made with."""

    def scores(self, query: str) -> np.ndarray:
        """shape (texts,): the higher, the better."""
        ...
