"""An evaluation as JSON: the same bytes for the same questions and collection.

Its frame is that of ``evaluation.record``, so that both are compared by the same command: ``questions`` are what was
asked, ``searches[SEARCHER].rows[ROW].per_question[MEASURE]`` has one value for each, null where it has none.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.questions.answers import Answer, Evaluation

VERSION = 1
"""Raised whenever a reader of the record would have to change."""
KIND = "queries"
SEARCHER = "hybrid"
_DIGITS = 6
"""More are not the same on every processor."""


def as_record(evaluation: Evaluation, about: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that was found, question by question; ``about`` says of what collection."""
    site = evaluation.site
    row = {
        "queries": len(evaluation.answers),
        "overall": _means(evaluation),
        "by_tag": {tag: _means(evaluation, tag) for tag in evaluation.tags},
        "per_question": {
            measure: [_rounded(answer.values.get(measure)) for answer in evaluation.answers]
            for measure in evaluation.measures
        },
    }
    return {
        "version": VERSION,
        "kind": KIND,
        "primary": evaluation.primary,
        "measures": list(evaluation.measures),
        "k": evaluation.k,
        "site": site,
        **about,
        "questions": [_question(answer, site) for answer in evaluation.answers],
        "searches": {SEARCHER: {"rows": {site or "all sites": row}}},
        "answers": [_answer(answer) for answer in evaluation.answers],
    }


def _question(answer: Answer, site: str) -> dict[str, Any]:
    asked = answer.question
    return {
        "organisation": site,
        "type": asked.tags[0] if asked.tags else "",
        "query": asked.query,
        "document": answer.document,
        "tags": list(asked.tags),
        "urls": list(asked.urls),
        "quotes": list(asked.quotes),
        "nothing": asked.nothing,
        "k": asked.k,
    }


def _answer(answer: Answer) -> dict[str, Any]:
    return {
        "query": answer.question.query,
        "verdict": answer.verdict.value,
        "rank": answer.rank,
        "first": list(answer.first),
        "nearness": _rounded(answer.nearness),
        "findings": [{**asdict(finding), "cause": finding.cause.value} for finding in answer.findings],
        "hits": [
            {"url": hit.url, "breadcrumb": hit.breadcrumb, "score": _rounded(hit.score), "right": hit.is_right}
            for hit in answer.hits
        ],
    }


def _means(evaluation: Evaluation, tag: str = "") -> dict[str, float]:
    means = {measure: evaluation.mean(measure, tag) for measure in evaluation.measures}
    told = {name: round(value, _DIGITS) for name, value in means.items() if math.isfinite(value)}
    return told | {"n": len(evaluation.tagged(tag))}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
