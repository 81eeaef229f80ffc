"""Canary queries: questions whose answer is known, put to a new collection before anybody else can.

Their files are those of ``ingest.questions.reading``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexing.search import search
from ingest.questions import DEFAULT_K
from ingest.questions.targets import is_answered_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexing.reranking import Ranking
    from ingest.questions import Question, Targets
    from wrac.protocols import Embedder, SparseEncoder, Store


@dataclass(frozen=True, slots=True)
class DeadCanary:
    """A canary that was not answered as it should be."""

    canary: Question
    found: tuple[str, ...]
    """URLs of the hits, best first."""

    def __str__(self) -> str:
        """For a person."""
        instead = ", ".join(self.found) or "no hit"
        wanted = " or ".join(self.canary.expected)
        return f"{self.canary.query!r}: {wanted} is not among the first {self.canary.k or DEFAULT_K} ({instead})"


def run_canaries(
    canaries: Sequence[Question],
    store: Store,
    encoders: tuple[Embedder, SparseEncoder],
    site: str,
    targets: Targets,
    ranking: Ranking | None = None,
) -> list[DeadCanary]:
    """Those that the store does not answer as they should be, in order, ranked as searches are.

    A question without an answer cannot be a canary, since a search always finds what is nearest: it is passed over.
    """
    embedder, sparse = encoders
    dead = []
    for canary in canaries:
        if canary.nothing:
            continue
        limit = canary.k or DEFAULT_K
        hits = search(
            canary.query, store=store, embedder=embedder, sparse=sparse, limit=limit, site=site, ranking=ranking
        )
        wanted = targets.of(canary)
        if not any(any(is_answered_by(canary, wanted, hit)) for hit in hits):
            dead.append(DeadCanary(canary, tuple(hit.url for hit in hits)))
    return dead
