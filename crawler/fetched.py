"""A Scrapy response as a record of the house."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wrac.ids import digest
from wrac.records import FetchedPage, Validators
from wrac.urls import join_url

if TYPE_CHECKING:
    from datetime import datetime

    from scrapy.http import Response

    from crawler.frontier import Entry

# No part of the pattern passes a "<": a header of tens of thousands of them is read once, not once from each.
_CANONICAL_LINK = re.compile(r"<([^<>]*)>[^,<]*?;\s*rel\s*=\s*\"?[^\",;<]*\bcanonical\b", re.IGNORECASE)


def fetched_page(response: Response, entry: Entry, fetched_at: datetime) -> FetchedPage:
    """The response to ``entry``, with the headers that later stages need."""
    link = _CANONICAL_LINK.search(joined_header(response, b"Link"))
    return FetchedPage(
        url=entry.hops[0] if entry.hops else entry.url,
        final_url=entry.url,
        status=response.status,
        content_type=joined_header(response, b"Content-Type"),
        body=response.body,
        fetched_at=fetched_at,
        body_digest=digest(response.body),
        validators=Validators(joined_header(response, b"ETag"), joined_header(response, b"Last-Modified")),
        robots_tag=joined_header(response, b"X-Robots-Tag"),
        link_canonical=join_url(entry.url, link[1]) if link else "",
    )


def joined_header(response: Response, name: bytes) -> str:
    """All headers of this name, joined by a comma; empty where there is none."""
    return ", ".join(value.decode("utf-8", "replace") for value in response.headers.getlist(name))
