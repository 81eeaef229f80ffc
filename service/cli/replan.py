"""``wrac replan``: other chunks from the Markdown that is in the archive."""

from __future__ import annotations

from typing import Annotated

import typer

from service.cli.remaking import remake_site


def replan(
    site: Annotated[str, typer.Argument(metavar="SITE", help="A site that was crawled, by name.")],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would change and cost; nothing is written or paid.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a site and line.")] = False,
) -> None:
    """Plan the pages of a site anew from their archived Markdown, as the settings are today. Nothing is fetched."""
    from ingest.ledger.rows import RunKind

    remake_site(site, RunKind.REPLAN, dry_run=dry_run, as_json=as_json)
