"""A comparison as JSON: the same bytes for the same inputs, but for our own seconds where they are asked for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from evaluation.bills import PRICED_MODELS, Bill
from evaluation.contrasts import contrasts
from evaluation.intervals import CONFIDENCE, DRAWS, LEAST_DOCUMENTS, SEED
from evaluation.measures import MEASURES, PRIMARY
from evaluation.papers import PAPER_FIGURES, beside
from evaluation.report import bills_of, shows_seconds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.comparison import Comparison
    from evaluation.contrasts import Contrast
    from evaluation.intervals import Interval
    from evaluation.rows import Row
    from evaluation.scores import MethodScores

VERSION = 1
"""Raised whenever a reader of the record would have to change."""
KIND = "ragmc"
_DIGITS = 6
"""More are not the same on every processor."""
_NO_ENDS = (math.nan, math.nan)
_INTERVALS = {
    "method": "paired bootstrap",
    "resampled": "documents with all their questions",
    "draws": DRAWS,
    "least_documents": LEAST_DOCUMENTS,
    "seed": SEED,
    "confidence": CONFIDENCE,
}


def as_record(result: Comparison, against: Row, *, times: bool = False) -> dict[str, Any]:
    """Everything that was found, question by question.

    ``questions`` are all that any row was asked; ``searches[SEARCHER].rows[ROW].per_question[MEASURE]`` has one value
    for each of them, in their order, null where the row was not asked.
    """
    questions = _questions(result)
    bills = bills_of(result)
    return {
        "version": VERSION,
        "kind": KIND,
        "primary": PRIMARY,
        "measures": list(MEASURES),
        "queries": result.queries,
        "skipped": result.skipped,
        "unread": result.unread,
        "against": against.name,
        "intervals": _INTERVALS,
        "questions": [
            {"organisation": organisation, "type": kind, "query": text, "document": document}
            for (organisation, text), (kind, document) in questions.items()
        ],
        "rows": {row.name: _row_record(result, row) for row in result.rows if row.name in result.produced},
        "searches": {
            searcher: {"rows": _search_record(scores, against.name, list(questions))}
            for searcher, scores in result.scores.items()
        },
        "published_plan_faults": {r: {"units": c.units, "documents": c.documents} for r, c in result.faults.items()},
        "published_plans": result.documents_planned,
        "units_lost_after_repair": result.lost,
        "bills": {
            organisation: {
                row: _bill_record(bill, seconds=shows_seconds(row, times=times)) for row, bill in found.items()
            }
            for organisation, found in bills.items()
        },
        "papers": _papers(bills["all"]) if bills else [],
    }


def _papers(bills: Mapping[str, Bill]) -> list[dict[str, Any]]:
    return [
        {
            "paper": figure.paper,
            "what": figure.what,
            "said": figure.said,
            "here": _rounded(beside(figure, bills)),
        }
        for figure in PAPER_FIGURES
    ]


def _questions(result: Comparison) -> dict[tuple[str, str], tuple[str, str]]:
    """Type and document by organisation and text, in the order in which they were asked."""
    asked = (score for scores in result.scores.values() for found in scores.values() for score in found.queries)
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for score in asked:
        found.setdefault((score.query.organisation, score.query.text), (score.query.kind, score.document))
    order = {name: place for place, name in enumerate(dict.fromkeys(organisation for organisation, _ in found))}
    return dict(sorted(found.items(), key=lambda item: order[item[0][0]]))


def _row_record(result: Comparison, row: Row) -> dict[str, Any]:
    kept = result.fidelity(row.name)
    record: dict[str, Any] = {
        "method": row.method,
        "format": row.source,
        "words_kept": round(kept.kept_share, _DIGITS),
        "words_invented": round(kept.invented_share, _DIGITS),
        "documents_without_reply": {
            name: fault for made in result.produced[row.name].values() for name, fault in made.faults.items()
        },
    }
    scores = next((found[row.name] for found in result.scores.values() if row.name in found), None)
    if scores is not None:
        record |= {
            "chunks": scores.chunks,
            "copies": sum(figures.copies for figures in scores.figures),
            "mean_tokens": round(scores.mean_tokens, _DIGITS),
            "median_tokens": scores.size(50),
            "p95_tokens": round(scores.size(95), _DIGITS),
            "coverage": round(scores.coverage, _DIGITS),
            "documents_without_chunk": sum(figures.documents_missing for figures in scores.figures),
        }
    return record


def _search_record(
    scores: Mapping[str, MethodScores], against: str, questions: list[tuple[str, str]]
) -> dict[str, dict[str, Any]]:
    contrasted = contrasts(scores, against)
    return {
        row: {
            "queries": len(found.queries),
            "overall": _means(found),
            "by_organisation": {name: _means(found.of(organisation=name)) for name in found.organisations},
            "by_query_type": {kind: _means(found.of(kind=kind)) for kind in found.kinds},
            "minus_against": _contrast_record(contrasted[row]) if row in contrasted else None,
            "per_question": _per_question(found, questions),
        }
        for row, found in scores.items()
    }


def _per_question(scores: MethodScores, questions: list[tuple[str, str]]) -> dict[str, list[float | None]]:
    values = {(score.query.organisation, score.query.text): score.values for score in scores.queries}
    return {
        measure: [round(values[key][measure], _DIGITS) if key in values else None for key in questions]
        for measure in MEASURES
    }


def _contrast_record(found: Contrast) -> dict[str, Any]:
    return {
        "overall": _intervals(found.overall),
        "by_organisation": {name: _intervals(part) for name, part in found.by_organisation.items()},
        "by_query_type": {kind: _intervals(part) for kind, part in found.by_kind.items()},
    }


def _intervals(found: Mapping[str, Interval]) -> dict[str, list[float | None]]:
    """Difference and both ends by measure; null for what is no number, and for ends that say nothing."""
    return {
        measure: [
            round(value, _DIGITS) if math.isfinite(value) else None
            for value in (interval.difference, *((interval.low, interval.high) if interval.is_known else _NO_ENDS))
        ]
        for measure, interval in found.items()
    }


def _means(scores: MethodScores) -> dict[str, float]:
    return _rounded({name: scores.mean(name) for name in MEASURES}) | {"n": len(scores.queries)}


def _bill_record(bill: Bill, *, seconds: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "documents": bill.documents,
        "calls": bill.usage.calls,
        "documents_without_call": bill.saved,
        "input_tokens": bill.usage.input_tokens,
        "cached_tokens": bill.usage.cached_tokens,
        "output_tokens": bill.usage.output_tokens,
        "dollars": {model: float(bill.money(model)) for model in PRICED_MODELS},
    }
    return {**record, "seconds": round(bill.seconds, _DIGITS)} if seconds else record


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, _DIGITS) for name, value in values.items() if math.isfinite(value)}
