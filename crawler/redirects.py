"""Where a response sends the crawl on, and whether that is a login."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from w3lib.html import get_meta_refresh

from wrac.urls import join_url, netloc_of, path_of

if TYPE_CHECKING:
    from scrapy.http import Response

MAX_HOPS = 10
_MAX_REFRESH_BYTES = 16_384
_MAX_REFRESH_SECONDS = 10.0
_REFRESH = re.compile(rb"http-equiv\s*=\s*['\"]?refresh", re.IGNORECASE)
_LOGIN_SEGMENT = re.compile(r"(?:log|sign)[-_]?(?:in|on)|sso|saml2?|openid-connect|oauth2?|authorize", re.IGNORECASE)
_LOGIN_HOST = re.compile(r"(?:login|signin|sso|auth|accounts?|idp?)\.", re.IGNORECASE)


def redirect_target(response: Response) -> str:
    """``request_url`` that a 3xx response or an immediate meta refresh leads to; empty where it leads nowhere."""
    if response.status in (301, 302, 303, 307, 308):
        location = response.headers.get(b"Location") or b""
        return join_url(response.url, location.decode("utf-8", "replace"))
    body = response.body
    if len(body) > _MAX_REFRESH_BYTES or not _REFRESH.search(body):
        return ""
    seconds, target = get_meta_refresh(body.decode("latin-1"), response.url, "latin-1")
    if not target or seconds is None or seconds > _MAX_REFRESH_SECONDS:
        return ""
    return join_url(response.url, target)


def leads_to_login(source: str, target: str) -> bool:
    """Whether a redirect asks for credentials: its target names a login that its source does not name."""
    named = [segment for segment in path_of(target).split("/") if _LOGIN_SEGMENT.fullmatch(segment.partition(".")[0])]
    own = path_of(source).lower()
    if any(segment.lower() not in own for segment in named):
        return True
    host = netloc_of(target)
    return host != netloc_of(source) and _LOGIN_HOST.match(host) is not None
