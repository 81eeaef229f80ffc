"""Two results of the same questions: what was won, lost and moved, and whether that is more than chance."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from evaluation.corpora.ragmc import Query
from evaluation.intervals import Interval, paired_interval
from evaluation.questions.judged import BUDGET_MEASURE, TURNED_AWAY
from evaluation.scores import MethodScores, QueryScore
from wrac.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evaluation.questions.results import Asked, Key, Result

_NAMED = 5
"""Questions that a refusal names."""


class Turn(StrEnum):
    """What became of a question from the first result to the second."""

    LOST = "lost"
    WON = "won"
    DOWN = "moved down"
    UP = "moved up"
    SAME = "as before"


@dataclass(frozen=True, slots=True)
class Change:
    """One question in both results."""

    turn: Turn
    before: Asked
    after: Asked
    measure: str
    """That it was judged by: the primary one, or the only one that it has."""

    @property
    def difference(self) -> float:
        """Of the measure."""
        return self.after.values[self.measure] - self.before.values[self.measure]


@dataclass(frozen=True, slots=True)
class Means:
    """One measure over the questions that have it in both results."""

    measure: str
    questions: int
    before: float
    after: float
    interval: Interval


@dataclass(frozen=True)
class Comparison:
    """Two results, question by question."""

    before: Result
    after: Result
    measures: tuple[Means, ...]
    by_tag: dict[str, Means]
    """The primary measure."""
    changes: tuple[Change, ...]
    """Of all common questions, what was lost first."""
    only_before: int = 0
    only_after: int = 0

    def of(self, turn: Turn) -> list[Change]:
        """The questions that turned so."""
        return [change for change in self.changes if change.turn is turn]


def compare(before: Result, after: Result, *, common: bool = False) -> Comparison:
    """How the second result differs from the first; with ``common``, on the questions of both.

    Raises ``ConfigError`` where the questions are not the same, or no measure is.
    """
    measures = [name for name in before.measures if name in after.measures]
    if before.k != after.k and "MRR" in measures:
        measures.remove("MRR")  # it is cut at k
    if before.kind != after.kind or not measures:
        raise ConfigError(
            f"{before.name} and {after.name} have no measure in common ({', '.join(before.measures)}; "
            f"{', '.join(after.measures)}): compare results of the same command with the same --k"
        )
    shared = [key for key in before.asked if key in after.asked]
    only = [[key for key in one.asked if key not in other.asked] for one, other in ((before, after), (after, before))]
    if not shared or (any(only) and not common):
        raise ConfigError(_refusal(before, after, len(shared), only))
    pairs = [(before.asked[key], after.asked[key]) for key in shared]
    primary = before.primary if before.primary in measures else measures[0]
    tags = dict.fromkeys(tag for one, _ in pairs for tag in one.tags)
    by_tag = {tag: _means([pair for pair in pairs if tag in pair[0].tags], primary) for tag in tags}
    return Comparison(
        before=before,
        after=after,
        measures=tuple(found for name in measures if (found := _means(pairs, name)) is not None),
        by_tag={tag: found for tag, found in by_tag.items() if found is not None},
        changes=tuple(_changes(pairs, primary)),
        only_before=len(only[0]),
        only_after=len(only[1]),
    )


def _means(pairs: Sequence[tuple[Asked, Asked]], measure: str) -> Means | None:
    both = [pair for pair in pairs if all(measure in one.values for one in pair)]
    if not both:
        return None
    before, after = (_scores([pair[side] for pair in both], [pair[0] for pair in both]) for side in (0, 1))
    return Means(measure, len(both), before.mean(measure), after.mean(measure), paired_interval(after, before, measure))


def _scores(asked: Sequence[Asked], named: Sequence[Asked]) -> MethodScores:
    """As the intervals want them; both sides are ``named`` after the first result."""
    queries = (
        QueryScore(Query(name.organisation, "", "\n".join(name.key), ()), name.document, one.values)
        for one, name in zip(asked, named, strict=True)
    )
    return MethodScores(tuple(queries), ())


def _changes(pairs: Iterable[tuple[Asked, Asked]], primary: str) -> list[Change]:
    found = []
    for before, after in pairs:
        measure = next((m for m in (primary, TURNED_AWAY) if m in before.values and m in after.values), "")
        if measure:
            found.append(Change(_turn(before, after, measure), before, after, measure))
    order = list(Turn)
    return sorted(found, key=lambda change: (order.index(change.turn), -abs(change.difference)))


def _turn(before: Asked, after: Asked, measure: str) -> Turn:
    for name in (measure, "MRR", BUDGET_MEASURE):
        one, other = before.values.get(name), after.values.get(name)
        if one is not None and other is not None and one != other:
            worse, better = (Turn.LOST, Turn.WON) if name == measure else (Turn.DOWN, Turn.UP)
            return better if other > one else worse
    return Turn.SAME


def _refusal(before: Result, after: Result, shared: int, only: Sequence[Sequence[Key]]) -> str:
    counted = (
        f"{before.name} has {len(before.asked)} questions and {after.name} has {len(after.asked)}; "
        f"{shared or 'none'} {'is' if shared == 1 else 'are'} in both, with the same expectations"
    )
    told = [counted]
    for result, keys in zip((before, after), only, strict=True):
        names = [repr(result.asked[key].query) for key in keys[:_NAMED]]
        more = f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else ""
        if keys:
            told.append(f"only in {result.name}: {', '.join(names)}{more}")
    step = "--common compares what is in both" if shared else "ask both collections the same file"
    return ". ".join([*told, step])
