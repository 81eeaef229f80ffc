"""Links and robots directives of a page, taken before anything is removed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

from lxml import etree

from wrac.records import Directives, Link

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_anchors: Final = etree.XPath("//a[@href] | //area[@href] | //frame[@src] | //link[@href][@rel='next' or @rel='prev']")
_base: Final = etree.XPath("string(//base[@href][1]/@href)", smart_strings=False)
_robots_meta: Final = etree.XPath("//meta[@name][@content]")
_SCHEME: Final = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_DOTTED: Final = re.compile(r"(?:^|/)\.{1,2}(?:/|$|\?)")
_CONTROLS: Final = re.compile(r"[\t\n\r]")
_OUR_AGENTS: Final = frozenset({"", "robots", "googlebot"})
_VALUED_DIRECTIVES: Final = frozenset(
    {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"},
)


def base_url(root: HtmlElement, url: str) -> str:
    """What relative links resolve against (HTML standard, section 4.2.3): the first ``<base href>``, else ``url``."""
    href = _base(root).strip()
    if not href:
        return url
    joined = _joined(url, href)
    return joined if joined.startswith(("http://", "https://")) else url


def absolute(base: str, href: str) -> str:
    """``href`` resolved against ``base`` without its fragment; empty where it leads nowhere by HTTP."""
    joined = _joined(base, _CONTROLS.sub("", href.strip())).partition("#")[0]
    return joined if joined.startswith(("http://", "https://")) else ""


def find_links(root: HtmlElement, base: str) -> tuple[Link, ...]:
    """HTTP links of the whole page in order of appearance, each once; ``nofollow`` where every mention has it."""
    seen: dict[str, bool] = {}
    resolved: dict[str, str] = {}
    origin, folder = _origin_and_folder(base)
    for element in _anchors(root):
        href = element.get("href") or element.get("src") or ""
        bare = _CONTROLS.sub("", href.strip()).partition("#")[0]
        if not bare:
            continue
        url = resolved.get(bare)
        if url is None:
            url = resolved[bare] = _resolve(base, origin, folder, bare)
        if url:
            nofollow = "nofollow" in (element.get("rel") or "").lower()
            seen[url] = seen.get(url, True) and nofollow
    return tuple(Link(url, nofollow) for url, nofollow in seen.items())


def find_directives(root: HtmlElement, robots_tag: str) -> Directives:
    """What meta robots elements and the ``X-Robots-Tag`` header say to any crawler, or to googlebot, together."""
    words: set[str] = set()
    for meta in _robots_meta(root):
        if meta.get("name").strip().lower() in _OUR_AGENTS:
            words.update(re.split(r"[\s,]+", meta.get("content").lower()))
    words |= _header_words(robots_tag)
    return Directives("noindex" in words or "none" in words, "nofollow" in words or "none" in words)


def _header_words(robots_tag: str) -> set[str]:
    """Words of the header that are meant for everyone: a user agent named before a colon holds up to the next one."""
    agent, words = "", set()
    for part in robots_tag.lower().split(","):
        name, colon, rest = part.partition(":")
        if colon and name.strip() not in _VALUED_DIRECTIVES:
            agent, part = name.strip(), rest
        if agent in _OUR_AGENTS:
            words.add(part.strip())
    return words


def _origin_and_folder(base: str) -> tuple[str, str]:
    parts = urlsplit(base)
    origin = f"{parts.scheme}://{parts.netloc}"
    return origin, origin + (parts.path.rpartition("/")[0] + "/")


def _resolve(base: str, origin: str, folder: str, bare: str) -> str:
    # urljoin costs more than the rest of this module together; the common forms need none of it.
    if scheme := _SCHEME.match(bare):
        return _joined(base, bare) if scheme.group(1).lower() in ("http", "https") else ""
    if bare.startswith(("//", "?")) or _DOTTED.search(bare):
        return absolute(base, bare)
    return origin + bare if bare.startswith("/") else folder + bare


def _joined(base: str, href: str) -> str:
    try:
        return urljoin(base, href)
    except ValueError:
        return ""
