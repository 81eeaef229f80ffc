"""Rerankers: models that read the question and a passage together, and put the best hits into their own order.

Off by default. A reranker that fails leaves the hits as the search ranked them, and says so.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from indexing.fusion import PAGE_WEIGHT
from indexing.query import DENSE_WEIGHT
from wrac.errors import ConfigError, RerankFailed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wrac.config import Settings
    from wrac.protocols import Reranker
    from wrac.records import Hit

MOST_CHARACTERS = 4_000
"""Of a passage that a reranker reads: more than the 512 tokens that most of them take in."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ranking:
    """How hits are ranked; what ``wrac.toml`` says of it."""

    dense_weight: float = DENSE_WEIGHT
    """Share of the dense side in a score, where the embedder reads the language."""
    page_weight: float = PAGE_WEIGHT
    """Weight of the best score of a hit's page beside its own."""
    reranker: Reranker | None = None
    reranked: int = 30
    """Hits that are reranked."""


def make_ranking(
    settings: Settings, *, rerank: bool | None = None, environment: Mapping[str, str] | None = None
) -> Ranking:
    """The ranking of the settings; ``rerank`` is asked for or forbidden for once, None for what the settings say.

    Raises ``ConfigError`` where reranking is asked for without a reranker, or the reranker cannot be used.
    """
    wanted = settings.rerank if rerank is None else rerank
    env = os.environ if environment is None else environment
    return Ranking(
        dense_weight=settings.search_dense_weight,
        page_weight=settings.search_page_weight,
        reranker=make_reranker(settings, env) if wanted else None,
        reranked=settings.reranker_hits,
    )


def make_reranker(settings: Settings, environment: Mapping[str, str]) -> Reranker:
    """The reranker that ``settings.reranker`` names: ``fastembed:MODEL``, ``cohere:MODEL``. Raises ``ConfigError``."""
    kind, _, model = settings.reranker.partition(":")
    if kind == "fastembed" and model:
        from indexing.cross_encoder import cross_encoder  # noqa: PLC0415 (loads onnxruntime)

        return cross_encoder(model, settings.data_dir / "models")
    if kind == "cohere" and model:
        from indexing.remote_reranker import make_remote_reranker  # noqa: PLC0415 (seldom needed)

        return make_remote_reranker(model, settings, environment)
    said = f"reranker = {settings.reranker!r} is unknown" if settings.reranker else "reranking needs a reranker"
    raise ConfigError(f"{said}: write fastembed:MODEL or cohere:MODEL (wrac.toml, or WRAC_RERANKER)")


def reranked(query: str, hits: Sequence[Hit], ranking: Ranking) -> list[Hit]:
    """The first ``ranking.reranked`` hits in the reranker's order, with its scores, then the others as they are.

    All of them as they are, with a warning, where there is no reranker or it fails.
    """
    first, others = list(hits[: ranking.reranked]), list(hits[ranking.reranked :])
    if ranking.reranker is None or not first:
        return list(hits)
    try:
        scores = np.asarray(ranking.reranker.scores(query, [_passage(hit) for hit in first]), dtype=np.float64)
        if scores.shape != (len(first),) or not np.isfinite(scores).all():
            raise RerankFailed(f"the reranker {ranking.reranker.name} did not give one number a passage")  # noqa: TRY301
    except RerankFailed as fault:
        _log.warning("Not reranked, hits stand as the search ranked them: %s", fault)
        return list(hits)
    order = np.argsort(-scores, kind="stable")
    return [*(replace(first[place], score=float(scores[place])) for place in order), *others]


def _passage(hit: Hit) -> str:
    """What a reranker reads of a hit: where it stands and, of a long one, what is nearest to the question."""
    said = hit.part or hit.text
    return (f"{hit.breadcrumb}\n{said}" if hit.breadcrumb else said)[:MOST_CHARACTERS]
