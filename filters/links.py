"""Links and robots directives of a page, taken before anything is removed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

from wrac.records import Directives, Link

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from filters.survey import Survey

_SCHEME: Final = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_DOTTED: Final = re.compile(r"(?:^|/)\.{1,2}(?:/|$|\?)")
_CONTROLS: Final = re.compile(r"[\t\n\r]")
_OUR_AGENTS: Final = frozenset({"", "robots", "googlebot"})
_VALUED_DIRECTIVES: Final = frozenset(
    {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"},
)


def base_url(survey: Survey, url: str) -> str:
    """What relative links resolve against (HTML standard, section 4.2.3): the first ``<base href>``, else ``url``."""
    href = next((base.get("href") for base in survey.tagged("base") if base.get("href")), "")
    if not href:
        return url
    joined = _joined(url, href.strip())
    return joined if joined.startswith(("http://", "https://")) else url


def absolute(base: str, href: str) -> str:
    """``href`` resolved against ``base`` without its fragment; empty where it leads nowhere by HTTP."""
    joined = _joined(base, _CONTROLS.sub("", href.strip())).partition("#")[0]
    return joined if joined[:8].lower().startswith(("http://", "https://")) else ""


def find_links(survey: Survey, base: str) -> tuple[Link, ...]:
    """HTTP links of the whole page, each once; ``nofollow`` where every mention has it.

    Frames and ``<link rel=next>`` count as links: there are sites that are reached by nothing else.
    """
    seen: dict[str, bool] = {}
    resolved: dict[str, str] = {}
    resolver = _Resolver(base)
    for element, href in (*survey.links, *_other_links(survey)):
        url = resolved.get(href)
        if url is None:
            url = resolved[href] = resolver.resolve(href)
        if url:
            nofollow = element in survey.not_followed
            seen[url] = nofollow and seen.get(url, True)
    return tuple(Link(url, nofollow) for url, nofollow in seen.items())


def _other_links(survey: Survey) -> Iterator[tuple[HtmlElement, str]]:
    for element in survey.tagged("frame", "link"):
        href = element.get("src" if element.tag == "frame" else "href")
        if href and (element.tag == "frame" or element.get("rel") in ("next", "prev")):
            yield element, href


def find_directives(survey: Survey, robots_tag: str) -> Directives:
    """What meta robots elements and the ``X-Robots-Tag`` header say to any crawler, or to googlebot, together."""
    words = _header_words(robots_tag) if robots_tag else set()
    for meta in survey.tagged("meta"):
        if (meta.get("name") or "").strip().lower() in ("robots", "googlebot"):
            words.update(re.split(r"[\s,]+", (meta.get("content") or "").lower()))
    return Directives("noindex" in words or "none" in words, "nofollow" in words or "none" in words)


def _header_words(robots_tag: str) -> set[str]:
    """Words of the header that are meant for everyone: a user agent named before a colon holds up to the next one."""
    agent, words = "", set()
    for part in robots_tag.lower().split(","):
        name, colon, rest = part.partition(":")
        said = part
        if colon and name.strip() not in _VALUED_DIRECTIVES:
            agent, said = name.strip(), rest
        if agent in _OUR_AGENTS:
            words.add(said.strip())
    return words


class _Resolver:
    """``urljoin`` for one base (RFC 3986, section 5.2); the common forms are joined without parsing the base again."""

    def __init__(self, base: str) -> None:
        self._base = base
        parts = urlsplit(base)
        self._scheme = parts.scheme
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._folders = parts.path.split("/")[1:-1]

    def resolve(self, href: str) -> str:
        bare = _CONTROLS.sub("", href.strip()).partition("#")[0]
        if not bare:
            return ""
        if scheme := _SCHEME.match(bare):
            return absolute(self._base, bare) if scheme.group(1).lower() in ("http", "https") else ""
        if bare[0] == "?" or bare.startswith("//"):
            return absolute(self._base, bare)
        if bare[0] == "/":
            return absolute(self._base, bare) if _DOTTED.search(bare) else self._origin + bare
        up = 0
        while bare.startswith("../"):
            bare, up = bare[3:], up + 1
        if _DOTTED.search(bare) or up > len(self._folders):
            return absolute(self._base, "../" * up + bare)
        folders = self._folders[: len(self._folders) - up]
        return "/".join([self._origin, *folders, bare])


def _joined(base: str, href: str) -> str:
    try:
        return urljoin(base, href)
    except ValueError:
        return ""
