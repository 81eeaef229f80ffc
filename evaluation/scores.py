"""One method's chunks judged: every measure for every query, means, sizes and coverage."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from evaluation.index import ChunkIndex
from evaluation.judge import is_judgeable
from evaluation.measures import MEASURES
from evaluation.rankers import make_ranker_of
from evaluation.ranking import JudgedRanking
from evaluation.reference import Reference
from evaluation.words import words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from evaluation.corpora.ragmc import Query
    from evaluation.index import EvaluatedChunk
    from evaluation.rankers import MakesRanker
    from evaluation.reference import Fact


@dataclass(frozen=True, slots=True)
class QueryScore:
    """All measures of one query."""

    query: Query
    document: str
    """Key of the document of its first fact."""
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class IndexFigures:
    """What an index holds, apart from any query."""

    chunks: int
    copies: int
    """Exact copies that were left out."""
    sizes: tuple[int, ...]
    """Wordpieces of each chunk."""
    words: int
    """Words of the organisation's documents."""
    words_missing: int
    """Those that stand in no chunk as often as in the documents."""
    documents_missing: int
    """Documents without a chunk."""

    @property
    def tokens(self) -> int:
        """Wordpieces of all chunks."""
        return sum(self.sizes)


@dataclass(frozen=True)
class MethodScores:
    """One method on one or several organisations."""

    queries: tuple[QueryScore, ...]
    figures: tuple[IndexFigures, ...]
    """One for each organisation."""

    def mean(self, measure: str) -> float:
        """Mean over the queries, not a number where there is none."""
        values = [score.values[measure] for score in self.queries]
        return float(np.mean(values)) if values else float("nan")

    def of(self, *, organisation: str = "", kind: str = "") -> MethodScores:
        """The queries of one organisation or of one type; what the index holds is that of all."""
        kept = (
            score
            for score in self.queries
            if organisation in ("", score.query.organisation) and kind in ("", score.query.kind)
        )
        return MethodScores(tuple(kept), self.figures)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Types of the queries, sorted."""
        return tuple(sorted({score.query.kind for score in self.queries}))

    @cached_property
    def organisations(self) -> tuple[str, ...]:
        """Organisations of the queries, in order."""
        return tuple(dict.fromkeys(score.query.organisation for score in self.queries))

    @cached_property
    def chunks(self) -> int:
        """Distinct chunks."""
        return sum(figures.chunks for figures in self.figures)

    @property
    def mean_tokens(self) -> float:
        """Mean size of a chunk in wordpieces."""
        return sum(figures.tokens for figures in self.figures) / max(1, self.chunks)

    def size(self, percentile: float) -> float:
        """Wordpieces that this share of the chunks, 0 to 100, does not exceed; not a number without chunks."""
        sizes = [size for figures in self.figures for size in figures.sizes]
        return float(np.percentile(sizes, percentile)) if sizes else float("nan")

    @property
    def coverage(self) -> float:
        """Share of the documents' words that stand in a chunk."""
        words = sum(figures.words for figures in self.figures)
        return 1 - sum(figures.words_missing for figures in self.figures) / max(1, words)


class Examination:
    """The questions of one organisation and what they are judged by; any number of methods may sit it."""

    def __init__(self, documents: Mapping[str, str], queries: Sequence[Query]) -> None:
        """``documents`` maps file names to Markdown."""
        self.reference = Reference(documents)
        self._asked: list[tuple[Query, tuple[Fact, ...]]] = []
        self.skipped = 0
        """Queries none of whose facts its document says enough of."""
        for query in queries:
            facts = [fact for fact in map(self.reference.fact, query.facts) if is_judgeable(fact)]
            if facts:
                self._asked.append((query, tuple(facts)))
            else:
                self.skipped += 1

    def scores(
        self,
        chunks: Sequence[EvaluatedChunk],
        make_ranker: MakesRanker,
        measures: Mapping[str, Callable[[JudgedRanking], float]] = MEASURES,
    ) -> MethodScores:
        """Every query asked against the chunks."""
        return self.scores_under(chunks, {"": make_ranker}, measures)[""]

    def scores_under(
        self,
        chunks: Sequence[EvaluatedChunk],
        searchers: Mapping[str, MakesRanker],
        measures: Mapping[str, Callable[[JudgedRanking], float]] = MEASURES,
    ) -> dict[str, MethodScores]:
        """``scores`` by searcher; the chunks are judged once for all of them."""
        index = ChunkIndex(self.reference, chunks)
        carriers = [index.carriers(facts) for _, facts in self._asked]
        figures = (self._figures(index),)
        found: dict[str, MethodScores] = {}
        for searcher, make_ranker in searchers.items():
            ranker = make_ranker_of(make_ranker, index.texts, index.filenames)
            scored = []
            for (query, facts), carried in zip(self._asked, carriers, strict=True):
                order = np.argsort(-ranker.scores(query.text), kind="stable")
                ranking = JudgedRanking(index, facts, order, carried[:, order])
                values = {name: measure(ranking) for name, measure in measures.items()}
                scored.append(QueryScore(query, facts[0].document, values))
            found[searcher] = MethodScores(tuple(scored), figures)
        return found

    def _figures(self, index: ChunkIndex) -> IndexFigures:
        wanted = Counter(word for words in self.reference.words.values() for word in words)
        held = Counter(word for text in index.texts for word in words_of(text))
        covered = {text.document for text in index.judged}
        return IndexFigures(
            chunks=len(index.texts),
            copies=index.copies,
            sizes=tuple(index.sizes.tolist()),
            words=wanted.total(),
            words_missing=(wanted - held).total(),
            documents_missing=len(self.reference.documents - covered),
        )


def joined(scores: Iterable[MethodScores]) -> MethodScores:
    """The scores of one method on several organisations, together."""
    parts = list(scores)
    return MethodScores(
        tuple(score for part in parts for score in part.queries),
        tuple(figures for part in parts for figures in part.figures),
    )
