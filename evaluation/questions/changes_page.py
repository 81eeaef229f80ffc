"""A comparison of two results as one HTML file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.intervals import LEAST_DOCUMENTS
from evaluation.plots import difference_plot
from evaluation.questions.changes import Turn
from ingest.report.document import document, table
from ingest.report.markup import Html, element, link

if TYPE_CHECKING:
    from evaluation.questions.changes import Change, Comparison, Means

_TITLE = "What changed, question by question"
_ANCHORS = {Turn.LOST: "lost", Turn.WON: "won", Turn.DOWN: "down", Turn.UP: "up"}
_STYLES = {Turn.LOST: "failed", Turn.DOWN: "kept", Turn.WON: "new", Turn.UP: "moved"}


def render_changes(comparison: Comparison) -> str:
    """The whole page; equal comparisons give equal text."""
    turns = {turn: comparison.of(turn) for turn in Turn}
    tiles = [
        element(
            "a",
            element("b", str(len(found))),
            turn.value,
            href=f"#{_ANCHORS.get(turn, 'measures')}",
            class_=_style(turn, found),
        )
        for turn, found in turns.items()
    ]
    means = [(found.measure, found.interval) for found in comparison.measures]
    charts = [difference_plot("Second result minus first", means)]
    if comparison.by_tag:
        primary = next(iter(comparison.by_tag.values())).measure
        tags = [(tag, found.interval) for tag, found in comparison.by_tag.items()]
        charts.append(difference_plot(f"{primary} by tag", tags))
    lists = [_list(turn, turns[turn]) for turn in _ANCHORS if turns[turn]]
    main = element(
        "main",
        element("div", *tiles, class_="tiles"),
        element("div", *charts, class_="charts"),
        _means_table(comparison),
        *lists,
    )
    header = element("header", element("h1", _TITLE), *_about(comparison))
    places = [("measures", "Measures"), *((_ANCHORS[turn], turn.value) for turn in _ANCHORS if turns[turn])]
    navigation = element("nav", element("div", *(link(f"#{name}", label) for name, label in places)))
    return document(_TITLE, header, navigation, main)


def explained(comparison: Comparison) -> str:
    """What an interval is, and what was left out."""
    told = (
        "Intervals (95 %) are of a paired bootstrap over expected pages, each drawn with all of its questions; below "
        f"{LEAST_DOCUMENTS} pages none is given. One that holds 0 may be chance."
    )
    if comparison.only_before or comparison.only_after:
        told += (
            f" Left out: {comparison.only_before} questions that only the first result has, {comparison.only_after} "
            "that only the second has."
        )
    return told


def _style(turn: Turn, found: list[Change]) -> str:
    return _STYLES.get(turn, "") if found else "none"


def _about(comparison: Comparison) -> list[Html]:
    results = (("First", comparison.before), ("Second", comparison.after))
    return [
        *(element("p", f"{which}: {one.name} ({one.about})", class_="soft") for which, one in results),
        element("p", explained(comparison), class_="soft"),
    ]


def _means_table(comparison: Comparison) -> Html:
    rows = [_means_row(found.measure, found) for found in comparison.measures]
    rows += [_means_row(f"{found.measure}, {tag}", found) for tag, found in comparison.by_tag.items()]
    heads = ("measure", "questions", "first", "second", "difference", "95 % interval")
    listed = table(("", *["number"] * 5), heads, rows)
    return element("section", element("h2", "Measures"), listed, id="measures")


def _means_row(label: str, found: Means) -> tuple[str, ...]:
    interval = found.interval
    ends = f"[{interval.low:+.3f}, {interval.high:+.3f}]" if interval.is_known else "too few pages"
    values = (f"{found.before:.3f}", f"{found.after:.3f}", f"{interval.difference:+.3f}", ends)
    return (label, str(found.questions), *values)


def _list(turn: Turn, changes: list[Change]) -> Html:
    told = [_one(change) for change in changes]
    return element("section", element("h2", f"{turn.value.capitalize()} ({len(changes)})"), *told, id=_ANCHORS[turn])


def _one(change: Change) -> Html:
    values = f"{change.measure} {change.before.values[change.measure]:.3f} → {change.after.values[change.measure]:.3f}"
    head = element("summary", change.after.query, " ", element("small", f"{values}{_places(change)}"))
    length = max(len(change.before.hits), len(change.after.hits))
    sides = [
        [link(url) for url in one.hits] + [Html()] * (length - len(one.hits)) for one in (change.before, change.after)
    ]
    rows = [(str(place), *pair) for place, pair in enumerate(zip(*sides, strict=True), 1)]
    hits = table(("number", "", ""), ("", "first", "second"), rows) if rows else Html()
    return element("details", head, element("div", hits))


def _places(change: Change) -> str:
    if change.before.rank == change.after.rank:
        return ""
    return f", place {change.before.rank or 'none'} → {change.after.rank or 'none'}"
