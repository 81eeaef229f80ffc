"""Which of several versions of a documentation a URL belongs to, judged by its path."""

from __future__ import annotations

import re
from typing import Literal

from wrac.urls import netloc_of, path_of

Rank = tuple[int, tuple[int, ...]]

_NUMBERED = re.compile(r"v(?:ersion)?[-_]?(\d+(?:[._]\d+)*)(?:[._]x)?|(\d+(?:\.\d+)+)(?:\.x)?|(\d+)\.x", re.IGNORECASE)
_NEWEST = frozenset({"stable", "latest", "current"})
_UNRELEASED = frozenset(
    {"dev", "devel", "develop", "development", "main", "master", "trunk", "next", "nightly", "edge"}
)


class VersionScope:
    """The newest version met in each place of a site where versions stand side by side.

    A released name (``stable``, ``latest``) is newer than any number, a number newer than what is unreleased
    (``main``). Where a start URL names a version, that one is meant.
    """

    def __init__(self, wanted: Literal["newest", "all"], start_urls: tuple[str, ...]) -> None:
        self._all = wanted == "all"
        self._best: dict[str, tuple[Rank, str]] = {}
        self._fixed = {place: name for place, name, _ in map(_version, start_urls) if name}

    def learn(self, url: str) -> None:
        """The version of a ``request_url`` counts from now on."""
        if self._all:
            return
        place, name, rank = _version(url)
        if name and rank > self._best.get(place, ((-1, ()), ""))[0]:
            self._best[place] = (rank, name)

    def superseded(self, url: str) -> str:
        """Why the URL is of a version that is not wanted; empty where it is, or has no version."""
        if self._all:
            return ""
        place, name, _ = _version(url)
        if not name:
            return ""
        best = self._fixed.get(place) or self._best.get(place, ((-1, ()), name))[1]
        return "" if name == best else f"version {name}; {best} is the one to keep"


def _version(url: str) -> tuple[str, str, Rank]:
    """Host with the path before the first segment that names a version, that name, and its rank."""
    segments = path_of(url).split("/")
    for index, segment in enumerate(segments[1:-1], start=1):
        if (rank := _rank(segment.lower())) is not None:
            return netloc_of(url) + "/".join(segments[:index]), segment.lower(), rank
    return "", "", (-1, ())


def _rank(segment: str) -> Rank | None:
    if segment in _NEWEST:
        return 2, ()
    if segment in _UNRELEASED:
        return 0, ()
    if match := _NUMBERED.fullmatch(segment):
        digits = next(group for group in match.groups() if group)
        return 1, tuple(int(part) for part in re.split(r"[._]", digits))
    return None
