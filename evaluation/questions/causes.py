"""What may keep an expected place from being found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Cause(StrEnum):
    """Kinds of reasons, from the nearest to an answer to the farthest."""

    RANKED = "ranked too low"
    TOO_FAR = "not among the hits"
    """In the collection, and not among the hits that were looked through."""
    NO_ANCHOR = "no such anchor"
    DIVIDED = "divided"
    """The quote stands on the page, and no chunk has all of it."""
    CUT = "cut by cleaning"
    """The page as fetched says the quote; its content does not."""
    UNSAID = "not said"
    """No page that was looked at says the quote."""
    WAITING = "not published"
    """Gathered, and not in the collection yet."""
    LOST = "lost"
    """The ledger says that the collection has it, and it does not."""
    ENDED = "not taken in"
    """A crawl met the URL, and its outcome says why there is no page."""
    OUT_OF_SCOPE = "out of scope"
    """The profile keeps the URL out."""
    NOT_MET = "not crawled"
    """No crawl met the URL."""
    UNKNOWN = "not in the collection"
    """There is no ledger that could say why."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Why one expected thing is not among the first hits."""

    expected: str
    cause: Cause
    says: str
    """For a person."""
    step: str = ""
    """What to do about it."""
    rank: int | None = None
    """Place from 1, where it was found farther down."""
