"""``wrac reconvert``: other Markdown from the bodies that are in the archive."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.remaking import AsJson, DryRun, Site, remake_site


def reconvert(
    site: Site,
    *,
    dry_run: DryRun = False,
    accept_loss: Annotated[
        bool, typer.Option("--accept-loss", help="Publish even where a large share of the content is lost.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Convert the pages of a site anew from their archived bodies, as the profile is today. Nothing is fetched."""
    from ingest.ledger.rows import RunKind

    remake_site(site, RunKind.RECONVERT, dry_run=dry_run, as_json=as_json, accept_loss=accept_loss)
