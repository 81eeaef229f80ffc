"""Links: absolute, honouring ``<base href>``, written so that Markdown reads them back."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from wrac.urls import request_url

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_PLAIN_RELATIVE = re.compile(r"[\w-][\w/-]*(?:\.[\w-]+)*(?:[#?]|$)", re.ASCII)
_UNREADABLE = re.compile(r"[\s<>()\\`|\[\]\x00-\x1f]")
_ENCODED = {" ": "%20", "<": "%3C", ">": "%3E", "\\": "%5C", "`": "%60", "|": "%7C", "[": "%5B", "]": "%5D"}
_MAY_BE_PRIVATE = re.compile(r"[?;@]|/\(")
_DEAD_SCHEMES = ("javascript:", "data:", "vbscript:", "blob:", "about:")


class Links:
    """Resolves the references of one page; equal references are resolved once."""

    __slots__ = ("_base", "_folder", "_page", "_seen")

    def __init__(self, page_url: str, base_url: str) -> None:
        self._base = base_url or page_url
        self._page = page_url
        path_end = re.split(r"[?#]", self._base, maxsplit=1)[0]
        is_plain = path_end.count("/") > 2 and "/." not in path_end
        self._folder = path_end[: path_end.rfind("/") + 1] if is_plain else ""
        self._seen: dict[str, str] = {}

    def absolute(self, reference: str | None) -> str:
        """Where the reference leads, ready for a Markdown destination; empty where it leads nowhere readable."""
        if not reference:
            return ""
        found = self._seen.get(reference)
        if found is None:
            found = self._seen[reference] = self._resolve(reference.strip())
        return found

    def _resolve(self, reference: str) -> str:
        reference = re.sub(r"[\t\r\n]+", "", reference)
        if not reference or reference == "#" or reference.lower().startswith(_DEAD_SCHEMES):
            return ""
        if _SCHEME.match(reference):
            return destination(_public(reference))
        if self._folder and (joined := self._joined(reference)):
            return destination(_public(joined))
        try:
            return destination(_public(urljoin(self._base, reference)))
        except ValueError:
            return ""

    def _joined(self, reference: str) -> str:
        """What ``urljoin`` makes of the common relative references; empty for all others."""
        folder = self._folder
        while reference.startswith("../"):
            folder = folder[: folder.rfind("/", 0, -1) + 1]
            reference = reference[3:]
        if folder.count("/") < 3 or not _PLAIN_RELATIVE.match(reference):
            return ""
        return folder + reference


def _public(url: str) -> str:
    """The URL without credentials, session ids and tracking: what is read again later is nobody's own link."""
    if not _MAY_BE_PRIVATE.search(url):
        return url
    address, mark, fragment = url.partition("#")
    public = request_url(address)
    return f"{public}{mark}{fragment}" if public else url


def destination(url: str) -> str:
    """The URL with what would end a Markdown destination percent-encoded; balanced parentheses stay."""
    if not _UNREADABLE.search(url):
        return url
    url = "".join(_ENCODED.get(c, c) for c in url.strip() if c >= " ")
    if not _balanced(url):
        url = url.replace("(", "%28").replace(")", "%29")
    return url


def _balanced(url: str) -> bool:
    depth = 0
    for c in url:
        depth += (c == "(") - (c == ")")
        if depth < 0:
            return False
    return depth == 0
