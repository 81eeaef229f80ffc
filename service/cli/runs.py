"""``wrac runs``: the history of runs, and one of them in full."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.terminal import json_line, one_line, plain, write_bytes

if TYPE_CHECKING:
    from ingest.ledger import Ledger
    from ingest.ledger.rows import RunRow
    from wrac.config import Settings

KILLED = "killed"
"""State of a run whose process ended without writing how."""


def runs(
    target: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SITE|show ID]", help="Only runs of this site; or one run in full.", show_default=False
        ),
    ] = None,
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Runs at most, newest first.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a run and line.")] = False,
) -> None:
    """List the last runs with state, exit code, pages and duration; `wrac runs show ID` tells all of one."""
    from service.state import open_ledger
    from wrac.config import load_settings
    from wrac.errors import ConfigError

    settings, words = load_settings(), target or []
    with open_ledger(settings) as ledger:
        match words:
            case ["show", number] if number.isascii() and number.isdigit():
                run = ledger.runs.get(int(number))
                if run is None:
                    raise ConfigError(f"there is no run {number}: `wrac runs` lists them")
                _tell(settings, ledger, run, as_json=as_json, full=True)
            case ["show", *_]:
                raise ConfigError("which run? Give its number, e.g. `wrac runs show 3`; `wrac runs` lists them")
            case [] | [_]:
                found = ledger.runs.of_site(words[0], limit) if words else ledger.runs.latest(limit)
                if not found:
                    typer.echo(
                        plain(f"No run of {words[0]!r} is known." if words else "No run is known yet."), err=True
                    )
                for each in found:
                    _tell(settings, ledger, each, as_json=as_json, full=False)
            case _:
                raise ConfigError(f"give one site, or `show` and a number, not {' '.join(words)!r}")


def _tell(settings: Settings, ledger: Ledger, run: RunRow, *, as_json: bool, full: bool) -> None:
    record = _record(settings, ledger, run)
    if as_json:
        write_bytes(json_line(record))
    elif full:
        _show(record)
    else:
        _list(record)


def _record(settings: Settings, ledger: Ledger, run: RunRow) -> dict[str, Any]:
    """What is known of a run. A run that was killed has no end; one that goes on has no exit code yet."""
    state = state_of(settings, ledger, run)
    has_ended = state not in ("running", KILLED)
    return {
        "run": run.run_id,
        "site": run.site,
        "kind": run.kind.value,
        "state": state,
        "exit_code": run.exit_code if has_ended else None,
        "started": run.started_at,
        "finished": run.finished_at if has_ended else None,
        "seconds": _seconds(run, state),
        "sessions": run.sessions,
        "pages": run.counts,
        "figures": run.figures,
        "collection": run.collection,
        "recipe": run.recipe,
        "note": run.note,
        "reports": _reports(settings, run),
    }


def state_of(settings: Settings, ledger: Ledger, run: RunRow) -> str:
    """The state in the ledger; the site lock tells a run that goes on from one that was killed."""
    from ingest.ledger.rows import RunState
    from ingest.site_lock import is_let_go

    if run.state is not RunState.RUNNING:
        return run.state.value
    newest = ledger.runs.last(run.site)
    is_old = newest is not None and newest.run_id != run.run_id
    return KILLED if is_old or is_let_go(settings.data_dir, run.site) else run.state.value


def _seconds(run: RunRow, state: str) -> int | None:
    """From the start of the first session to the end, or until now; None where nobody knows the end."""
    if state == KILLED or (state != "running" and not run.finished_at):
        return None
    end = datetime.now(UTC) if state == "running" else datetime.fromisoformat(run.finished_at)
    return max(round((end - datetime.fromisoformat(run.started_at)).total_seconds()), 0)


def _reports(settings: Settings, run: RunRow) -> list[str]:
    from ingest.report.files import DATA, PAGE, report_folder

    folder = report_folder(settings.data_dir, run)
    return [str(file) for file in (folder / PAGE, folder / DATA) if file.exists()]


def _list(record: dict[str, Any]) -> None:
    exit_code = "" if record["exit_code"] is None else f"exit code {record['exit_code']}, "
    took = "" if record["seconds"] is None else f", {_duration(record['seconds'])}"
    pages = sum(record["pages"].values())
    typer.echo(
        plain(
            f"{record['run']:>5}  {record['site']}  {record['kind']}  {record['state']}, {exit_code}"
            f"{pages} {'page' if pages == 1 else 'pages'}, started {record['started']}{took}"
        )
    )


def _show(record: dict[str, Any]) -> None:
    typer.secho(plain(f"run {record['run']} of {record['site']}"), bold=True)
    by_count = sorted(record["pages"].items(), key=lambda item: -item[1])
    pages = ", ".join(f"{count} {outcome}" for outcome, count in by_count)
    exit_code = _exit_code(record["exit_code"])
    lines = {
        "kind": record["kind"],
        "state": f"{record['state']}{exit_code}",
        "note": one_line(record["note"]),
        "started": record["started"],
        "finished": record["finished"],
        "took": None if record["seconds"] is None else _duration(record["seconds"]),
        "sessions": record["sessions"] if record["sessions"] > 1 else None,
        "pages": pages,
        "store": f"collection {record['collection']!r}",
        "recipe": record["recipe"],
    }
    for name, value in lines.items():
        if value:
            typer.echo(plain(f"  {name:<10} {value}"))
    for name, figure in sorted(record["figures"].items()):
        typer.echo(plain(f"  {'figure':<10} {name} {figure:,.10g}"))
    for path in record["reports"]:
        typer.echo(plain(f"  {'report':<10} {path}"))


def _exit_code(code: int | None) -> str:
    from wrac.exit_codes import ExitCode

    if code is None:
        return ""
    name = f" ({ExitCode(code).name})" if code in set(ExitCode) else ""
    return f", exit code {code}{name}"


def _duration(seconds: int) -> str:
    return str(timedelta(seconds=seconds))
