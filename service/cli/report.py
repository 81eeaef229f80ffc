"""``wrac report``: what a run did, as a page to open, as JSON, or as a list of pages."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ingest.report.records import Bounds, Topic
from service.cli.terminal import json_line, one_line, plain, write_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from ingest.archive import Archive
    from ingest.ledger import Ledger
    from ingest.ledger.rows import RunRow
    from wrac.config import Settings


def report(
    site: Annotated[str, typer.Argument(help="Name of the site; may be left out where only one was crawled.")] = "",
    *,
    run: Annotated[
        int | None, typer.Option("--run", min=1, help="Number of the run; the newest of the site unless given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    topic: Annotated[
        Topic | None, typer.Option("--list", metavar="TOPIC", help="Print every page of one list, e.g. changed.")
    ] = None,
) -> None:
    """Print where the report of a run lies: open the page in any browser. It is made where it is missing."""
    from ingest.archive import FileArchive
    from service.state import open_ledger
    from wrac.config import load_settings

    settings = load_settings()
    with open_ledger(settings) as ledger:
        found = _find(ledger, site, run)
        archive = FileArchive(settings.archive_url)
        if topic is not None:
            _print_list(ledger, archive, found, topic, as_json=as_json)
            return
        path = _page(settings, ledger, archive, found)
    if as_json:
        write_bytes(path.with_name("report.json").read_bytes())
    else:
        typer.echo(plain(str(path)))


def _find(ledger: Ledger, site: str, number: int | None) -> RunRow:
    """The run that is meant. Raises ``ConfigError`` where there is none, or more than one."""
    from wrac.errors import ConfigError, did_you_mean

    sites = ledger.runs.sites()
    if number is not None:
        found = ledger.runs.get(number)
        if found is None or site not in ("", found.site):
            of = f" of {site!r}" if site else ""
            raise ConfigError(f"there is no run {number}{of}: `wrac runs` lists them")
        return found
    if not sites:
        raise ConfigError("no run is known yet: `wrac crawl URL`")
    if not site and len(sites) > 1:
        raise ConfigError(f"name a site: {', '.join(sites)}")
    found = ledger.runs.last(site or sites[0])
    if found is None:
        raise ConfigError(f"no run of {site!r} is known{did_you_mean(site, sites)}: `wrac status` lists the sites")
    return found


def _page(settings: Settings, ledger: Ledger, archive: Archive, run: RunRow) -> Path:
    """The page of the run's report, made anew where it is missing or older than the end of the run."""
    from ingest.report.files import report_folder, write_report
    from wrac.errors import StoreError

    page = report_folder(settings.data_dir, run) / "report.html"
    if run.finished_at and page.exists() and _is_of(page.with_name("report.json"), run):
        return page
    try:
        return write_report(settings.data_dir, ledger, archive, run)
    except OSError as error:
        raise StoreError(f"the report cannot be written to {page.parent}: {error}") from error


def _is_of(data: Path, run: RunRow) -> bool:
    import json

    try:
        stored = json.loads(data.read_bytes())
        return bool(stored["finished_at"] == run.finished_at and stored["exit_code"] == run.exit_code)
    except (OSError, ValueError, LookupError, TypeError):
        return False


def _print_list(ledger: Ledger, archive: Archive, run: RunRow, topic: Topic, *, as_json: bool) -> None:
    from ingest.report.gather import build_report

    # Passages that moved are found by comparing pages; no other list needs that.
    everything = Bounds(listed=sys.maxsize, compared=Bounds().compared if topic is Topic.MOVED else 0, cleaned=0)
    for note in build_report(ledger, archive, run, everything).lists[topic].pages:
        if as_json:
            write_bytes(
                json_line({"url": note.url, "was": note.other_url, "reason": note.reason, "evidence": note.evidence})
            )
        else:
            parts = (note.url, f"was {note.other_url}" if note.other_url else "", note.reason, note.evidence)
            typer.echo("\t".join(one_line(part) for part in parts if part))
