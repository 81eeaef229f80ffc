"""The profile of a site that was crawled, whether it has a file or was crawled by URL."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ingest.documents_run import files_profile
from ingest.maintenance.session import unknown_site
from wrac.config import SITES_DIR, load_site, site_from_url
from wrac.errors import ConfigError

if TYPE_CHECKING:
    from ingest.ledger import Ledger
    from wrac.config import SiteProfile


def profile_of(ledger: Ledger, site: str) -> SiteProfile:
    """``sites/NAME.toml``, else what a crawl by URL, or files on disk, go by.

    Raises ``ConfigError``: unknown, or moved elsewhere.
    """
    run = ledger.runs.last(site)
    if run is None:
        raise unknown_site(ledger, site)
    if any(not row.status for row in islice(ledger.pages.published(site), 1)):
        return files_profile(site, run.collection)
    if not (SITES_DIR / f"{site}.toml").exists():
        return site_from_url(f"https://{site}/", name=site, collection=run.collection)
    profile = load_site(site)
    if profile.collection != run.collection:
        raise ConfigError(
            f"{site} was published into the collection {run.collection!r}, and {SITES_DIR / site}.toml names "
            f"{profile.collection!r}: `wrac crawl {site}` publishes it there; or set the key back"
        )
    return profile
