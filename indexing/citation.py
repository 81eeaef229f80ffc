"""URLs as they are stored and shown: with the place in the page, without anything secret."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit, urlunsplit

_SECRET_NAME = re.compile(
    r"(?:^|[-_.])(?:access|api|app|auth|authorization|bearer|client|code|csrf|jwt|key|passwd|password|pwd|secret|session|"
    r"sessionid|sid|sig|signature|ticket|token|x-amz-[a-z-]+|x-goog-[a-z-]+)(?:$|[-_.])|"
    r"^(?:apikey|authtoken|accesstoken|jsessionid|phpsessid|awsaccesskeyid)$",
    re.IGNORECASE,
)


def public_url(url: str) -> str:
    """The URL without user name, password, fragment and query parameters whose name tells of a credential."""
    parts = urlsplit(url)
    query = "&".join(pair for pair in parts.query.split("&") if pair and not _is_secret(pair.partition("=")[0]))
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, query, ""))


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


def _is_secret(name: str) -> bool:
    return _SECRET_NAME.search(name) is not None
