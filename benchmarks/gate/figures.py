"""What the gate measures on its corpus: conversion, coverage, retrieval. No network, no model but the default one."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.coverage import Coverage, coverage
from benchmarks.figures import less, more
from benchmarks.gate.conversion import KINDS, Agreement, agreement
from benchmarks.gate.inputs import CORPUS, converted_documents, open_corpus, unwanted
from benchmarks.pipeline import chunks_of
from evaluation.index import EvaluatedChunk
from evaluation.measures import recall_at, recall_in_budget, reciprocal_rank_at
from evaluation.rankers.bm25 import Bm25Ranker
from evaluation.rankers.hybrid import HybridRanking
from evaluation.scores import Examination, joined
from indexing import make_sparse_encoder
from indexing.embedders import minilm
from wrac.config import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.figures import Figure
    from benchmarks.gate.inputs import GateDocument
    from evaluation.corpora.ragmc import RagMultiCorpus
    from evaluation.rankers import MakesRanker
    from evaluation.scores import MethodScores
    from wrac.records import Chunk, UnitTree

MEASURES = {
    "R@200t": partial(recall_in_budget, budget=200),
    "R@500t": partial(recall_in_budget, budget=500),
    "R@3": partial(recall_at, k=3),
    "MRR": partial(reciprocal_rank_at, k=6),
}
"""The budgets are small because the corpus is."""


def gate_figures(scratch: Path, root: Path = CORPUS) -> list[Figure]:
    """All figures of the corpus at ``root``; the models' own files may be written into ``scratch``."""
    corpus = open_corpus(root)
    documents, unread = converted_documents(corpus)
    made = [(document, *chunks_of(document.document)) for document in documents]
    return [
        more("conversion: documents", len(documents)),
        less("conversion: documents that cannot be read", len(unread)),
        *conversion_figures(documents, unwanted(root)),
        *coverage_figures(made),
        *retrieval_figures(corpus, made, scratch),
    ]


def conversion_figures(documents: Sequence[GateDocument], furniture: Sequence[str]) -> list[Figure]:
    """F1 against the expected Markdown, over all documents, and pieces of furniture that came out."""
    agreed: dict[str, Agreement] = defaultdict(Agreement)
    for document in documents:
        for kind, found in agreement(document.expected, document.document.text).items():
            agreed[kind] += found
    came_out = sum(text in document.document.text for document in documents for text in furniture)
    return [
        *(more(f"conversion: {kind}", agreed[kind].f1) for kind in KINDS),
        less("conversion: unwanted texts", came_out),
    ]


def coverage_figures(made: Sequence[tuple[GateDocument, UnitTree, tuple[Chunk, ...]]]) -> list[Figure]:
    """Whether every unit is in the chunks, once, in order and verbatim."""
    covered = sum((coverage(tree, chunks) for _, tree, chunks in made), Coverage())
    return [
        less("coverage: lost", covered.lost),
        less("coverage: duplicated", covered.duplicated),
        less("coverage: out of order", covered.out_of_order),
        less("coverage: not verbatim", covered.not_verbatim),
        less("coverage: headings lost", covered.headings_lost),
        less("coverage: characters in no unit or in two", covered.untiled),
    ]


def retrieval_figures(
    corpus: RagMultiCorpus, made: Sequence[tuple[GateDocument, UnitTree, tuple[Chunk, ...]]], scratch: Path
) -> list[Figure]:
    """The questions asked against the chunks, of each organisation by itself."""
    searchers: dict[str, MakesRanker] = {"bm25": Bm25Ranker, "hybrid": _own_search(scratch)}
    parts: dict[str, list[MethodScores]] = defaultdict(list)
    left_out = 0
    for organisation in corpus.organisations:
        gold = {file.name: file.read_text(encoding="utf-8") for file in corpus.files(organisation, "md")}
        examination = Examination(gold, corpus.queries(organisation))
        left_out += examination.skipped
        chunks = [
            EvaluatedChunk(document.filename, chunk.embed_text)
            for document, _, own in made
            if document.organisation == organisation
            for chunk in own
        ]
        for searcher, scores in examination.scores_under(chunks, searchers, MEASURES).items():
            parts[searcher].append(scores)
    together = {searcher: joined(found) for searcher, found in parts.items()}
    questions = len(together["bm25"].queries)
    return [
        more("retrieval: questions", questions),
        less("retrieval: questions left out", left_out),
        more("retrieval: words covered", together["bm25"].coverage),
        *(
            more(f"retrieval: {searcher} {name}", scores.mean(name))
            for searcher, scores in together.items()
            for name in MEASURES
        ),
    ]


def _own_search(scratch: Path) -> HybridRanking:
    return HybridRanking(minilm(scratch / "models"), make_sparse_encoder(Settings(data_dir=scratch)))
