"""The parts of the page with figures: cost and reuse, time, what the filters removed, the last runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.report.charts import Bar, bar_chart
from ingest.report.document import table
from ingest.report.markup import Html, element, join, link
from ingest.report.words import count, day, dollars, span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ingest.report.records import Cut, PastRun, Report, Template


def effort(report: Report) -> Html:
    """Chunks and vectors that were reused, tokens and money, time by stage."""
    reuse = report.reuse
    rows = [
        ("Texts embedded", f"{reuse.embedded:,}"),
        ("Vectors reused", f"{reuse.reused:,}"),
        ("Chunks kept as they were, on the pages published in this run", f"{reuse.points_kept:,}"),
        ("Chunks added", f"{reuse.points_added:,}"),
        ("Chunks removed", f"{reuse.points_removed:,}"),
    ]
    parts = [element("h2", "What it took"), table(("", "number"), ("", ""), rows)]
    if report.costs:
        parts += [element("h3", "Tokens and money"), _costs(report)]
    if report.planning:
        parts.append(element("p", f"Planning: {report.planning}", class_="soft"))
    if report.seconds:
        parts += [element("h3", "Seconds by stage, summed over all workers"), _stages(report)]
    if report.figures or report.decisions:
        parts.append(_everything(report))
    return element("section", *parts, id="effort")


def cleaning(report: Report) -> Html:
    """What the filters removed, per template."""
    found = report.cleaning
    parts: list[str] = [element("h2", "What the filters removed")]
    if not found.pages:
        parts.append(element("p", "No page was cleaned anew in this run.", class_="soft"))
    else:
        about = (
            f"From the {count(found.pages, 'page')} that this run made anew. Pages of one generator share their "
            "template, so a fault of a rule is one line here."
        )
        if found.left_out:
            about += f" Not read: {count(found.left_out, 'further page')}."
        parts.append(element("p", about, class_="soft"))
    parts += [_template(template) for template in found.templates]
    return element("section", *parts, id="removed")


def alarm(report: Report) -> Html:
    """That a table, a list or code was among what was removed; nothing where none was."""
    alarms = report.cleaning.alarms
    if not alarms:
        return Html()
    repeated = sum(cut.is_repeated for cut in alarms)
    kinds = ", ".join(sorted({kind for cut in alarms for kind in cut.holds}))
    said = f"ALARM: a filter removed content ({kinds}) at {count(len(alarms), 'place')}. "
    if repeated == len(alarms):
        said += "The text is the same on page after page, so it is probably furniture of the site. "
    elif repeated:
        said += f"{count(repeated, 'place')} of these {'has' if repeated == 1 else 'have'} the same text everywhere. "
    style = "notice" if repeated == len(alarms) else "notice bad"
    ways = "If it belongs to the page, name it in the site profile: "
    return element(
        "div",
        element("b", said),
        ways,
        element("code", 'keep = ["css selector"]'),
        ". ",
        link("#removed", "Show the places"),
        class_=style,
    )


def history(report: Report) -> Html:
    """The last runs as small charts."""
    runs = report.history
    if len(runs) < 2:
        return Html()
    pages = [
        Bar(
            _label(run),
            (("bad", run.failed), ("main", run.indexed), ("calm", run.unchanged), ("faint", run.others)),
            f"run {run.run_id}: {run.indexed:,} indexed, {run.unchanged:,} unchanged, {run.failed:,} failed, "
            f"{run.others:,} with nothing to index",
        )
        for run in runs
    ]
    most = max(run.indexed + run.unchanged + run.failed + run.others for run in runs)
    key = (("main", "indexed"), ("calm", "unchanged"), ("faint", "nothing to index"), ("bad", "failed"))
    charts = [bar_chart("URLs", pages, f"{most:,}", key)]
    charts.append(_chart("Texts embedded", runs, [run.embedded for run in runs], lambda value: f"{value:,.0f}"))
    charts.append(_chart("Duration", runs, [run.minutes * 60 for run in runs], span))
    if any(run.dollars for run in runs):
        charts.append(_chart("Paid", runs, [run.dollars for run in runs], dollars))
    heading = element("h2", f"The last {len(runs)} runs")
    return element("section", heading, element("div", *charts, class_="charts"), id="history")


def _chart(title: str, runs: Sequence[PastRun], values: Sequence[float], words: Callable[[float], str]) -> Html:
    bars = [
        Bar(_label(run), (("main", value),), f"run {run.run_id}: {words(value)}")
        for run, value in zip(runs, values, strict=True)
    ]
    return bar_chart(title, bars, words(max(values)))


def _label(run: PastRun) -> str:
    return day(run.started_at) or str(run.run_id)


# ---------------------------------------------------------------- tables


def _costs(report: Report) -> Html:
    rows = [
        (
            cost.purpose,
            cost.model,
            f"{cost.calls:,}",
            f"{cost.input_tokens:,}",
            f"{cost.cached_tokens:,}",
            f"{cost.output_tokens:,}",
            dollars(cost.dollars),
        )
        for cost in report.costs
    ]
    heads = ("for", "model", "calls", "tokens in", "of these cached", "tokens out", "US dollars")
    return table(("", "", *["number"] * 5), heads, rows)


def _stages(report: Report) -> Html:
    most = max(report.seconds.values(), default=0.0) or 1.0
    rows = [
        (stage, span(spent), element("span", class_="bar", style=f"width:{max(0.0, 100 * spent / most):.1f}%"))
        for stage, spent in sorted(report.seconds.items(), key=lambda item: -item[1])
    ]
    return table(("", "number", ""), ("", "", ""), rows)


def _everything(report: Report) -> Html:
    figures = [(name.replace("_", " "), f"{value:,.10g}") for name, value in sorted(report.figures.items())]
    decided = [(f"decision: {name}", f"{number:,}") for name, number in report.decisions.items()]
    summary = element("summary", "All figures and decisions of the run")
    return element("details", summary, element("div", table(("", "number"), ("", ""), [*figures, *decided])))


def _template(template: Template) -> Html:
    name = template.generator or "generator not known"
    heading = element("h3", f"{name} · {count(template.pages, 'page')} · {count(template.characters, 'character')}")
    rows = [(_place(cut), f"{cut.pages:,}", f"{cut.characters:,}", _sample(cut)) for cut in template.cuts]
    listed = table(("", "number", "number", ""), ("rule and place", "pages", "characters", "for example"), rows)
    parts = [heading, listed]
    if template.left_out:
        said = f"{count(template.left_out, 'more place')} of less text; `wrac explain URL` shows all of one page."
        parts.append(element("p", said, class_="soft"))
    return join(parts)


def _place(cut: Cut) -> Html:
    parts: list[str] = [element("code", cut.rule), element("br"), element("span", cut.locator, class_="locator")]
    if cut.holds:
        style = "pill " + ("bad" if cut.is_alarm and not cut.is_repeated else "warn" if cut.is_alarm else "")
        said = f"{'ALARM: ' if cut.is_alarm else ''}holds {', '.join(cut.holds)}"
        if cut.is_alarm and cut.content_pages < cut.pages:
            said += f", on {cut.content_pages:,} of {count(cut.pages, 'page')}"
        if cut.is_alarm and cut.is_repeated:
            said += ", same text everywhere"
        parts += [element("br"), element("span", said, class_=style)]
    return join(parts)


def _sample(cut: Cut) -> Html:
    return join([element("span", cut.preview), element("br"), element("small", link(cut.example))])
