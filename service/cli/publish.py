"""``wrac publish``: what was gathered and is not in the collection yet."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.terminal import json_line, one_line, plain, write_bytes

if TYPE_CHECKING:
    from ingest.maintenance.gathered import Published

SHOWN = 10


def publish(
    site: Annotated[str, typer.Argument(metavar="SITE", help="A site that was crawled, by name.")],
    *,
    accept_loss: Annotated[
        bool, typer.Option("--accept-loss", help="Publish even where the loss guard stopped it: a person looked.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Publish what a crawl gathered and did not publish, out of the archive: nothing is fetched."""
    from ingest.maintenance.gathered import publish_gathered
    from service.state import require_ledger
    from wrac.config import load_settings
    from wrac.exit_codes import ExitCode

    settings = load_settings()
    require_ledger(settings)
    done = publish_gathered(settings, site, accept_loss=accept_loss)
    if as_json:
        write_bytes(json_line(asdict(done)))
    else:
        _show(done)
    if done.failed:
        raise typer.Exit(ExitCode.INCOMPLETE)


def _show(done: Published) -> None:
    typer.secho(plain(done.site), bold=True)
    if not (done.published or done.withdrawn or done.failed):
        typer.echo("  Nothing waits to be published.")
        return
    typer.echo(f"  {done.published:,} pages published, {done.withdrawn:,} withdrawn")
    typer.echo(f"  vectors  {done.embedded:,} texts embedded, {done.reused:,} out of the archive")
    for url, reason in done.failed[:SHOWN]:
        typer.echo(f"  {one_line(url)}: {one_line(reason)}")
