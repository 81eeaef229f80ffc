"""The one decision about a known page: a pure, total function of what the ledger knows and what the crawl saw.

    when it is due        ``is_due``, ``next_visit``   RFC 9111 has validators for the cost of a look, not for its time
    what was seen         ``Observation``
    what that means       ``decide`` -> ``Verdict``    first match wins, always with a reason
    what a publish loses  ``ingest.loss``

Only evidence that the page is gone, forbidden, or elsewhere leads to ``TOMBSTONE``; everything else that is not
content leads to ``KEEP``. A property test walks all combinations to prove that no doubt deletes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from http import HTTPStatus
from typing import TYPE_CHECKING

from wrac.records import Outcome

if TYPE_CHECKING:
    from ingest.ledger.rows import PageRow
    from wrac.config import SiteProfile


class Action(StrEnum):
    """What is done about a page."""

    NEW = "new"
    """Has content and is not in the collection: it is published."""
    RESTORE = "restore"
    """As ``NEW``, after it had been withdrawn."""
    UPDATE = "update"
    """Its content changed: what changed is planned and embedded."""
    REFRESH = "refresh"
    """Same content, another title, language or anchor: payloads are written anew, vectors stay."""
    TOUCH = "touch"
    """Nothing changed that the collection shows."""
    SKIP = "skip"
    """Not due: not looked at."""
    KEEP = "keep"
    """No content was seen and no proof that it is gone: the collection keeps what it has."""
    MISSING = "missing"
    """Not found for the first time: kept, and counted."""
    TOMBSTONE = "tombstone"
    """Proven gone, forbidden or elsewhere: the next publish withdraws it."""
    PASS = "pass"  # noqa: S105 - no password
    """Nothing to index, and nothing of it is in the collection."""


QUIET = frozenset({Action.TOUCH, Action.SKIP, Action.PASS})
"""Actions that change nothing; they are counted, not recorded one by one."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What the crawl found at the URL of a page."""

    outcome: Outcome
    reason: str = ""
    status: int = 0
    """HTTP status; 0 where none came."""
    markdown: str = ""
    """Digest of the content."""
    facts: str = ""
    """Digest of what the payload says beside the content."""
    tokens: int = 0
    recipe: str = ""
    """Digest of the recipe that made the content."""
    elsewhere: str = ""
    """URL of the page of this site that stands for it and is indexed: a redirect's target, a canonical, a copy."""
    by_profile: bool = False
    """The site profile keeps it out, not the server."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a site's owner may set."""

    keep_below: float = 0.2
    """Content below this share of what is published is doubtful."""
    missing_runs: int = 2
    """Runs in a row that must miss a page before it is withdrawn."""
    accept_loss: bool = False
    """A person looked: content that shrank is taken as it is."""

    @classmethod
    def of(cls, site: SiteProfile, *, accept_loss: bool = False) -> Rules:
        """The rules of a site profile."""
        return cls(site.keep_below, site.missing_runs, accept_loss)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be done, and why."""

    action: Action
    reason: str
    evidence: str = ""
    """Figures and addresses that the reason rests on."""


_DOUBTS = {
    Outcome.EMPTY: "no content",
    Outcome.LOGIN_WALL: "a login instead of content",
    Outcome.HTTP_ERROR: "an error of the server",
    Outcome.UNREACHABLE: "no answer",
    Outcome.ROBOTS_DENIED: "robots.txt forbids to look",
    Outcome.TOO_LARGE: "too large to read",
    Outcome.SHRUNK: "hardly any content",
    Outcome.FAILED: "could not be processed",
    Outcome.UNSUPPORTED: "no longer a page of text",
    Outcome.LIMIT: "a limit of the profile kept it out of this crawl",
    Outcome.DUPLICATE: "another URL stands for it, which is not indexed itself",
    Outcome.REDIRECTED: "redirects to a page that is not indexed",
    Outcome.OUT_OF_SCOPE: "leads out of the site",
    Outcome.LANGUAGE: "seems to be in another language",
}
"""Outcomes that prove nothing about a page that is in the collection."""


def decide(row: PageRow | None, seen: Observation, rules: Rules) -> Verdict:
    """What is to be done about the page of ``row`` (None: never met), after ``seen``. Never raises."""
    if seen.outcome is Outcome.UNCHANGED:
        return Verdict(Action.TOUCH, seen.reason)
    published = row is not None and bool(row.point_ids)
    if seen.outcome is Outcome.INDEXED:
        return _content(row, seen, rules) if row is not None and published else _appears(row)
    if row is None or not published:
        return Verdict(Action.PASS, seen.reason)
    return _no_content(row, seen, rules)


def _appears(row: PageRow | None) -> Verdict:
    if row is not None and row.tombstoned_at:
        return Verdict(Action.RESTORE, "is back", f"was withdrawn {row.tombstoned_at}")
    return Verdict(Action.NEW, "")


def _content(row: PageRow, seen: Observation, rules: Rules) -> Verdict:
    if row.published_markdown == seen.markdown:
        if row.published_recipe != seen.recipe:
            return Verdict(Action.UPDATE, "same content, another recipe")
        if row.published_facts != seen.facts:
            return Verdict(Action.REFRESH, "same content; title, language, anchors or other facts changed")
        return Verdict(Action.TOUCH, "same Markdown and recipe")
    evidence = f"{row.published_tokens} tokens before, {seen.tokens} now"
    if seen.tokens < rules.keep_below * row.published_tokens and not rules.accept_loss:
        share = f"{rules.keep_below:.0%}"
        return Verdict(
            Action.KEEP, f"less than {share} of the content is left; crawl with --accept-loss to take it", evidence
        )
    return Verdict(Action.UPDATE, "content changed", evidence)


def _no_content(row: PageRow, seen: Observation, rules: Rules) -> Verdict:
    said = seen.reason or seen.outcome.value
    if seen.outcome is Outcome.GONE:
        if seen.status == HTTPStatus.GONE:
            return Verdict(Action.TOMBSTONE, "the server says that it is gone for good", said)
        missed = row.misses + 1
        evidence = f"{said}; missed in {missed} {'run' if missed == 1 else 'runs in a row'}"
        if missed >= rules.missing_runs:
            return Verdict(Action.TOMBSTONE, "not found again", evidence)
        return Verdict(
            Action.MISSING, f"not found; withdrawn when {rules.missing_runs} runs in a row miss it", evidence
        )
    if seen.outcome is Outcome.NOINDEX:
        return Verdict(Action.TOMBSTONE, "its owner asks not to index it", said)
    if seen.by_profile and seen.outcome in (Outcome.OUT_OF_SCOPE, Outcome.LANGUAGE):
        return Verdict(Action.TOMBSTONE, "the site profile keeps it out now", said)
    if seen.elsewhere and seen.outcome in (Outcome.REDIRECTED, Outcome.DUPLICATE):
        return Verdict(Action.TOMBSTONE, f"is indexed as {seen.elsewhere}", said)
    return Verdict(Action.KEEP, _DOUBTS.get(seen.outcome, "nothing certain was seen"), said)


# ---------------------------------------------------------------- when


def is_due(row: PageRow, now: datetime, longest: timedelta, last_modified: datetime | None = None) -> bool:
    """Whether a known page is to be looked at; ``last_modified`` is what a sitemap says of it.

    A date further away than ``longest`` is none: the profile's ``recheck_max`` was shortened since, or the clock was
    wrong. A sitemap can only bring a visit forward: many are wrong, so none puts it off.
    """
    if not row.due_at or not now < datetime.fromisoformat(row.due_at) <= now + longest:
        return True
    if last_modified is None or not row.fetched_at:
        return False
    return last_modified > datetime.fromisoformat(row.fetched_at)


def next_visit(row: PageRow, action: Action, site: SiteProfile, now: datetime) -> tuple[int, str]:
    """(interval in seconds, due date) after a visit that ended with ``action``.

    The interval halves where the page changed and doubles where it did not, between the site's bounds; any doubt is
    looked at again by the next run. (0, "") means: in every run.
    """
    shortest, longest = (bound.total_seconds() for bound in site.recheck)
    if longest <= 0 or action in (Action.KEEP, Action.MISSING, Action.TOMBSTONE, Action.PASS):
        return 0, ""
    interval = float(row.interval_seconds)
    if action is Action.TOUCH:
        interval = max(interval * 2, shortest, 1.0)
    elif action in (Action.UPDATE, Action.REFRESH):
        interval /= 2
    interval = min(max(interval, shortest), longest)
    due = now + timedelta(seconds=interval)
    return int(interval), due.isoformat(timespec="seconds")
