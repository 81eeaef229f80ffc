"""Credentials of the profile, and which requests they go with."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from wrac.errors import ConfigError
from wrac.urls import netloc_of, request_url

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wrac.config import SiteProfile


class Credentials:
    """Headers for the start URLs' origins, and for nothing else."""

    def __init__(self, profile: SiteProfile) -> None:
        """Reads the environment; raises ``ConfigError`` where a variable is not set."""
        self._headers = _headers(profile)
        starts = [origin(request_url(url)) for url in profile.start_urls]
        # Many sites redirect http to https. Never the other way round: on http anyone on the path reads along.
        secured = [f"https{start.removeprefix('http')}" for start in starts if start.startswith("http:")]
        self._trusted = frozenset([*starts, *secured])

    @property
    def headers(self) -> Mapping[str, str]:
        """Names and values that are secret."""
        return self._headers

    def trusts(self, url: str) -> bool:
        """Whether they go with a request for ``url``."""
        return origin(request_url(url)) in self._trusted


def origin(url: str) -> str:
    """Scheme, host and port of a ``request_url``: what credentials are bound to (RFC 6454, section 4)."""
    return f"{url.partition('://')[0]}://{netloc_of(url)}"


def _headers(profile: SiteProfile) -> dict[str, str]:
    headers = {}
    for header, variable in profile.auth.header_env.items():
        value = os.environ.get(variable)
        if not value:
            raise ConfigError(f"auth.header_env: the environment variable {variable} for {header} is not set")
        headers[header] = value
    return headers
