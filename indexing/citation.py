"""URLs as they are stored and shown: with the place in the page, without anything secret."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from wrac.urls import request_url, without_credentials


def public_url(url: str) -> str:
    """The URL without user name, password, fragment and query parameters that tell of a visitor (``request_url``)."""
    return request_url(url) or without_credentials(url).partition("#")[0]


_PAGES = {
    "pdf": "page",
    **dict.fromkeys(["pptx", "ppt", "odp"], "slide"),
    **dict.fromkeys(["xlsx", "xls", "xlsb", "ods"], "sheet"),
}
"""What a part of a document is called, by its kind. Kinds that are not here have no place that a link could name."""


def cite(url: str, fragment: str = "", page: int | None = None, kind: str = "pdf") -> str:
    """Where a chunk stands: the URL with ``#fragment``, or with the page of a document of a ``kind``.

    Readers of PDF open ``#page=N`` (RFC 8118). Nothing opens ``#slide=N`` and ``#sheet=N``: they tell a person where
    to look, and a program that does not know them opens the document.
    """
    if fragment:
        # Browsers match a fragment after percent-decoding; white space and controls would break the link in Markdown.
        return f"{url}#{quote(fragment, safe=_FRAGMENT_SAFE)}"
    return f"{url}#{_PAGES[kind]}={page}" if page is not None and kind in _PAGES else url


_FRAGMENT_SAFE = "!$&'()*+,;=:@/?-._~%"


def path_prefixes(url: str) -> list[str]:
    """All folders of the URL's path, outermost first, and the path itself: ``/``, ``/en/``, ``/en/guide``."""
    path = urlsplit(url).path or "/"
    folders = [path[: match.end()] for match in re.finditer("/", path)]
    return list(dict.fromkeys([*folders, path]))
