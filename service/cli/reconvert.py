"""``wrac reconvert``: other Markdown from the bodies that are in the archive."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.remaking import remake_site


def reconvert(
    site: Annotated[str, typer.Argument(metavar="SITE", help="A site that was crawled, by name.")],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would change and cost; nothing is written or paid.")
    ] = False,
    accept_loss: Annotated[
        bool, typer.Option("--accept-loss", help="Publish even where a large share of the content is lost.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a site and line.")] = False,
) -> None:
    """Convert the pages of a site anew from their archived bodies, as the profile is today. Nothing is fetched."""
    from ingest.ledger.rows import RunKind

    remake_site(site, RunKind.RECONVERT, dry_run=dry_run, as_json=as_json, accept_loss=accept_loss)
