"""URLs as they are stored and shown: with the place in the page, without anything secret."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from wrac.config import without_credentials
from wrac.urls import request_url


def public_url(url: str) -> str:
    """The URL without user name, password, fragment and query parameters that tell of a visitor (``request_url``)."""
    return request_url(url) or without_credentials(url).partition("#")[0]


def cite(url: str, fragment: str = "", page: int | None = None) -> str:
    """Where a chunk stands: the URL with ``#fragment``, or with ``#page=N`` (RFC 8118) for a paged document."""
    if fragment:
        # Browsers match a fragment after percent-decoding; white space and controls would break the link in Markdown.
        return f"{url}#{quote(fragment, safe=_FRAGMENT_SAFE)}"
    return f"{url}#page={page}" if page is not None else url


_FRAGMENT_SAFE = "!$&'()*+,;=:@/?-._~%"


def path_prefixes(url: str) -> list[str]:
    """All folders of the URL's path, outermost first, and the path itself: ``/``, ``/en/``, ``/en/guide``."""
    path = urlsplit(url).path or "/"
    folders = [path[: match.end()] for match in re.finditer("/", path)]
    return list(dict.fromkeys([*folders, path]))
