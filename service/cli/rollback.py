"""``wrac rollback``: a site as it was after an earlier publish."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.terminal import json_line, one_line, plain, write_bytes

if TYPE_CHECKING:
    from ingest.maintenance.rollback import Rollback
    from wrac.config import Settings

SHOWN = 10


def rollback(
    site: Annotated[str, typer.Argument(metavar="SITE", help="A site that was published, by name.")],
    *,
    to: Annotated[
        int, typer.Option("--to", metavar="MANIFEST", min=0, help="Number of a manifest; the one before the last.")
    ] = 0,
    listed: Annotated[bool, typer.Option("--list", help="List the manifests; change nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Bring a site back to how it was after an earlier publish, out of the archive: nothing is fetched or embedded."""
    from ingest.maintenance.rollback import rollback as roll_back
    from service.state import require_ledger
    from wrac.config import load_settings

    settings = load_settings()
    require_ledger(settings)
    if listed:
        _list(settings, site, as_json=as_json)
        return
    done = roll_back(settings, site, to)
    if as_json:
        write_bytes(json_line(asdict(done)))
    else:
        _show(done)


def _show(done: Rollback) -> None:
    typer.secho(plain(done.site), bold=True)
    typer.echo(f"  as after manifest {done.manifest}, published {done.published_at}")
    typer.echo(
        f"  {done.restored:,} pages brought back, {done.withdrawn:,} withdrawn that came since, "
        f"{done.unchanged:,} as they were"
    )
    for url in done.skipped[:SHOWN]:
        typer.echo(f"  {one_line(url)} stays away: it was forgotten")
    if done.collection:
        typer.echo(plain(f"  Readers use the collection {done.collection} again, for all sites in it."))
        typer.echo(
            plain(f"  It was embedded by {done.embedder}: set `embedder` back, else crawl and search refuse it.")
        )
    typer.echo("  The next crawl publishes what it finds: until the cause is mended, take the site off its schedule.")


def _list(settings: Settings, site: str, *, as_json: bool) -> None:
    from ingest.ledger import Ledger

    with Ledger(settings.ledger_url) as ledger:
        for manifest in ledger.publishes.history(site):
            run = ledger.runs.get(manifest.run_id)
            kind = run.kind.value if run else "unknown"
            if as_json:
                write_bytes(json_line({**asdict(manifest), "kind": kind}))
                continue
            when = manifest.completed_at or f"{manifest.created_at}, broke off"
            typer.echo(plain(f"{manifest.manifest_id:>6}  {when}  {kind}, {manifest.pages:,} pages"))
