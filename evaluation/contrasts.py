"""One row against another: on all questions, by type of question, by organisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluation.intervals import paired_intervals
from evaluation.measures import MEASURES, PRIMARY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.intervals import Interval
    from evaluation.scores import MethodScores


@dataclass(frozen=True, slots=True)
class Contrast:
    """How much better a row is than another, an interval for each measure."""

    overall: Mapping[str, Interval]
    by_kind: Mapping[str, Mapping[str, Interval]]
    """By type of question."""
    by_organisation: Mapping[str, Mapping[str, Interval]]

    @property
    def kinds_better(self) -> tuple[str, ...]:
        """Types on which the row is better by the primary measure, beyond chance."""
        return tuple(kind for kind, found in self.by_kind.items() if found[PRIMARY].is_above)


def contrast(one: MethodScores, other: MethodScores) -> Contrast:
    """``one`` minus ``other``, on the questions that were put to both."""
    names = tuple(MEASURES)
    return Contrast(
        overall=paired_intervals(one, other, names),
        by_kind={kind: paired_intervals(one.of(kind=kind), other, names) for kind in one.kinds},
        by_organisation={name: paired_intervals(one.of(organisation=name), other, names) for name in one.organisations},
    )


def contrasts(scores: Mapping[str, MethodScores], against: str) -> dict[str, Contrast]:
    """Every row of one searcher against the row ``against``, which is left out; empty where it has no scores."""
    if against not in scores:
        return {}
    return {row: contrast(found, scores[against]) for row, found in scores.items() if row != against}
