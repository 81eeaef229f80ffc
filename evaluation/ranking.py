"""One query's ranking of an index, judged: what every measure looks at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from evaluation.index import ChunkIndex
    from evaluation.reference import Fact


@dataclass(frozen=True, slots=True)
class JudgedRanking:
    """Chunks best first, and which fact each of them carries."""

    index: ChunkIndex
    facts: tuple[Fact, ...]
    order: np.ndarray
    """shape (chunks,): numbers of the index's chunks, best first."""
    carried: np.ndarray
    """shape (facts, chunks), bool; columns in the order of the ranking."""

    def relevant(self) -> np.ndarray:
        """shape (chunks,), bool, in the order of the ranking: chunks that carry any fact."""
        return np.asarray(self.carried.any(axis=0))
