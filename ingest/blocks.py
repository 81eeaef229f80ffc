"""Which URLs may not come back: what ``wrac forget`` erased, page by page or by the beginning of their URLs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from wrac.errors import ConfigError
from wrac.urls import page_key, request_url

if TYPE_CHECKING:
    from collections.abc import Iterable

_LOCAL = "file:///"


@dataclass(frozen=True, slots=True)
class UrlPattern:
    """A page in all spellings of its URL, or all pages whose URLs begin alike."""

    key: str
    """``wrac.urls.page_key`` of the page or of the beginning; a folder ends with a slash; empty for every URL.

    Files on disk are known by their URL itself.
    """
    is_prefix: bool

    @classmethod
    def of(cls, text: str) -> UrlPattern:
        """The pattern that a person wrote: a URL with a final ``/`` is a folder, ``*`` at the end is any ending.

        Raises ``ConfigError`` where it is no URL.
        """
        full = text.strip() if "://" in text else f"https://{text.strip()}"
        start = full.removesuffix("*")
        if start.startswith(_LOCAL):
            key = _LOCAL + quote(unquote(start.removeprefix(_LOCAL)))
            return cls(key, is_prefix=start != full or key.endswith("/"))
        url = request_url(start)
        if not url:
            raise ConfigError(f"{text!r} is no URL: write e.g. https://docs.example.org/page.html, or .../folder/")
        if start.endswith("/"):
            return cls(page_key(url) + "/", is_prefix=True)
        return cls(page_key(url), is_prefix=start != full)

    def matches(self, url: str) -> bool:
        """Whether a URL is meant; scheme, trailing slash and index page make no difference."""
        key = _key(url)
        if not self.is_prefix:
            return key == self.key
        folder = self.key.removesuffix("/")
        return key.startswith(self.key) or (folder != self.key and (key == folder or key.startswith(f"{folder}?")))


def _key(url: str) -> str:
    return page_key(url) or url


EVERYTHING = UrlPattern("", is_prefix=True)


class Blocks:
    """What is blocked in one site. ``url in blocks`` is asked for every URL of a crawl."""

    def __init__(self, patterns: Iterable[UrlPattern]) -> None:
        patterns = list(patterns)
        self._pages = {pattern.key for pattern in patterns if not pattern.is_prefix}
        self._prefixes = [pattern for pattern in patterns if pattern.is_prefix]

    def __bool__(self) -> bool:
        return bool(self._pages or self._prefixes)

    def __contains__(self, url: str) -> bool:
        """Whether the URL may not be fetched, and nothing of it be kept."""
        if not self:
            return False
        return _key(url) in self._pages or any(pattern.matches(url) for pattern in self._prefixes)
