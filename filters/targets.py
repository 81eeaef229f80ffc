"""What a link is for, by where it leads."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from filters.survey import Survey

_LOGIN: Final = re.compile(
    r"(?:^|[/?#&=_.-])(?:log-?in|sign-?in|sign-?up|register|registration|signon|sso|auth|session/new|account/create|join)"
    r"(?:$|[/?#&=_.-])",
    re.IGNORECASE,
)
_SHARE: Final = re.compile(
    r"^whatsapp://send|^fb-messenger://|//(?:api\.whatsapp\.com/send|wa\.me/\?)|facebook\.com/(?:sharer|share\.php|dialog/)"
    r"|(?:twitter|x)\.com/(?:intent|share|home\?status)|linkedin\.com/(?:share|cws/share)|pinterest\.\w+/pin/create"
    r"|(?:t\.me|telegram\.me)/share|reddit\.com/submit|news\.ycombinator\.com/submitlink|vk\.com/share|xing\.com/.*share"
    r"|tumblr\.com/(?:share|widgets/share)|getpocket\.com/(?:save|edit)|^mailto:\?(?:subject|body)|bsky\.app/intent"
    r"|plus\.google\.com/share|ok\.ru/.*share|line\.me/.*share|b\.hatena\.ne\.jp/add"
)
_SOURCE: Final = re.compile(r"/edit/|issues/new|action=edit|/blob/|_sources/|/edit\?|merge_requests/new")


def login_links(survey: Survey) -> Iterator[HtmlElement]:
    """Links to a login or a registration."""
    return (element for element, href in survey.links if _purpose(href) == "login")


def share_links(survey: Survey) -> Iterator[HtmlElement]:
    """Links that hand the page to a social network."""
    return (element for element, href in survey.links if _purpose(href) == "share")


def source_links(survey: Survey) -> Iterator[HtmlElement]:
    """Links to the page's source, to an editor for it, or to a report of what is wrong with it."""
    return (element for element, href in survey.links if _purpose(href) == "source")


@lru_cache(maxsize=50_000)
def _purpose(href: str) -> str:
    # Menus repeat from page to page, and with them their targets.
    if _SHARE.search(href):
        return "share"
    if _SOURCE.search(href):
        return "source"
    return "login" if _LOGIN.search(href) else ""
