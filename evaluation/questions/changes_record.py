"""A comparison of two results as JSON: the same bytes for the same results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluation.questions.changes import Change, Comparison, Means

VERSION = 1
"""Raised whenever a reader of the record would have to change."""
_DIGITS = 6


def as_record(comparison: Comparison) -> dict[str, Any]:
    """Everything that was found."""
    return {
        "version": VERSION,
        "kind": "comparison",
        "first": {"file": comparison.before.name, "of": comparison.before.about},
        "second": {"file": comparison.after.name, "of": comparison.after.about},
        "only_in_first": comparison.only_before,
        "only_in_second": comparison.only_after,
        "measures": {found.measure: _means(found) for found in comparison.measures},
        "by_tag": {tag: {found.measure: _means(found)} for tag, found in comparison.by_tag.items()},
        "questions": [_change(change) for change in comparison.changes],
    }


def _means(found: Means) -> dict[str, Any]:
    interval = found.interval
    ends = [round(interval.low, _DIGITS), round(interval.high, _DIGITS)] if interval.is_known else None
    return {
        "questions": found.questions,
        "first": round(found.before, _DIGITS),
        "second": round(found.after, _DIGITS),
        "difference": round(interval.difference, _DIGITS),
        "interval": ends,
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "query": change.after.query,
        "organisation": change.before.organisation,
        "tags": list(change.before.tags),
        "turn": change.turn.value,
        "measure": change.measure,
        "values": [change.before.values[change.measure], change.after.values[change.measure]],
        "places": [change.before.rank, change.after.rank],
        "hits": [list(change.before.hits), list(change.after.hits)],
    }
