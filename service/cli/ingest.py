"""``wrac ingest``: files and folders into the collection, and what is gone from them out of it."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.terminal import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ingest.documents_run import DiskIngest
    from ingest.progress import RunSummary
    from ingest.run import IngestRun
    from wrac.config import Settings
    from wrac.exit_codes import ExitCode

PROGRESS_SECONDS = 10.0


def ingest(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH...", exists=True, help="PDF, Office, HTML or Markdown files, or folders of them."),
    ],
    *,
    site: Annotated[
        str, typer.Option(help="Name that the files are kept under; the folder's own unless given.", show_default=False)
    ] = "",
    collection: Annotated[
        str, typer.Option(help="Collection that they go to; `docs` unless the site has a profile.", show_default=False)
    ] = "",
    base_url: Annotated[
        str, typer.Option(help="Where the files can be read on the web: citations lead there.", show_default=False)
    ] = "",
    root: Annotated[
        Path | None,
        typer.Option(metavar="DIR", exists=True, file_okay=False, help="What URLs are relative to, above all paths."),
    ] = None,
    accept_loss: Annotated[
        bool, typer.Option("--accept-loss", help="Publish though much would be lost: somebody looked.")
    ] = False,
) -> None:
    """Take files into the collection; run it again after changes, deletions and moves, or to go on."""
    from ingest.documents_on_disk import DiskSource, site_name
    from ingest.documents_run import DiskIngest, files_profile, known_files
    from ingest.run import IngestRun
    from wrac.config import load_settings
    from wrac.errors import ConfigError
    from wrac.exit_codes import ExitCode

    settings = load_settings()
    source = DiskSource(paths, root=root, base_url=base_url)
    name = site or source.default_site
    if name != site_name(name):
        raise ConfigError(f"--site {name}: use small letters, digits, dots and hyphens, e.g. {site_name(name)}")
    if next(iter(source), None) is None:
        raise ConfigError("no PDF, Office, HTML or Markdown file below " + ", ".join(map(str, paths)))
    profile = files_profile(name, collection)
    known = known_files(settings, name)
    run = IngestRun(settings, profile, accept_loss=accept_loss)
    work = DiskIngest(run, source, profile, known, accept_loss=accept_loss)
    summary = asyncio.run(_session(run, work))
    for line in _told(work, summary):
        typer.echo(plain(line))
    code = work.exit_code(summary)
    if work.error is not None:
        typer.echo(plain(f"Error: {work.error}"), err=True)
    elif code == ExitCode.RESUMABLE:
        typer.echo("Stopped before the end. The same command goes on where this one stopped.", err=True)
    _record(settings, summary, code)
    raise typer.Exit(code)


async def _session(run: IngestRun, work: DiskIngest) -> RunSummary:
    """The whole session, which the first SIGINT or SIGTERM ends politely."""
    await run.start()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, _stop, work)
    progress = asyncio.create_task(_show_progress(run))
    try:
        return await work.finish()
    finally:
        progress.cancel()
        with suppress(asyncio.CancelledError):
            await progress


def _stop(work: DiskIngest) -> None:
    print("Interrupted: files at work are finished first.", file=sys.stderr, flush=True)  # noqa: T201
    work.stop()


async def _show_progress(run: IngestRun) -> None:
    from ingest.summary_lines import progress_line

    since = time.monotonic()
    while True:
        await asyncio.sleep(PROGRESS_SECONDS)
        print(progress_line(run.progress(), time.monotonic() - since, None), file=sys.stderr, flush=True)  # noqa: T201


def _told(work: DiskIngest, summary: RunSummary) -> Iterator[str]:
    from ingest.summary_lines import figure_lines, outcome_lines, program

    yield f"{summary.site}: {work.met} {'file' if work.met == 1 else 'files'}"
    yield from outcome_lines(summary)
    yield from figure_lines(summary, program())
    if work.doubt:
        yield f"Note: {work.doubt}"


def _record(settings: Settings, summary: RunSummary, code: ExitCode) -> None:
    """The ledger keeps the exit code with the run."""
    from ingest.ledger import Ledger

    with Ledger(settings.ledger_url) as ledger:
        ledger.runs.record_exit(summary.run_id, code)
