"""An evaluation as one HTML file: what is found, and for every question that failed, why."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from evaluation.plots import shortened
from evaluation.questions.answers import Verdict
from ingest.report.charts import Bar, bar_chart
from ingest.report.document import document, table
from ingest.report.markup import Html, element, link

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.questions.answers import Answer, Evaluation
    from evaluation.questions.causes import Finding

_PILLS = {Verdict.FOUND: "good", Verdict.TURNED_AWAY: "good", Verdict.PARTLY: "warn", Verdict.UNJUDGED: "warn"}


def render_page(evaluation: Evaluation, title: str, about: Mapping[str, str], *, unmet: str = "") -> str:
    """The whole page; equal evaluations give equal text. ``unmet`` says what the figures should have been."""
    parts = [
        _header(evaluation, title, about, unmet),
        element("nav", element("div", *(link(f"#{name}", label) for name, label in _places(evaluation)))),
        element(
            "main", _tiles(evaluation), _charts(evaluation), _tags(evaluation), _failed(evaluation), _all(evaluation)
        ),
        element("footer", element("p", "The same for programs: ", element("code", "--json FILE"), class_="soft")),
    ]
    return document(title, *parts)


def summary(evaluation: Evaluation) -> str:
    """The result in a sentence or two."""
    counts = Counter(answer.verdict for answer in evaluation.answers)
    asked = [answer for answer in evaluation.answers if not answer.question.nothing]
    told = []
    if asked:
        found = counts[Verdict.FOUND] + counts[Verdict.PARTLY]
        told.append(f"{found} of {len(asked)} questions are answered among the first hits")
        if counts[Verdict.PARTLY]:
            told.append(f"{counts[Verdict.PARTLY]} of these in part")
    if nothing := len(evaluation.answers) - len(asked):
        away = counts[Verdict.TURNED_AWAY]
        told.append(f"{away} of {nothing} without an answer can be told from those that have one")
        if counts[Verdict.UNJUDGED]:
            told[-1] = f"{nothing} have no answer, and no answered question to be told from"
    return f"{'; '.join(told)}."


def _places(evaluation: Evaluation) -> list[tuple[str, str]]:
    return [
        *([("failed", "What failed")] if evaluation.failed else []),
        *([("tags", "By tag")] if evaluation.tags else []),
        ("questions", "All questions"),
    ]


def _header(evaluation: Evaluation, title: str, about: Mapping[str, str], unmet: str) -> Html:
    failed = len(evaluation.failed)
    pill = element("span", f"{failed} failed" if failed else "all found", class_=f"pill {'bad' if failed else 'good'}")
    facts = " · ".join(f"{name} {value}" for name, value in about.items() if value)
    return element(
        "header",
        element("h1", title),
        element("p", pill, f" {facts}", class_="soft"),
        element("p", summary(evaluation), class_="lead"),
        element("div", unmet, class_="notice bad") if unmet else Html(),
    )


def _tiles(evaluation: Evaluation) -> Html:
    tiles = [
        element("a", element("b", share(evaluation.mean(measure))), measure, href="#questions")
        for measure in evaluation.measures
    ]
    return element("div", *tiles, class_="tiles")


def share(value: float) -> str:
    """Three places; a dash where there is nothing to average."""
    return f"{value:.3f}" if math.isfinite(value) else "–"


def _charts(evaluation: Evaluation) -> Html:
    asked = [answer for answer in evaluation.answers if not answer.question.nothing]
    if not asked:
        return Html()
    ranks = Counter(answer.rank for answer in asked)
    places = range(1, max([evaluation.k, *(rank for rank in ranks if rank)]) + 1)
    bars = [Bar(str(place), (("main", ranks[place]),), f"{ranks[place]} at place {place}") for place in places]
    bars.append(Bar("none", (("bad", ranks[None]),), f"{ranks[None]} at none"))
    most = max(ranks.values())
    charts = [bar_chart("Place of the first right hit", bars, f"{most} of {len(asked)}")]
    measure = evaluation.primary
    means = [(tag, evaluation.mean(measure, tag)) for tag in evaluation.tags]
    told = [
        Bar(shortened(tag, 12), (("main", mean),), f"{tag}: {mean:.3f}") for tag, mean in means if math.isfinite(mean)
    ]
    if told:
        charts.append(bar_chart(f"{measure} by tag", told, f"{max(bar.parts[0][1] for bar in told):.3f}"))
    return element("div", *charts, class_="charts")


def _tags(evaluation: Evaluation) -> Html:
    if not evaluation.tags:
        return Html()
    heads = ("tag", "questions", *evaluation.measures)
    rows = [
        (
            tag,
            str(len(evaluation.tagged(tag))),
            *(share(evaluation.mean(measure, tag)) for measure in evaluation.measures),
        )
        for tag in evaluation.tags
    ]
    listed = table(("", *["number"] * (len(heads) - 1)), heads, rows)
    return element("section", element("h2", "By tag"), listed, id="tags")


def _failed(evaluation: Evaluation) -> Html:
    if not evaluation.failed:
        return Html()
    told = [_one_failed(answer) for answer in evaluation.failed]
    return element("section", element("h2", "What failed, and why"), *told, id="failed")


def _one_failed(answer: Answer) -> Html:
    head = element("summary", _pill(answer), f" {answer.question.query}")
    parts = [_finding(finding) for finding in answer.findings]
    if answer.verdict is Verdict.LET_IN:
        near = (
            f"Its nearest hit is as near ({answer.nearness:.3f}) as those of answered questions ({answer.limit:.3f})."
        )
        parts.append(element("p", near))
    rows = [
        (str(place), element("span", hit.breadcrumb), link(hit.url), "right" if hit.is_right else "")
        for place, hit in enumerate(answer.hits, 1)
    ]
    found = [element("h3", "Found instead"), table(("number", "", "", ""), ("", "", "", ""), rows)] if rows else []
    return element("details", head, element("div", *parts, *found), open="open")


def _finding(finding: Finding) -> Html:
    step = element("p", f"Next: {finding.step}", class_="soft") if finding.step else Html()
    says = element("p", element("b", f"{finding.cause.value}: "), finding.says)
    return element("div", element("p", "Expected: ", link(finding.expected)), says, step)


def _all(evaluation: Evaluation) -> Html:
    rows = [
        (
            answer.question.query,
            ", ".join(answer.question.tags),
            _pill(answer),
            str(answer.rank or ""),
            link(answer.hits[0].url) if answer.hits else "no hit",
        )
        for answer in evaluation.answers
    ]
    heads = ("question", "tags", "", "place", "first hit")
    return element(
        "section", element("h2", "All questions"), table(("", "", "", "number", ""), heads, rows), id="questions"
    )


def _pill(answer: Answer) -> Html:
    return element("span", answer.verdict.value, class_=f"pill {_PILLS.get(answer.verdict, 'bad')}")
