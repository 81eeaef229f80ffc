"""``wrac reconvert``, ``replan`` and ``reembed``: which of the ways to renew a site is gone, and under which locks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ingest.indexer import CollectionIndexer
from ingest.ledger import Ledger
from ingest.ledger.rows import RunKind
from ingest.maintenance.forecast import Forecast, forecast_rebuild, forecast_renewal
from ingest.maintenance.profile import profile_of
from ingest.maintenance.rebuild import Rebuild, needs_rebuild, versions_of
from ingest.maintenance.renewal import UNKNOWN, Renewal, Renewer, renew
from ingest.maintenance.session import open_session, sites_in, unknown_site

if TYPE_CHECKING:
    from wrac.config import Settings
    from wrac.recipe import Recipe


def remake(settings: Settings, site: str, kind: RunKind, *, accept_loss: bool = False) -> list[Renewal]:
    """The site is renewed; where its whole collection has to be, so are all sites that live in it, ``site`` first.

    Raises ``ConfigError``, ``StoreLocked`` (a crawl is under way), ``LossGuard``, ``NotSwitched``, ``StoreError``,
    ``TransientError``.
    """
    collection, neighbours = _whereabouts(settings, site)
    indexer = CollectionIndexer(settings, collection)
    indexer.prepare()
    with open_session(settings, [site]) as session:
        if kind is not RunKind.REEMBED or not needs_rebuild(session, indexer):
            profile = profile_of(session.ledger, site)
            return [renew(Renewer(session, profile, kind, indexer), session, indexer, accept_loss=accept_loss)]
    with open_session(settings, neighbours) as session:
        profiles = {name: profile_of(session.ledger, name) for name in neighbours}
        recipes = {name: _recipe_of(session.ledger, name, indexer.recipe) for name in neighbours}
        return Rebuild(session, profiles, indexer).run(kind, recipes)


def forecast(settings: Settings, site: str, kind: RunKind) -> Forecast:
    """What ``remake`` would do. Raises what it raises before it begins."""
    collection, neighbours = _whereabouts(settings, site)
    indexer = CollectionIndexer(settings, collection)
    indexer.prepare()
    with open_session(settings, [site]) as session:
        if kind is not RunKind.REEMBED or not needs_rebuild(session, indexer):
            return forecast_renewal(Renewer(session, profile_of(session.ledger, site), kind, indexer), session, indexer)
    with open_session(settings, neighbours) as session:
        versions = [row for name in neighbours for row in versions_of(session, name, indexer.recipe)]
        return forecast_rebuild(session, versions, indexer)


def _whereabouts(settings: Settings, site: str) -> tuple[str, list[str]]:
    """The site's collection, and all sites in it, the site itself first."""
    with Ledger(settings.ledger_url) as ledger:
        run = ledger.runs.last(site)
        if run is None:
            raise unknown_site(ledger, site)
        others = [name for name in sites_in(ledger, run.collection) if name != site]
    return run.collection, [site, *others]


def _recipe_of(ledger: Ledger, site: str, indexing: str) -> Recipe:
    """The recipe of the last run of a site, with another way to index."""
    run = ledger.runs.last(site)
    return replace((run and ledger.runs.recipe(run.recipe)) or UNKNOWN, indexing=indexing)
