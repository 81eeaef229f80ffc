"""What a report says. Lists are capped; ``total`` counts everything, and ``command`` lists the rest."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

VERSION = 1
"""Raised when a field of ``report.json`` changes its meaning or goes away."""


class Topic(StrEnum):
    """The lists of a report, by what became of their pages."""

    NEW = "new"
    CHANGED = "changed"
    MOVED = "moved"
    """The page, or text of it, stands under another URL."""
    GONE = "gone"
    """Withdrawn from the collection, with evidence."""
    WAITING = "waiting"
    """Decided in this run and not in the collection, because the run was held back or broken off."""
    KEPT = "kept"
    """No content was seen, and no proof that the page is gone: the collection keeps what it has."""
    FAILED = "failed"
    """Content is missing that the site probably has."""
    REFRESHED = "refreshed"
    """The text is the same, or another recipe made something else of it."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much a report holds, whatever the size of the site."""

    listed: int = 200
    """Pages in one list."""
    compared: int = 60
    """Changed pages that are shown before and after; as many new, and gone ones are searched for moved text."""
    diff_characters: int = 6_000
    """Of one page's comparison."""
    cuts: int = 60
    """Places of one template from which filters removed something."""
    cleaned: int = 20_000
    """Pages whose removals are summed; reading one takes a millisecond."""
    runs: int = 20
    """Runs in the charts."""


class Mark(StrEnum):
    """What a piece of text is to the two versions."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of characters that is in both versions or in one."""

    mark: Mark
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line to read; both versions of it where only words differ."""

    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Hunk:
    """Neighbouring lines around a change."""

    skipped: int
    """Equal lines between the hunk before (or the top) and this one."""
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Diff:
    """The Markdown before and after, as far as it differs."""

    words_added: int
    words_removed: int
    hunks: tuple[Hunk, ...]
    left_out: int = 0
    """Changed lines that are not shown."""


@dataclass(frozen=True, slots=True)
class PageNote:
    """One page in a list."""

    url: str
    title: str = ""
    reason: str = ""
    evidence: str = ""
    other_url: str = ""
    """Where it was, or is now."""
    points_kept: int = 0
    points_added: int = 0
    points_removed: int = 0
    diff: Diff | None = None


@dataclass(frozen=True, slots=True)
class PageList:
    """The first pages of a list; ``total`` counts them all."""

    total: int = 0
    pages: tuple[PageNote, ...] = ()
    command: str = ""
    """Lists all of them."""

    @property
    def left_out(self) -> int:
        """Pages that are counted and not listed."""
        return self.total - len(self.pages)


@dataclass(frozen=True, slots=True)
class Cut:
    """What one rule removed at one place of a template, over all of its pages."""

    rule: str
    locator: str
    pages: int
    characters: int
    preview: str
    """Text of the first page."""
    example: str
    """URL of that page."""
    holds: tuple[str, ...] = ()
    """Kinds of content that were inside on any page: ``table``, ``list``, ``code``."""
    content_pages: int = 0
    """Pages on which content was inside."""
    is_repeated: bool = False
    """What held the content is the same text on page after page: probably furniture of the site."""
    is_alarm: bool = False
    """A table, code, or a list that is no menu was inside: somebody should look."""


@dataclass(frozen=True, slots=True)
class Template:
    """The pages that one generator made."""

    generator: str
    """Empty where it is not known."""
    pages: int
    characters: int
    cuts: tuple[Cut, ...]
    left_out: int = 0
    """Places that are not listed."""


@dataclass(frozen=True, slots=True)
class Cleaning:
    """What the filters removed from the pages that this run made anew."""

    pages: int = 0
    templates: tuple[Template, ...] = ()
    left_out: int = 0
    """Pages made anew whose removals were not read."""

    @property
    def alarms(self) -> tuple[Cut, ...]:
        """The removals that somebody should look at."""
        return tuple(cut for template in self.templates for cut in template.cuts if cut.is_alarm)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one model billed for one purpose."""

    purpose: str
    model: str
    calls: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    dollars: float | None
    """None where the price of some of it was not known."""


@dataclass(frozen=True, slots=True)
class Reuse:
    """How much of the collection the run left as it was."""

    points_kept: int = 0
    """Of the pages that were published again: chunks whose points were there before."""
    points_added: int = 0
    points_removed: int = 0
    embedded: int = 0
    """Texts that the embedder read."""
    reused: int = 0
    """Texts whose vectors were kept from before."""


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run in the charts."""

    run_id: int
    started_at: str
    state: str
    minutes: float
    indexed: int
    unchanged: int
    failed: int
    """URLs without the content that they should have given."""
    others: int
    """URLs that ended in another way: nothing to index, and nothing wrong."""
    embedded: int
    dollars: float


@dataclass(frozen=True, slots=True)
class Report:
    """One run of a site."""

    site: str
    run_id: int
    kind: str
    state: str
    is_first: bool
    collection: str
    recipe: str
    started_at: str
    finished_at: str
    sessions: int
    note: str
    exit_code: int | None
    lists: dict[Topic, PageList] = field(default_factory=dict)
    outcomes: dict[str, PageList] = field(default_factory=dict)
    """How each URL ended."""
    met_later: int = 0
    """URLs of this run that a later run met; how they ended in this one is counted and no longer listed."""
    decisions: dict[str, int] = field(default_factory=dict)
    reuse: Reuse = field(default_factory=Reuse)
    costs: tuple[Cost, ...] = ()
    planning: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    """By stage, summed over all workers."""
    figures: dict[str, float] = field(default_factory=dict)
    """All that the run counted."""
    cleaning: Cleaning = field(default_factory=Cleaning)
    history: tuple[PastRun, ...] = ()
    """This run last."""
    version: int = VERSION
