"""What orders an index for a query. Every method's chunks are ranked by the same rankers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np


class Ranker(Protocol):
    """Ranks the texts that it was made with."""

    def scores(self, query: str) -> np.ndarray:
        """shape (texts,): the higher, the better."""
        ...


@runtime_checkable
class FileRanking(Protocol):
    """Makes rankers that also look at the files that texts are from."""

    def of_files(self, texts: Sequence[str], filenames: Sequence[str]) -> Ranker:
        """A ranker of ``texts``, each from the file at its place."""
        ...


MakesRanker: TypeAlias = "Callable[[Sequence[str]], Ranker] | FileRanking"


def make_ranker_of(make: MakesRanker, texts: Sequence[str], filenames: Sequence[str]) -> Ranker:
    """A ranker of the texts, by whichever of the two ways ``make`` has."""
    return make.of_files(texts, filenames) if isinstance(make, FileRanking) else make(texts)
