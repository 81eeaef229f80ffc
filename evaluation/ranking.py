"""One query's ranking of an index, judged: what every measure looks at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.judge import JudgedText
    from evaluation.reference import Fact


class JudgedChunks(Protocol):
    """The chunks of a ranking: those of a whole index, or the hits that a search gave."""

    @property
    def judged(self) -> Sequence[JudgedText]:
        """Each chunk, prepared for judging."""
        ...

    @property
    def sizes(self) -> np.ndarray:
        """shape (chunks,): wordpieces of each."""
        ...

    def beginning(self, number: int, tokens: int) -> JudgedText:
        """The first ``tokens`` wordpieces of a chunk."""
        ...


@dataclass(frozen=True, slots=True)
class JudgedRanking:
    """Chunks best first, and which fact each of them carries."""

    index: JudgedChunks
    facts: tuple[Fact, ...]
    order: np.ndarray
    """shape (chunks,): numbers of the index's chunks, best first."""
    carried: np.ndarray
    """shape (facts, chunks), bool; columns in the order of the ranking."""

    def relevant(self) -> np.ndarray:
        """shape (chunks,), bool, in the order of the ranking: chunks that carry any fact."""
        return np.asarray(self.carried.any(axis=0))
