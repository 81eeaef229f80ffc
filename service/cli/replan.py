"""``wrac replan``: other chunks from the Markdown that is in the archive."""

from __future__ import annotations

from service.cli.remaking import AsJson, DryRun, Site, remake_site


def replan(
    site: Site,
    *,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Plan the pages of a site anew from their archived Markdown, as the settings are today. Nothing is fetched."""
    from ingest.ledger.rows import RunKind

    remake_site(site, RunKind.REPLAN, dry_run=dry_run, as_json=as_json)
