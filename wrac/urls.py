"""URLs: one spelling for each, one identity for each page, and the marks of endless URL spaces.

Three forms, from the nearest to what a page links to the farthest:

- ``request_url``: what is sent. Normalised by RFC 3986 (section 6.2.2 and 6.2.3), without fragment, credentials,
  session ids, secrets and tracking parameters. Addresses the same resource.
- ``normalize_url``: how a page is named and stored. Also without a default document (``index.html``).
- ``page_key``: what makes two URLs one page inside a crawl. Also without scheme and trailing slash, query sorted.

All three are total: what is no absolute http or https URL becomes the empty string.
"""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from urllib.parse import quote, urljoin, urlsplit

import idna

_CACHE = 65_536
_MAX_LENGTH = 2_000
_MAX_SEGMENTS = 24
DEFAULT_PORTS = {"http": 80, "https": 443}
"""Schemes that are fetched, with their ports."""
_SEGMENT = r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*"
_PLAIN = re.compile(rf"https?://[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?/(?:{_SEGMENT}/)*(?:{_SEGMENT})?\Z")
"""URLs that no rule below changes: the bulk of all links."""

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PATH_ESCAPES = re.compile(r"%([0-9A-Fa-f]{2})|([^A-Za-z0-9._~!$&'()*+,;=:@/-])")
_QUERY_ESCAPES = re.compile(r"%([0-9A-Fa-f]{2})|([^A-Za-z0-9._~!$&'()*+,;=:@/?-])")
_EDGES = "".join(map(chr, range(0x21)))
_LINE_BREAKS = re.compile(r"[\t\n\r]")

_DEFAULT_DOCUMENTS = frozenset(
    f"{stem}.{suffix}"
    for stem, suffixes in (("index", "html htm xhtml shtml php asp aspx jsp"), ("default", "html htm asp aspx"))
    for suffix in suffixes.split()
)
_TRACKING = re.compile(
    r"(?:utm_|mtm_|pk_|piwik_|matomo_|hsa_|_hs|oly_|vero_|__hs)[a-z0-9_]*"
    r"|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|ysclid|ttclid|twclid|li_fat_id|igshid|srsltid|_openstat"
    r"|mc_cid|mc_eid|mkt_tok|_ga|_gl|s_kwcid|ef_id|hsctatracking|wickedid|trk_[a-z0-9_]*"
)
_SECRET = re.compile(
    r"phpsessid|jsessionid|aspsessionid[a-z]*|sessionid|session_id|sessid|sid|cfid|cftoken"
    r"|(?:access_|id_|auth_|refresh_|csrf_|xsrf_|security_)?token|authtoken|csrf|jwt|ticket"
    r"|auth|authorization|bearer|awsaccesskeyid|accesstoken|api_?key|client_secret|secret|password|passwd|pwd|signature|sig|x-(?:amz|goog)-[a-z-]+"
)
_PATH_PARAMETER = re.compile(r";(?:jsessionid|phpsessid|sid|cfid|cftoken)=[^/;]*", re.IGNORECASE)
_COOKIELESS_SESSION = re.compile(r"/\((?:[A-Za-z]\([A-Za-z0-9]{1,64}\)){1,4}\)(?=/|\Z)")
_DIGITS = re.compile(r"[0-9]+")
_LONG_HEX = re.compile(r"[0-9a-f]{8,}|[0-9A-F]{8,}")
_REPEATED = re.compile(r"((?:/[^/]+){1,4}?)\1{2,}(?=/|\Z)")


@lru_cache(_CACHE)
def request_url(url: str) -> str:
    """The URL to send, normalised and without anything that identifies a visitor; empty where it is none."""
    if _PLAIN.match(url):
        return url
    parts = _split(url)
    if parts is None:
        return ""
    scheme, netloc, path, query = parts
    return f"{scheme}://{netloc}{path}" + (f"?{query}" if query else "")


@lru_cache(_CACHE)
def normalize_url(url: str) -> str:
    """The URL under which a page is stored: ``request_url`` without a default document. Idempotent."""
    full = request_url(url)
    if not full or "?" in full:
        # With a query the document is a program, and the folder need not be one.
        return full
    head, _, last = full.rpartition("/")
    return f"{head}/" if last.lower() in _DEFAULT_DOCUMENTS else full


@lru_cache(_CACHE)
def page_key(url: str) -> str:
    """Identity of the page behind a URL: equal for http and https, with and without trailing slash or index page."""
    full = normalize_url(url)
    rest, _, query = full.partition("://")[2].partition("?")
    rest = rest.rstrip("/")
    return f"{rest}?{'&'.join(sorted(query.split('&')))}" if query else rest


