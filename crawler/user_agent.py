"""What the crawler says of itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import wrac

if TYPE_CHECKING:
    from wrac.config import SiteProfile

PRODUCT = "wrac"
"""Product token, by which robots.txt addresses this crawler (RFC 9309, section 2.2.1)."""

_ABOUT = "https://arxiv.org/abs/2604.04936"
"""What the crawler is, where the profile names no contact."""
_UNPRINTABLE = re.compile(r"[^\x20-\x7e]+")


def user_agent(profile: SiteProfile) -> str:
    """Product, version and whom a site's owner can ask (RFC 9110, section 10.1.5)."""
    if profile.user_agent:
        return _UNPRINTABLE.sub(" ", profile.user_agent)
    contact = _UNPRINTABLE.sub(" ", profile.contact) or _ABOUT
    return f"{PRODUCT}/{wrac.__version__} (documentation crawler; +{contact})"
