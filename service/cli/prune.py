"""``wrac prune``: what archive and ledger need no longer keep."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.terminal import json_line, plain, write_bytes

if TYPE_CHECKING:
    from ingest.maintenance.retention import Pruned


def prune(
    site: Annotated[
        str, typer.Argument(metavar="[SITE]", help="Drop old manifests of this site alone.", show_default=False)
    ] = "",
    *,
    keep: Annotated[int, typer.Option("--keep", min=1, help="Manifests of each site to roll back to.")] = 2,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go; nothing is deleted.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Delete from archive and ledger what neither the present state nor the last manifests need."""
    from ingest.maintenance.retention import prune as sweep
    from service.state import require_ledger
    from wrac.config import load_settings

    settings = load_settings()
    require_ledger(settings)
    done = sweep(settings, site, keep, dry_run=dry_run)
    if as_json:
        write_bytes(json_line(asdict(done)))
    else:
        _show(done)


def _show(done: Pruned) -> None:
    would = "would be " if done.dry_run else ""
    objects = ", ".join(f"{count:,} {kind}" for kind, count in sorted(done.objects.items())) or "no object"
    typer.echo(f"{done.bytes:,} bytes {would}freed in the archive: {objects}")
    typer.echo(f"{done.manifests:,} manifests and {done.replies:,} planning replies {would}dropped")
    for collection in done.collections:
        typer.echo(plain(f"the collection {collection} {would}dropped: no manifest that is kept lies in it"))
    for doubt in done.doubts:
        typer.echo(plain(doubt))
