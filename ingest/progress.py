"""How far a run is, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ingest.bill import Bill

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chunking.planners.figures import PlanningFigures
    from conversion.drac.figures import TranscriptionFigures
    from ingest.ledger.rows import RunState
    from wrac.errors import WracError
    from wrac.records import Outcome


@dataclass(frozen=True, slots=True)
class Progress:
    """Figures of this session, at one moment."""

    pages: int
    """Responses that went through the stages."""
    chunks: int
    """Chunks of the pages to index."""
    queue: int
    """Pages that wait to be embedded."""
    published: int
    """Pages written to the collection."""
    seconds: Mapping[str, float]
    """Time by stage, summed over all workers."""
    planning: int = 0
    """Pages that wait for the model's plan."""
    embedded: int = 0
    """Chunks whose vectors are there, made in this session or kept from before."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """How a run ended. Counts are of the whole run, its earlier sessions included."""

    site: str
    collection: str
    run_id: int
    state: RunState
    outcomes: Mapping[Outcome, int]
    """URLs by outcome; each URL that was met counts once."""
    chunks: int
    """Chunks of the pages that are indexed or unchanged."""
    tokens: int
    """Tokens of their text."""
    published: int
    """Pages written to the collection in this session."""
    waiting: int
    """Pages that are gathered and not yet in the collection."""
    embedded: int
    """Texts embedded in this session."""
    reused: int
    """Texts whose vectors were kept from before."""
    seconds: Mapping[str, float]
    """Time by stage in this session, summed over all workers."""
    place: str
    """Where the collection lies."""
    withdrawn: int = 0
    """Pages taken out of the collection in this session."""
    kept: Mapping[Outcome, int] = field(default_factory=dict)
    """Published pages that gave no content in this run and keep what is published, by what they gave instead."""
    missing: int = 0
    """Published pages that were not found and wait for a second look."""
    notes: tuple[str, ...] = ()
    """What the reader should know, a sentence each."""
    report: str = ""
    """Path of the run's report for people; empty where it could not be written."""
    bill: Bill = field(default_factory=Bill)
    """What models have billed for the run, and for all runs of the site."""
    transcription: TranscriptionFigures | None = None
    """What became of pages of documents that a model was shown in this session; None where none is."""
    planning: PlanningFigures | None = None
    """What the model was asked in the whole run; None where the rules plan."""
    error: WracError | None = None
    """What kept the run from being published; nothing is lost, its message says what to do."""


@dataclass(slots=True)
class Tally:
    """What a session counts while it runs."""

    pages: int = 0
    chunks: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    def add(self, seconds: Mapping[str, float]) -> None:
        """One more page, with its time by stage."""
        self.pages += 1
        for stage, spent in seconds.items():
            self.seconds[stage] = self.seconds.get(stage, 0.0) + spent


def added(before: Mapping[str, float], now: Mapping[str, float]) -> dict[str, float]:
    """Figures of a run: those of its earlier sessions and of this one together."""
    return {name: before.get(name, 0) + now.get(name, 0) for name in {**before, **now}}
