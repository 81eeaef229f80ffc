"""How much of a document its chunks still say, and how much they say that it does not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluation.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Fidelity:
    """Counts of words over any number of documents."""

    source: int = 0
    """Words of the documents."""
    kept: int = 0
    """Those that stand in the chunks as often as in the document."""
    produced: int = 0
    """Words of the chunks."""
    invented: int = 0
    """Those that stand nowhere in the document."""

    def __add__(self, other: Fidelity) -> Fidelity:
        return Fidelity(
            self.source + other.source,
            self.kept + other.kept,
            self.produced + other.produced,
            self.invented + other.invented,
        )

    @property
    def kept_share(self) -> float:
        """Share of the documents' words that the chunks keep, 0 to 1."""
        return self.kept / self.source if self.source else 1.0

    @property
    def invented_share(self) -> float:
        """Share of the chunks' words that are not the document's, 0 to 1."""
        return self.invented / self.produced if self.produced else 0.0


def fidelity(source: str, chunks: Iterable[str]) -> Fidelity:
    """Compares the words of one document with those of its chunks; repeated headings are no invention."""
    wanted = Counter(words_of(source))
    said = Counter(word for chunk in chunks for word in words_of(chunk))
    return Fidelity(
        source=wanted.total(),
        kept=(wanted & said).total(),
        produced=said.total(),
        invented=sum(count for word, count in said.items() if word not in wanted),
    )
