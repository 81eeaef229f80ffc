"""A comparison of methods as one HTML file: for each searcher the measures by row, and how far each row is from one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evaluation.contrasts import contrasts
from evaluation.measures import MEASURES, PRIMARY
from evaluation.report import NOT_MEASURED, SEARCHERS, judged_text, kinds_better, resampled_text, sizes_of
from ingest.report.document import document, table
from ingest.report.markup import Html, element, link

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.comparison import Comparison
    from evaluation.contrasts import Contrast
    from evaluation.intervals import Interval
    from evaluation.rows import Row
    from evaluation.scores import MethodScores

_TITLE = "Chunks of several methods, judged by the same questions"
_WIDTH, _LINE, _TOP = 420, 20, 12
_LEFT, _RIGHT = 130, 12
_LEAST_SPAN = 0.05
"""Difference that an axis shows at least, so that noise does not look like news."""


def render_comparison(result: Comparison, against: Row, about: str) -> str:
    """The whole page; equal comparisons give equal text. ``about`` says what was read."""
    sections = [_search(name, scores, against.name) for name, scores in result.scores.items() if scores]
    header = element(
        "header",
        element("h1", _TITLE),
        element("p", about, class_="soft"),
        element("p", judged_text(result), class_="lead"),
        element("p", resampled_text(), class_="soft"),
    )
    places = [*((name, f"Ranked by {name}") for name, scores in result.scores.items() if scores), ("chunks", "Chunks")]
    navigation = element("nav", element("div", *(link(f"#{name}", label) for name, label in places)))
    footer = element("footer", element("p", NOT_MEASURED, class_="soft"))
    return document(_TITLE, header, navigation, element("main", *sections, _chunks(result)), footer)


def _search(searcher: str, scores: Mapping[str, MethodScores], against: str) -> Html:
    contrasted = contrasts(scores, against)
    rows = [
        (row, str(len(found.queries)), *(f"{found.mean(measure):.3f}" for measure in MEASURES))
        for row, found in scores.items()
    ]
    return element(
        "section",
        element("h2", f"Ranked by {searcher}: {SEARCHERS.get(searcher, searcher)}"),
        table(("", *["number"] * (1 + len(MEASURES))), ("row", "questions", *MEASURES), rows),
        element("div", *_plots(contrasted, against), class_="charts"),
        element("p", kinds_better(contrasted, against)) if contrasted else Html(),
        id=searcher,
    )


def _plots(contrasted: Mapping[str, Contrast], against: str) -> list[Html]:
    """One of all questions, one of each organisation and type that has documents enough for an interval."""
    if not contrasted:
        return []
    overall = {row: found.overall[PRIMARY] for row, found in contrasted.items()}
    plots = [_plot(f"{PRIMARY} minus {against}", overall)]
    for part in ("by_organisation", "by_kind"):
        groups = dict.fromkeys(group for found in contrasted.values() for group in getattr(found, part))
        for group in groups:
            rows = {row: getattr(found, part).get(group) for row, found in contrasted.items()}
            known = {row: found[PRIMARY] for row, found in rows.items() if found and found[PRIMARY].is_known}
            if known:
                plots.append(_plot(f"{group}: {PRIMARY} minus {against}", known))
    return plots


def _plot(title: str, rows: Mapping[str, Interval]) -> Html:
    """A dot and its interval for each row, on an axis round 0: what lies to the right is better."""
    ends = [abs(value) for found in rows.values() for value in (found.difference, found.low, found.high)]
    span = max([_LEAST_SPAN, *(end for end in ends if math.isfinite(end))])
    height = _TOP + _LINE * len(rows) + 18
    shapes = [element("line", x1=_at(0, span), y1=_TOP, x2=_at(0, span), y2=height - 16, class_="axis")]
    for mark in (-span, 0.0, span):
        side = "middle" if mark == 0 else "start" if mark < 0 else "end"
        text = f"{mark:+.2f}" if mark else "0"
        shapes.append(element("text", text, x=_at(mark, span), y=height - 4, text_anchor=side))
    shapes += [_line(row, found, _TOP + _LINE * (place + 0.5), span) for place, (row, found) in enumerate(rows.items())]
    says = "; ".join(_in_words(row, found) for row, found in rows.items())
    drawing = element("svg", *shapes, viewBox=f"0 0 {_WIDTH} {height}", role="img", aria_label=f"{title}: {says}")
    return element("figure", element("figcaption", title), drawing)


def _line(row: str, found: Interval, middle: float, span: float) -> Html:
    style = "bad" if found.is_below else "main" if found.is_above else "calm"
    shapes = [element("title", _in_words(row, found)), element("text", row, x=4, y=f"{middle + 3:.1f}")]
    if found.is_known:
        left, right = float(_at(found.low, span)), float(_at(found.high, span))
        width = f"{max(right - left, 1):.1f}"
        shapes.append(element("rect", x=f"{left:.1f}", y=f"{middle - 1:.1f}", width=width, height=2, class_=style))
    if math.isfinite(found.difference):
        shapes.append(element("circle", cx=_at(found.difference, span), cy=f"{middle:.1f}", r=4, class_=style))
    return element("g", *shapes)


def _in_words(row: str, found: Interval) -> str:
    ends = f" [{found.low:+.3f}, {found.high:+.3f}]" if found.is_known else ""
    return f"{row}: {found.difference:+.3f}{ends}"


def _at(value: float, span: float) -> str:
    return f"{_LEFT + (value / span + 1) / 2 * (_WIDTH - _LEFT - _RIGHT):.1f}"


def _chunks(result: Comparison) -> Html:
    heads, rows = sizes_of(result)
    styles: Sequence[str] = ("", *["number"] * (len(heads) - 1))
    return element("section", element("h2", "Chunks, and what they say"), table(styles, heads, rows), id="chunks")
