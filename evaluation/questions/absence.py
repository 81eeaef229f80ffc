"""Why an expected page is not in the collection."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from evaluation.questions.causes import Cause, Finding
from ingest.ledger.rows import PageState
from ingest.questions.targets import path_of_page
from wrac.records import Outcome
from wrac.scope import Scope
from wrac.urls import netloc_of, request_url

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ingest.ledger.rows import PageRow
    from ingest.questions import Target, Targets
    from wrac.config import SiteProfile

_STEPS = {
    Outcome.GONE: "correct the URL in the file, or the site",
    Outcome.NOINDEX: "the page asks not to be indexed",
    Outcome.ROBOTS_DENIED: "robots.txt of the site forbids it",
    Outcome.OUT_OF_SCOPE: "`allow` and `deny` of the profile say what belongs to the site",
    Outcome.LANGUAGE: "`languages` of the profile says which languages are taken in",
    Outcome.LIMIT: "raise the limit in the profile",
    Outcome.REDIRECTED: "is where it leads to part of the site?",
}
_MOST_HOSTS = 5
_MOST_COMPARED = 5_000
"""URLs that a misspelt one is compared with at most."""


def why_absent(target: Target, known: Targets, profiles: Mapping[str, SiteProfile]) -> Finding:
    """Why the collection does not have the page, as far as ledger and profiles tell."""
    if known.ledger is None:
        return Finding(target.url, Cause.UNKNOWN, "the collection does not have the page, and no ledger is at hand")
    row = next((row for row in (*target.pages, *target.rows)), None)
    if row is not None:
        return _met(target, row)
    if (scoped := _out_of_scope(target, profiles)) is not None:
        return scoped
    nearest = _nearest(target, known)
    says = "no page below it was met by a crawl" if target.begins_so else "no crawl met this URL"
    hosts = sorted({netloc_of(row.url) for row in known.all_rows() if row.point_ids} - {""})
    if hosts and not target.place.startswith("/") and target.place.partition("/")[0] not in hosts:
        says += f"; all pages of {', '.join(known.sites)} are on {', '.join(hosts[:_MOST_HOSTS])}"
    step = f"did you mean {nearest}?" if nearest else "is it linked from a page of the site, or in its sitemap?"
    return Finding(target.url, Cause.NOT_MET, says, step)


def _met(target: Target, row: PageRow) -> Finding:
    if row.point_ids:
        says = "the ledger says that the page is in the collection, and it is not"
        return Finding(target.url, Cause.LOST, says, f"`wrac check {row.site} --repair` puts it back")
    if row.state is PageState.GATHERED:
        says = "the page was crawled and is not published yet"
        return Finding(target.url, Cause.WAITING, says, f"`wrac publish {row.site}`")
    reason = f": {row.reason}" if row.reason else ""
    when = f" (withdrawn {row.tombstoned_at[:10]})" if row.tombstoned_at else ""
    says = f"the crawl of {row.site} ended it as {row.outcome.value}{reason}{when}"
    return Finding(target.url, Cause.ENDED, says, _STEPS.get(row.outcome, f"`wrac explain {row.url}` says more"))


def _out_of_scope(target: Target, profiles: Mapping[str, SiteProfile]) -> Finding | None:
    url = request_url(target.url.partition("#")[0].rstrip("*"))
    if not url or not profiles or any(url in Scope.of(profile) for profile in profiles.values()):
        return None
    name, profile = next(iter(profiles.items()))
    scope = Scope.of(profile)
    areas = ", ".join(f"{host}{prefix}" for host, prefix in scope.areas)
    denied = f" without {', '.join(scope.deny)}" if scope.deny else ""
    says = f"the profile of {name} keeps it out: the site is {areas}{denied}"
    return Finding(target.url, Cause.OUT_OF_SCOPE, says, f"`allow` and `deny` in sites/{name}.toml")


def _nearest(target: Target, known: Targets) -> str:
    """A page that is in the collection under a URL that is spelt much alike; empty where none is."""
    paths = {path_of_page(row.url): row.url for row in known.all_rows()[:_MOST_COMPARED] if row.point_ids}
    asked = target.place if target.place.startswith("/") else f"/{target.place.partition('/')[2]}"
    near = difflib.get_close_matches(asked, paths, 1, 0.75)
    return paths[near[0]] if near else ""
