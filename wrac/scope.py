"""Which URLs belong to a site: its hosts and the folders in it that the profile names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wrac.urls import netloc_of, path_of, request_url

if TYPE_CHECKING:
    from wrac.config import SiteProfile


@dataclass(frozen=True, slots=True)
class Scope:
    """Hosts and path prefixes of a site. Schemes make no difference; ports other than the default do."""

    areas: tuple[tuple[str, str], ...]
    """(host with port, path prefix) pairs; a prefix with a final slash also holds the folder's own URL without it."""
    deny: tuple[str, ...] = ()
    """Path prefixes that are out of scope on every host; they win."""
    fixed: bool = False
    """The profile names the prefixes, so that a redirect of a start page changes none."""

    @classmethod
    def of(cls, profile: SiteProfile) -> Scope:
        """The start URLs' hosts with the profile's ``allow``, or with each start URL's own folder."""
        starts = [url for url in map(request_url, profile.start_urls) if url]
        if profile.allow:
            areas = [(netloc_of(url), _prefix(allowed)) for url in starts for allowed in profile.allow]
        else:
            areas = [(netloc_of(url), folder_of(path_of(url))) for url in starts]
        return cls(tuple(dict.fromkeys(areas)), tuple(map(_prefix, profile.deny)), fixed=bool(profile.allow))

    def __contains__(self, url: str) -> bool:
        """Whether a ``request_url`` belongs to the site."""
        netloc, path = netloc_of(url), path_of(url)
        if any(_starts(path, prefix) for prefix in self.deny):
            return False
        return any(netloc == host and _starts(path, prefix) for host, prefix in self.areas)

    def is_own_host(self, url: str) -> bool:
        """Whether a ``request_url`` lies on one of the site's hosts, in scope or not."""
        netloc = netloc_of(url)
        return any(netloc == host for host, _ in self.areas)

    def following(self, start: str, target: str) -> Scope:
        """The scope after a start URL redirected: the site itself says where it lives.

        On another host the same folders as named count, else the target's folder; on the same host nothing changes.
        """
        if self.is_own_host(target) and target in self:
            return self
        netloc = netloc_of(target)
        if self.fixed:
            added = [(netloc, prefix) for host, prefix in self.areas if host == netloc_of(start)]
        else:
            added = [(netloc, folder_of(path_of(target)))]
        return replace(self, areas=tuple(dict.fromkeys([*self.areas, *added])))


def folder_of(path: str) -> str:
    """The folder that a start page stands for, with a final slash.

    ``/en/`` and ``/en/intro.html`` give ``/en/``. A lone segment without a dot (``/docs``) is a folder whose slash was
    not typed; deeper ones (``/docs/intro``) are pages in theirs.
    """
    if path.endswith("/"):
        return path
    head, _, last = path.rpartition("/")
    return f"{path}/" if not head and "." not in last else f"{head}/"


def _prefix(path: str) -> str:
    """A prefix of the profile, in the spelling of ``request_url``."""
    return path_of(request_url(f"http://host/{path.lstrip('/')}"))


def _starts(path: str, prefix: str) -> bool:
    return path.startswith(prefix) or (prefix.endswith("/") and path == prefix[:-1])
