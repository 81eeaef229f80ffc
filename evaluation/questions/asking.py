"""Questions put to a collection as a reader would put them, and judged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evaluation.questions.answers import Answer, Evaluation, Found, Verdict
from evaluation.questions.diagnosis import DEEP, Diagnosis
from evaluation.questions.judged import BUDGET_MEASURE, TURNED_AWAY, JudgedHits, measures_for
from indexing.search import search

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.questions.diagnosis import World
    from indexing.reranking import Ranking
    from ingest.questions import Question, Target
    from wrac.protocols import Embedder, SparseEncoder, Store
    from wrac.records import Hit

BUDGET_HITS = 16
"""Hits that are asked for at least, to fill the budget; so few come of the same candidates as fewer do
(``indexing.query``), and so in the same order."""
LET_THROUGH = 90
"""Of a hundred questions that have an answer, those that a limit on nearness is to let through at least."""


@dataclass(frozen=True, slots=True)
class Collection:
    """What is asked: an open store and what its queries are encoded with."""

    store: Store
    embedder: Embedder
    sparse: SparseEncoder
    site: str
    """Empty for all sites."""
    ranking: Ranking | None = None
    """How hits are ranked; None for the defaults."""

    def hits(self, query: str, limit: int) -> list[Hit]:
        """As ``wrac search`` has them. Raises ``StoreError``."""
        return search(
            query,
            store=self.store,
            embedder=self.embedder,
            sparse=self.sparse,
            limit=limit,
            site=self.site or None,
            ranking=self.ranking,
        )


def measure_names(questions: Sequence[Question], k: int) -> list[str]:
    """What ``evaluate`` measures, before anything is asked."""
    has_nothing = any(question.nothing for question in questions)
    return [*measures_for(k), BUDGET_MEASURE, *([TURNED_AWAY] if has_nothing else [])]


def evaluate(questions: Sequence[Question], collection: Collection, world: World, k: int) -> Evaluation:
    """Every question asked and judged among its first ``k`` hits, or as many as the question itself says.

    The same collection gives the same result. Raises ``StoreError``, ``TransientError``.
    """
    with_nearness = any(question.nothing for question in questions)
    diagnosis = Diagnosis(world, collection.store, collection.site)
    answers = [_answer(question, collection, diagnosis, k, with_nearness=with_nearness) for question in questions]
    return Evaluation(
        answers=tuple(_turned_away(answers)),
        measures=tuple(measure_names(questions, k)),
        k=k,
        site=collection.site,
    )


def _answer(question: Question, collection: Collection, diagnosis: Diagnosis, k: int, *, with_nearness: bool) -> Answer:
    wanted = question.k or k
    judged_hits = max(k, wanted)
    filling = collection.hits(question.query, max(judged_hits, BUDGET_HITS))
    hits = filling[:judged_hits]
    targets = diagnosis.world.targets.of(question)
    judged = JudgedHits(question, targets, hits, judged_hits)
    answer = Answer(
        question=question,
        document=_document(question, targets),
        hits=tuple(_found(hit, any(met)) for hit, met in zip(hits, judged.met, strict=True)),
        first=tuple(place + 1 if place >= 0 else None for place in judged.first),
        nearness=_nearness(question.query, hits[:wanted], collection) if with_nearness else None,
    )
    if question.nothing:
        return answer
    values = {name: measure(judged.ranking()) for name, measure in measures_for(k).items()}
    values[BUDGET_MEASURE] = JudgedHits(question, targets, filling, len(filling)).recall_in_budget()
    missing = [one for one, place in enumerate(judged.first) if not 0 <= place < wanted]
    answer = replace(answer, values=values, verdict=_verdict(len(missing), len(question.expected)))
    if not missing:
        return answer
    deep = collection.hits(question.query, DEEP)
    return replace(answer, findings=tuple(diagnosis.of(question, targets, deep, missing, wanted)))


def _verdict(missing: int, expected: int) -> Verdict:
    if not missing:
        return Verdict.FOUND
    return Verdict.MISSED if missing == expected and missing else Verdict.PARTLY


def _turned_away(answers: Sequence[Answer]) -> list[Answer]:
    """The answers, those without an answer on the site judged by how near the others are to what they found.

    A limit that lets nine of ten answered questions through is drawn; beyond it lies what can be told from them.
    """
    near = [a.nearness for a in answers if a.nearness is not None and a.verdict in (Verdict.FOUND, Verdict.PARTLY)]
    if not near:
        return list(answers)
    limit = sorted(near)[len(near) * (100 - LET_THROUGH) // 100]
    judged = []
    for answer in answers:
        if not answer.question.nothing or answer.nearness is None:
            judged.append(answer)
            continue
        is_away = answer.nearness < limit
        verdict = Verdict.TURNED_AWAY if is_away else Verdict.LET_IN
        judged.append(replace(answer, verdict=verdict, values={TURNED_AWAY: float(is_away)}, limit=limit))
    return judged


def _nearness(query: str, hits: Sequence[Hit], collection: Collection) -> float | None:
    """Cosine of the question and the nearest lines of the hits: scores say only which hit is better than another."""
    if not hits:
        return None
    texts = [f"{hit.breadcrumb}\n{hit.part or hit.text}" for hit in hits]
    cosines = collection.embedder.embed(texts) @ collection.embedder.embed_query(query)
    return float(cosines.max())


def _document(question: Question, targets: Sequence[Target]) -> str:
    """What hangs together: questions about one page. A question without a URL stands alone."""
    return targets[0].place if targets else question.query


def _found(hit: Hit, is_right: bool) -> Found:
    return Found(hit.url, hit.breadcrumb or hit.title, hit.score, is_right)
