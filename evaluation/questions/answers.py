"""What came out of asking: every question with its hits, its measures and why it failed."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.questions.causes import Finding
    from ingest.questions import Question


class Verdict(StrEnum):
    """How a question ended."""

    FOUND = "found"
    PARTLY = "partly found"
    """Some of what was expected."""
    MISSED = "missed"
    TURNED_AWAY = "turned away"
    """It has no answer, and what was found is farther from it than from those that have one."""
    LET_IN = "not turned away"
    """It has no answer, and looks as if it had one."""
    UNJUDGED = "not judged"
    """It has no answer, and there is no answered question to tell it from."""

    @property
    def is_good(self) -> bool:
        """Whether nobody has to look."""
        return self in (Verdict.FOUND, Verdict.TURNED_AWAY)


@dataclass(frozen=True, slots=True)
class Found:
    """A hit, as far as a person wants to see it."""

    url: str
    breadcrumb: str
    score: float
    is_right: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """One question, asked."""

    question: Question
    document: str
    """What its page is known by, for intervals."""
    hits: tuple[Found, ...]
    first: tuple[int | None, ...] = ()
    """Place from 1 of the first hit that meets each of ``question.expected``; None where none of ``hits`` does."""
    values: Mapping[str, float] = field(default_factory=dict)
    """Measures by name."""
    verdict: Verdict = Verdict.UNJUDGED
    findings: tuple[Finding, ...] = ()
    """Why, for each expectation that is not among the first hits."""
    nearness: float | None = None
    """Cosine of the question and the nearest hit; only where a file has questions without an answer."""
    limit: float | None = None
    """Nearness from which on a question without an answer counts as let in."""

    @property
    def rank(self) -> int | None:
        """Place of the first right hit."""
        return min((place for place in self.first if place is not None), default=None)


@dataclass(frozen=True)
class Evaluation:
    """All questions of a file, in its order."""

    answers: tuple[Answer, ...]
    measures: tuple[str, ...]
    """Names."""
    k: int
    """Hits among which an answer must be, where its question does not say another number."""
    site: str
    """Empty for all sites."""

    @property
    def primary(self) -> str:
        """The measure that a comparison goes by."""
        return f"hit@{self.k}"

    def mean(self, measure: str, tag: str = "") -> float:
        """Over the questions that have it, of one tag or of all; not a number where there are none."""
        values = [a.values[measure] for a in self.tagged(tag) if measure in a.values]
        return sum(values) / len(values) if values else float("nan")

    def tagged(self, tag: str = "") -> Sequence[Answer]:
        """The answers of one tag, or all."""
        return [answer for answer in self.answers if not tag or tag in answer.question.tags]

    @cached_property
    def tags(self) -> list[str]:
        """In order of appearance."""
        return list(dict.fromkeys(tag for answer in self.answers for tag in answer.question.tags))

    @property
    def failed(self) -> list[Answer]:
        """What somebody has to look at."""
        return [answer for answer in self.answers if not answer.verdict.is_good]
