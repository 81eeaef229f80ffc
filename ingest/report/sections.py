"""The parts of the page that list pages: what changed, and how every URL ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.report.markup import Html, element, join, link
from ingest.report.records import Mark, Topic
from ingest.report.words import TITLES, count

if TYPE_CHECKING:
    from ingest.report.records import Diff, Line, PageList, PageNote, Report

_MEANINGS = {
    Topic.NEW: "In the collection now, and not before.",
    Topic.CHANGED: "The Markdown before and after; equal parts are left out.",
    Topic.MOVED: "The page, or text of it, stands under another URL now.",
    Topic.GONE: "Withdrawn from the collection, on this evidence.",
    Topic.WAITING: "Decided in this run and not carried out: the collection is as it was. Withdrawals come first.",
    Topic.KEPT: "No content was seen, and no proof that the page is gone: search answers from the last good copy.",
    Topic.FAILED: "Content is missing that the site probably has.",
    Topic.REFRESHED: "The text is the same; title, anchors or recipe are not.",
}
_OPEN_AT_FIRST = 2
"""Comparisons that need no click."""
_UNFOLDED = 15
"""Pages that are listed without a click."""
_WORDS = {Mark.ADDED: "ins", Mark.REMOVED: "del"}


def topics(report: Report) -> Html:
    """One section for each topic that has pages."""
    return join(_topic(topic, report.lists[topic]) for topic in TITLES if topic in report.lists)


def outcomes(report: Report) -> Html:
    """How every URL ended, by outcome; a link shows one outcome alone."""
    chips = [link(f"#outcome-{name}", f"{name} {found.total:,}") for name, found in report.outcomes.items()]
    parts: list[str] = [element("h2", "How every URL ended")]
    if report.met_later:
        parts.append(
            element(
                "p",
                f"A later run met {count(report.met_later, 'URL')} of this one: counted here, and listed there.",
                class_="soft",
            )
        )
    parts.append(element("div", *chips, link("#outcomes", "all"), class_="chips"))
    parts += [
        element("section", element("h3", f"{name} · {found.total:,}"), _pages(found), id=f"outcome-{name}")
        for name, found in report.outcomes.items()
    ]
    return element("div", *parts, class_="outcomes", id="outcomes")


def _topic(topic: Topic, found: PageList) -> Html:
    if not found.total:
        return Html()
    heading = element("h2", f"{TITLES[topic]} · {count(found.total, 'page')}")
    if topic is Topic.MOVED:
        heading = element("h2", f"{TITLES[topic]} · {count(found.total, 'page or passage', 'pages and passages')}")
    meaning = element("p", _MEANINGS[topic], class_="soft")
    return element("section", heading, meaning, _pages(found, topic), id=topic.value)


def _pages(found: PageList, topic: Topic | None = None) -> Html:
    compared = [note for note in found.pages if note.diff is not None]
    plain = [note for note in found.pages if note.diff is None]
    parts = [_comparison(note, is_open=number < _OPEN_AT_FIRST) for number, note in enumerate(compared)]
    if plain:
        listed = element("ul", *(_item(note, topic) for note in plain), class_="pages")
        parts.append(listed if len(plain) <= _UNFOLDED else _folded(f"Show {count(len(plain), 'page')}", listed))
    if found.left_out:
        more = f"{found.left_out:,} more {'is' if found.left_out == 1 else 'are'} not listed here: "
        parts.append(element("p", more, element("code", found.command), class_="soft"))
    return join(parts)


def _folded(summary: str, inner: Html) -> Html:
    return element("details", element("summary", summary), element("div", inner))


def _item(note: PageNote, topic: Topic | None) -> Html:
    parts: list[str] = [link(note.url, note.title or note.url)]
    if note.title:
        parts.append(element("small", note.url))
    if note.other_url:
        parts.append(element("small", "was ", link(note.other_url)))
    said = " · ".join(part for part in (note.reason, note.evidence, _points(note) if topic else "") if part)
    if said:
        parts.append(element("small", said))
    return element("li", *parts)


def _points(note: PageNote) -> str:
    named = ((note.points_kept, "kept"), (note.points_added, "new"), (note.points_removed, "removed"))
    figures = [f"{number:,} {name}" for number, name in named if number]
    return f"chunks: {', '.join(figures)}" if figures else ""


def _comparison(note: PageNote, *, is_open: bool) -> Html:
    diff = note.diff
    if diff is None:
        return Html()
    words = (
        element("b", f"+{diff.words_added:,}", class_="plus"),
        " ",
        element("b", f"−{diff.words_removed:,}", class_="minus"),
        " words",
    )
    about = " · ".join(part for part in (_points(note), note.reason, note.evidence) if part)
    summary = element("summary", note.title or note.url, " · ", *words)
    place = element("p", link(note.url), element("br"), element("small", about))
    body = element("div", place, _diff(diff))
    return element("details", summary, body, open="open" if is_open else "")


def _diff(diff: Diff) -> Html:
    rows: list[str] = []
    for hunk in diff.hunks:
        if hunk.skipped:
            rows.append(element("div", f"⋯ {count(hunk.skipped, 'equal line')}", class_="skipped"))
        rows += [_line(line) for line in hunk.lines]
    if diff.left_out:
        rows.append(element("div", f"⋯ {count(diff.left_out, 'more changed line')} not shown", class_="skipped"))
    if not rows:
        rows.append(element("div", "The Markdown is the same.", class_="skipped"))
    return element("div", *rows, class_="diff")


def _line(line: Line) -> Html:
    marks = {piece.mark for piece in line.pieces}
    style = next(iter(marks)).value if len(marks) == 1 else "mixed"
    pieces = [
        element(_WORDS[piece.mark], piece.text) if piece.mark in _WORDS and piece.text else piece.text
        for piece in line.pieces
    ]
    return element("div", *pieces, "" if any(piece.text for piece in line.pieces) else " ", class_=style)
