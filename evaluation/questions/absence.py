"""Why an expected page is not in the collection."""

from __future__ import annotations

import difflib
import posixpath
from typing import TYPE_CHECKING

from evaluation.questions.causes import Cause, Finding
from ingest.ledger.rows import PageState
from ingest.questions.targets import path_of_page
from wrac.records import Outcome
from wrac.scope import Scope
from wrac.urls import netloc_of, path_of, request_url

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
_LAST_ALIKE = 0.75
_MOST_COMPARED = 5_000
"""URLs that a misspelt one is compared with at most."""


def why_absent(target: Target, known: Targets, profiles: Mapping[str, SiteProfile]) -> Finding:
    """Why the collection does not have the page, as far as ledger and profiles tell."""
    if known.ledger is None:
        return Finding(target.url, Cause.UNKNOWN, "the collection does not have the page, and no ledger is at hand")
    row = next(iter((*target.pages, *target.rows)), None)
    if row is not None:
        return _met(target, row)
    if (scoped := _out_of_scope(target, known, profiles)) is not None:
        return scoped
    nearest = _nearest(target, known)
    says = "no page below it was met by a crawl" if target.begins_so else "no crawl met this URL"
    if elsewhere := _all_elsewhere(target, known):
        says += f"; all pages of {', '.join(known.sites)} are {elsewhere}"
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


def _out_of_scope(target: Target, known: Targets, profiles: Mapping[str, SiteProfile]) -> Finding | None:
    """That no site takes the URL in; unknown where a site has no profile."""
    if not known.sites or not profiles.keys() >= set(known.sites):
        return None
    for scope in map(Scope.of, profiles.values()):
        if any(url in scope for url in _urls(target, scope)):
            return None
    name, profile = next(iter(profiles.items()))
    scope = Scope.of(profile)
    areas = ", ".join(f"{host}{prefix}" for host, prefix in scope.areas)
    denied = f" without {', '.join(scope.deny)}" if scope.deny else ""
    says = f"the profile of {name} keeps it out: the site is {areas}{denied}"
    return Finding(target.url, Cause.OUT_OF_SCOPE, says, f"`allow` and `deny` in sites/{name}.toml")


def _urls(target: Target, scope: Scope) -> list[str]:
    """The URL, or what its path is on each host of the site."""
    written = target.url.partition("#")[0].rstrip("*")
    hosts = [host for host, _ in scope.areas] if written.startswith("/") else []
    return [request_url(f"https://{host}{written}") for host in hosts] or [request_url(written)]


def _all_elsewhere(target: Target, known: Targets) -> str:
    """Where all pages in the collection are that the URL is not; empty where it is among them."""
    rows = [row for row in known.all_rows() if row.point_ids]
    hosts = sorted({netloc_of(row.url) for row in rows} - {""})
    if not hosts:
        return ""
    host, _, path = ("", "", target.place) if target.place.startswith("/") else target.place.partition("/")
    if host and host not in hosts:
        return f"on {', '.join(hosts[:_MOST_HOSTS])}"
    folder = posixpath.commonpath([f"/{path_of(row.url).strip('/').rpartition('/')[0]}" for row in rows]).rstrip("/")
    return f"below {folder}/" if folder and not f"/{path.lstrip('/')}/".startswith(f"{folder}/") else ""


def _nearest(target: Target, known: Targets) -> str:
    """A page in the collection whose URL is spelt much alike, its last part above all; empty where none is."""
    paths = {path_of_page(row.url): row.url for row in known.all_rows()[:_MOST_COMPARED] if row.point_ids}
    asked = target.place if target.place.startswith("/") else f"/{target.place.partition('/')[2]}"
    last = asked.rpartition("/")[2]
    if moved := [path for path in paths if last and path.rpartition("/")[2] == last]:
        return paths[moved[0]]
    for near in difflib.get_close_matches(asked, paths, 5, 0.75):
        if difflib.SequenceMatcher(None, last, near.rpartition("/")[2]).ratio() >= _LAST_ALIKE:
            return paths[near]
    return ""
