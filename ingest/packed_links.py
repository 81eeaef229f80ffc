"""The links of a page as they are kept in its row: enough to follow them again without the page."""

from __future__ import annotations

import json

import zstandard

from wrac.records import Link


def pack_links(links: tuple[Link, ...]) -> bytes:
    """zstd of JSON ``[[url, nofollow], ...]``; equal links give equal bytes."""
    text = json.dumps([[link.url, int(link.nofollow)] for link in links], separators=(",", ":"))
    return zstandard.compress(text.encode("ascii"), 3)


def unpack_links(data: bytes) -> tuple[Link, ...]:
    """What ``pack_links`` packed; no bytes are no links."""
    if not data:
        return ()
    return tuple(Link(url, bool(nofollow)) for url, nofollow in json.loads(zstandard.decompress(data)))
