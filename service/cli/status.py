"""``wrac status``: what was crawled, and what the collection holds."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.terminal import json_line, one_line, plain, write_bytes
from wrac.exit_codes import INCOMPLETE_OUTCOMES
from wrac.records import Outcome  # noqa: TC001 - typer reads it

if TYPE_CHECKING:
    from collections.abc import Collection

    from ingest.ledger import Ledger
    from ingest.ledger.bills import Spending
    from ingest.ledger.rows import RunRow, RunState
    from wrac.config import Settings

SHOWN = 20
"""URLs that are listed for a person."""


def status(
    *,
    site: Annotated[str, typer.Option(help="Only this site.")] = "",
    outcome: Annotated[
        Outcome | None, typer.Option(metavar="OUTCOME", help="List the URLs that ended so at last, e.g. gone.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a site and line.")] = False,
) -> None:
    """Show the sites that were crawled: their last run, their pages by outcome, their points."""
    from service.state import open_ledger
    from wrac.config import load_settings

    settings = load_settings()
    with open_ledger(settings) as ledger:
        sites = [name for name in ledger.runs.sites() if site in ("", name)]
        if not sites:
            typer.echo(f"No run of {site!r} is known." if site else "No run is known yet: `wrac crawl URL`.", err=True)
        for name in sites:
            report = _report(settings, ledger, name, outcome)
            if as_json:
                write_bytes(json_line(report))
            else:
                _show(report)


def _report(settings: Settings, ledger: Ledger, site: str, outcome: Outcome | None) -> dict[str, Any]:
    from ingest.ledger.rows import RunKind

    run = ledger.runs.last(site, RunKind.CRAWL) or ledger.runs.last(site)
    if run is None:
        return {"site": site}
    points, problem = _count_points(settings, run)
    return {
        "site": site,
        "run": run.run_id,
        "state": (state := _state(settings, run)).value,
        "started": run.started_at,
        "finished": run.finished_at if state is run.state else None,
        "note": run.note,
        "pages": ledger.pages.count_by("outcome", site),
        "incomplete": _urls(ledger, site, run.run_id, INCOMPLETE_OUTCOMES),
        "listed": None if outcome is None else _urls(ledger, site, None, {outcome}),
        "waiting": ledger.pages.count_by("state", site).get("gathered", 0),
        "spent": {"run": _spent(ledger.bills.of_run(run.run_id)), "site": _spent(ledger.bills.of_site(site))},
        "planning": figures.as_dict() if (figures := ledger.bills.figures(run.run_id)) else None,
        "collection": run.collection,
        "store": settings.store_place,
        "points": points,
        "problem": problem,
    }


def _spent(spendings: list[Spending]) -> list[dict[str, Any]]:
    """What models have billed, by purpose and model; dollars are None where the price was not known."""
    return [
        {
            "purpose": each.purpose.value,
            "model": each.model,
            **asdict(each.usage),
            "dollars": None if each.dollars is None else float(each.dollars),
        }
        for each in spendings
    ]


def _state(settings: Settings, run: RunRow) -> RunState:
    """The state in the ledger, but for a run whose process ended without writing it."""
    from ingest.ledger.rows import RunState
    from ingest.site_lock import is_let_go

    broken_off = run.state is RunState.RUNNING and is_let_go(settings.data_dir, run.site)
    return RunState.INTERRUPTED if broken_off else run.state


def _urls(ledger: Ledger, site: str, run_id: int | None, outcomes: Collection[Outcome]) -> list[dict[str, str]]:
    """The URLs of one run, or of all, that ended with one of these outcomes, each with the reason."""
    found = []
    for url, page_id in ledger.pages.ids_by_url(site, run_id, sorted(outcomes)).items():
        row = ledger.pages.get(site, page_id)
        if row is not None:
            found.append({"url": url, "outcome": row.outcome.value, "reason": row.reason})
    return found


def _count_points(settings: Settings, run: RunRow) -> tuple[int | None, str]:
    """Points of the site; None and the reason where the collection cannot be asked now."""
    from indexing import open_store
    from wrac.errors import WracError

    if (folder := settings.store_folder) is not None and not folder.exists():
        return 0, ""
    try:
        with open_store(settings, run.collection) as store:
            return store.count(run.site), ""
    except WracError as error:
        return None, str(error)


def _show(report: dict[str, Any]) -> None:
    typer.secho(plain(report["site"]), bold=True)
    if "run" not in report:
        return
    finished = f", finished {report['finished']}" if report["finished"] else ""
    typer.echo(f"  run {report['run']}    {report['state']}, started {report['started']}{finished}")
    if report["note"]:
        typer.echo(plain(f"  note     {report['note']}"))
    pages = ", ".join(f"{count} {outcome}" for outcome, count in report["pages"].items())
    typer.echo(f"  pages    {pages or 'none'}")
    asked = report["listed"]
    for page in report["incomplete"][:SHOWN] if asked is None else asked:
        typer.echo(f"           {one_line(page['url'])}: {page['outcome']}: {one_line(page['reason'])}")
    if asked is None and (more := len(report["incomplete"]) - SHOWN) > 0:
        typer.echo(f"           and {more} more (--json lists all)")
    if report["waiting"]:
        typer.echo(f"  waiting  {report['waiting']} gathered pages are not in the collection yet")
    _show_bill(report)
    points = "unknown" if report["points"] is None else f"{report['points']} points"
    typer.echo(plain(f"  store    {points} in collection {report['collection']!r} of {report['store']}"))
    if report["problem"]:
        typer.echo(plain(f"           {report['problem']}"))


def _show_bill(report: dict[str, Any]) -> None:
    from chunking.planners.figures import PlanningFigures
    from ingest.bill import in_words
    from wrac.records import Usage

    if report["planning"] is not None:
        figures = PlanningFigures.of(report["planning"])
        typer.echo(plain(f"  planning {figures.in_words()}"))
        if reasons := figures.reasons():
            typer.echo(f"           by rule: {one_line(reasons)}")
    for scope in ("run", "site"):
        for each in report["spent"][scope]:
            usage = Usage(*(each[name] for name in ("input_tokens", "cached_tokens", "output_tokens", "calls")))
            dollars = None if each["dollars"] is None else Decimal(str(each["dollars"]))
            label = "paid" if scope == "run" else "of site"
            typer.echo(plain(f"  {label:<8} {each['purpose']} {each['model']}: {in_words(usage, dollars)}"))
