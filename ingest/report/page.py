"""A report as one HTML file that needs no network and runs no script.

Page text is hostile: everything is escaped by ``ingest.report.markup``, and links lead to web pages only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.report.document import document
from ingest.report.markup import Html, element, link
from ingest.report.panels import alarm, cleaning, effort, history
from ingest.report.records import Topic
from ingest.report.sections import outcomes, topics
from ingest.report.words import TITLES, count, moment, span, summary

if TYPE_CHECKING:
    from ingest.report.records import Report


def render_html(report: Report) -> str:
    """The whole page; equal reports give equal text."""
    main = element(
        "main",
        _tiles(report),
        topics(report),
        effort(report),
        history(report),
        cleaning(report),
        outcomes(report),
    )
    title = f"{report.site}: run {report.run_id}"
    return document(title, _header(report), _navigation(report), main, _footer(report))


def _header(report: Report) -> Html:
    took = _took(report)
    when = moment(report.started_at) + (f", {span(took)}" if took is not None else "")
    about = f"Run {report.run_id}, {report.kind} · {when} · collection {report.collection}"
    if report.sessions > 1:
        about += f" · {count(report.sessions, 'session')}"
    return element(
        "header",
        element("h1", report.site),
        element("p", element("span", report.state, class_=f"pill {_mood(report)}"), f" {about}", class_="soft"),
        element("p", summary(report), class_="lead"),
        _trouble(report),
        alarm(report),
    )


def _mood(report: Report) -> str:
    if report.exit_code not in (0, None) or report.state != "finished":
        return "warn" if report.state == "finished" else "bad"
    return "good"


def _took(report: Report) -> float | None:
    return report.history[-1].minutes * 60 if report.finished_at and report.history else None


def _trouble(report: Report) -> Html:
    """Why the run did not end as it should have."""
    said = [report.note] if report.note else []
    if report.exit_code:
        said.append(f"The command ended with exit code {report.exit_code}.")
    return element("div", " ".join(said), class_="notice bad") if said else Html()


def _tiles(report: Report) -> Html:
    tiles = []
    for topic, title in TITLES.items():
        total = report.lists[topic].total if topic in report.lists else 0
        if total or topic not in (Topic.REFRESHED, Topic.WAITING):
            style = f"{topic.value}{'' if total else ' none'}"
            target = f"#{topic.value}" if total else "#outcomes"
            tiles.append(element("a", element("b", f"{total:,}"), title, href=target, class_=style))
    if (unchanged := report.outcomes.get("unchanged")) is not None:
        tiles.append(element("a", element("b", f"{unchanged.total:,}"), "Unchanged", href="#outcome-unchanged"))
    return element("div", *tiles, class_="tiles")


def _navigation(report: Report) -> Html:
    places = [(f"#{topic.value}", TITLES[topic]) for topic, found in report.lists.items() if found.total]
    places += [("#effort", "What it took")]
    places += [("#history", "Last runs")] if len(report.history) > 1 else []
    places += [("#removed", "Removed by filters"), ("#outcomes", "All URLs")]
    return element("nav", element("div", *(link(target, label) for target, label in places)))


def _footer(report: Report) -> Html:
    again = f"wrac report {report.site} --run {report.run_id} --json"
    return element(
        "footer", element("p", "The same for programs: ", element("code", again), " or report.json", class_="soft")
    )
