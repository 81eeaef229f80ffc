"""A comparison of methods as one HTML file: for each searcher the measures by row, and how far each row is from one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.contrasts import contrasts
from evaluation.measures import MEASURES, PRIMARY
from evaluation.plots import difference_plot
from evaluation.report import NOT_MEASURED, SEARCHERS, judged_text, kinds_better, resampled_text, sizes_of
from ingest.report.document import document, table
from ingest.report.markup import Html, element, link

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.comparison import Comparison
    from evaluation.contrasts import Contrast
    from evaluation.rows import Row
    from evaluation.scores import MethodScores

_TITLE = "Chunks of several methods, judged by the same questions"


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
    overall = [(row, found.overall[PRIMARY]) for row, found in contrasted.items()]
    plots = [difference_plot(f"{PRIMARY} minus {against}", overall)]
    for part in ("by_organisation", "by_kind"):
        groups = dict.fromkeys(group for found in contrasted.values() for group in getattr(found, part))
        for group in groups:
            rows = {row: getattr(found, part).get(group) for row, found in contrasted.items()}
            known = [(row, found[PRIMARY]) for row, found in rows.items() if found and found[PRIMARY].is_known]
            if known:
                plots.append(difference_plot(f"{group}: {PRIMARY} minus {against}", known))
    return plots


def _chunks(result: Comparison) -> Html:
    heads, rows = sizes_of(result)
    styles: Sequence[str] = ("", *["number"] * (len(heads) - 1))
    return element("section", element("h2", "Chunks, and what they say"), table(styles, heads, rows), id="chunks")
