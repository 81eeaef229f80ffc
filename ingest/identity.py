"""Which page a URL stands for."""

from __future__ import annotations

from wrac.ids import page_id
from wrac.urls import page_key


def identify(url: str) -> str:
    """Id of the page behind a URL: one id for http and https, with and without trailing slash or index document."""
    return page_id(page_key(url) or url)
