"""Figures as people read them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ingest.report.records import Topic

if TYPE_CHECKING:
    from ingest.report.records import Report

TITLES = {
    Topic.NEW: "New",
    Topic.CHANGED: "Changed",
    Topic.MOVED: "Moved",
    Topic.GONE: "Gone",
    Topic.WAITING: "Not published yet",
    Topic.KEPT: "Kept on doubt",
    Topic.FAILED: "Failed",
    Topic.REFRESHED: "Refreshed",
}


def count(number: int, one: str, many: str = "") -> str:
    """``1 page``, ``1,204 pages``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def span(seconds: float) -> str:
    """``20 ms``, ``1.4 s``, ``12 s``, ``3 min 20 s``, ``2 h 5 min``."""
    if seconds < 0.95:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 59.5:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


def dollars(amount: float | None) -> str:
    """Four places; that the price is not known."""
    return "price not known" if amount is None else f"${amount:,.4f}"


def moment(iso: str) -> str:
    """``Mon 30 Nov 2026, 03:00 UTC``; the text itself where it is no time."""
    try:
        return datetime.fromisoformat(iso).astimezone(UTC).strftime("%a %d %b %Y, %H:%M UTC")
    except ValueError:
        return iso


def day(iso: str) -> str:
    """``30 Nov``; empty where it is no time."""
    try:
        return datetime.fromisoformat(iso).astimezone(UTC).strftime("%d %b")
    except ValueError:
        return ""


def summary(report: Report) -> str:
    """The run in a few sentences."""
    totals = {topic: found.total for topic, found in report.lists.items()}
    parts = [
        f"{count(totals[topic], 'page')} {verb[totals[topic] != 1]}"
        for topic, verb in _VERBS.items()
        if totals.get(topic)
    ]
    unchanged = report.outcomes.get("unchanged")
    if unchanged is not None and unchanged.total:
        rest = "page is as it was" if unchanged.total == 1 else "pages are as they were"
        parts.append(f"{unchanged.total:,} {rest}")
    return " ".join([_sentence(parts) if parts else "Nothing changed.", _effort(report)])


def _effort(report: Report) -> str:
    reuse = report.reuse
    texts = f"{count(reuse.embedded, 'text')} {'was' if reuse.embedded == 1 else 'were'} embedded"
    if reuse.reused:
        texts += f", {count(reuse.reused, 'vector')} reused"
    known = [cost.dollars for cost in report.costs if cost.dollars is not None]
    paid = f"paid: {dollars(sum(known))}" if report.costs else "nothing was paid"
    if len(known) < len(report.costs):
        paid += " and what models without a known price bill"
    return f"{texts[0].upper()}{texts[1:]}; {paid}."


def _sentence(parts: list[str]) -> str:
    joined = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"{joined}."


_VERBS = {
    Topic.NEW: ("is new", "are new"),
    Topic.CHANGED: ("changed", "changed"),
    Topic.MOVED: ("moved", "moved"),
    Topic.GONE: ("is gone", "are gone"),
    Topic.REFRESHED: ("was refreshed", "were refreshed"),
    Topic.WAITING: ("waits to be published", "wait to be published"),
    Topic.KEPT: ("is kept on doubt", "are kept on doubt"),
    Topic.FAILED: ("failed", "failed"),
}
