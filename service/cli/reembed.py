"""``wrac reembed``: other vectors for the chunks that are in the archive."""

from __future__ import annotations

from service.cli.remaking import AsJson, DryRun, Site, remake_site


def reembed(
    site: Site,
    *,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Embed a site anew from its archived chunks; another embedder builds the collection beside the one in use."""
    from ingest.ledger.rows import RunKind

    remake_site(site, RunKind.REEMBED, dry_run=dry_run, as_json=as_json)