def join_url(base: str, reference: str) -> str:
    """``request_url`` of a reference that stands on ``base`` (RFC 3986, section 5); empty where it leads nowhere."""
    try:
        return request_url(urljoin(base, reference.strip(_EDGES)))
    except ValueError:
        return ""


def netloc_of(url: str) -> str:
    """Host and port of a ``request_url``, the port left out where it is the scheme's own."""
    return url.partition("://")[2].partition("/")[0].partition("?")[0]


def path_of(url: str) -> str:
    """Path of a ``request_url``, with its leading slash."""
    return "/" + url.partition("://")[2].partition("/")[2].partition("?")[0]


def url_pattern(url: str) -> str:
    """The URL with its numbers and query values blanked; empty where it has neither, so that it is its own pattern."""
    base, mark, query = url.partition("?")
    blanked = _DIGITS.sub("#", _LONG_HEX.sub("#", base.partition("://")[2]))
    if not mark and "#" not in blanked:
        return ""
    names = sorted({part.partition("=")[0] for part in query.split("&")}) if query else []
    return f"{blanked}?{'&'.join(names)}" if names else blanked


def trap_reason(url: str) -> str:
    """Why a URL looks like a part of an endless space, judged by itself; empty where it does not."""
    if len(url) > _MAX_LENGTH:
        return f"URL longer than {_MAX_LENGTH} characters"
    path = path_of(url)
    if path.count("/") > _MAX_SEGMENTS:
        return f"path deeper than {_MAX_SEGMENTS} segments"
    if match := _REPEATED.search(path):
        return f"path repeats {match[1]} three times or more"
    names = [part.partition("=")[0] for part in url.partition("?")[2].split("&")]
    if any(names.count(name) > 3 for name in set(names) if name):
        return "query repeats a parameter more than three times"
    return ""


def without_credentials(url: str) -> str:
    """The URL as it may stand in a message: without what stands before the host's ``@`` (RFC 3986, section 3.2.1)."""
    return re.sub(r"(?<=://)[^/?#]*@", "", url)


def _split(url: str) -> tuple[str, str, str, str] | None:
    """Normalised scheme, host with port, path and query."""
    text = _LINE_BREAKS.sub("", url.strip(_EDGES))
    head, mark, tail = text.partition("?")
    # Browsers read backslashes as slashes up to the query (WHATWG URL, special schemes).
    text = head.replace("\\", "/") + mark + tail
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        return None
    host = _host(parts.hostname)
    if not host:
        return None
    netloc = host if port is None or port == DEFAULT_PORTS[parts.scheme] else f"{host}:{port}"
    path = _COOKIELESS_SESSION.sub("", _PATH_PARAMETER.sub("", _escaped(parts.path, _PATH_ESCAPES)))
    return parts.scheme, netloc, _without_dot_segments(path), _kept_parameters(_escaped(parts.query, _QUERY_ESCAPES))


@lru_cache(4_096)
def _host(name: str) -> str:
    """Host in the form that is looked up: lower case, IDNA (UTS 46), IPv6 compressed and in brackets."""
    if ":" in name:
        try:
            return f"[{ipaddress.IPv6Address(name).compressed}]"
        except ValueError:
            return ""
    name = name.rstrip(".").lower()
    if not name.isascii():
        try:
            return idna.encode(name, uts46=True).decode("ascii")
        except (idna.IDNAError, UnicodeError):
            return ""
    return "" if re.search(r"[^a-z0-9._-]", name) else name


def _escaped(text: str, escapes: re.Pattern[str]) -> str:
    """Percent-encoding in its one normal form (RFC 3986, sections 2.1, 2.4 and 6.2.2.2)."""

    def normal(match: re.Match[str]) -> str:
        if match[1]:
            character = chr(int(match[1], 16))
            return character if character in _UNRESERVED else f"%{match[1].upper()}"
        return quote(match[2], safe="", errors="surrogatepass")

    return escapes.sub(normal, text)


def _without_dot_segments(path: str) -> str:
    """RFC 3986, section 5.2.4; the result starts with a slash."""
    if "/." not in path and path.startswith("/"):
        return path
    kept: list[str] = []
    segments = path.split("/")[1:] if path.startswith("/") else path.split("/")
    for segment in segments:
        if segment == "..":
            if kept:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", "..") and (not kept or kept[-1]):
        kept.append("")
    return "/" + "/".join(kept)


def _kept_parameters(query: str) -> str:
    """The query without parameters that tell of the visitor, not of the page."""
    if not query:
        return ""
    parameters = [part for part in query.split("&") if part]
    return "&".join(part for part in parameters if not _is_about_visitor(part.partition("=")[0].lower()))


def _is_about_visitor(name: str) -> bool:
    return _TRACKING.fullmatch(name) is not None or _SECRET.fullmatch(name) is not None
