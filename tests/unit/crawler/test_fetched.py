"""A response as a record: the headers that later stages need, whatever a server sends."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from scrapy.http import Response

from crawler.fetched import fetched_page
from crawler.frontier import Entry

URL = "https://docs.example.org/en/a"


def canonical(*link_headers: str) -> str:
    response = Response(URL, headers={"Link": list(link_headers)}, body=b"x")
    return fetched_page(response, Entry(URL, 1), datetime(2026, 1, 1, tzinfo=UTC)).link_canonical


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        (['</en/b>; rel="canonical"'], "https://docs.example.org/en/b"),
        (["<b>; rel=canonical"], "https://docs.example.org/en/b"),
        (['</style.css>; rel=preload; as=style, </en/b,c>; rel="canonical"'], "https://docs.example.org/en/b,c"),
        (["</x>; rel=next", '</en/b>; title="B"; rel="alternate canonical"'], "https://docs.example.org/en/b"),
        (['</en/b>; rel="canonicalish"'], ""),
        ([], ""),
    ],
)
def test_the_canonical_of_a_link_header(headers: list[str], found: str) -> None:
    assert canonical(*headers) == found


@pytest.mark.parametrize("part", ["<", "<a>", "<a>; rel=x ", "<a>;", "; rel=", '<a>; rel="'])
def test_a_hostile_link_header_takes_no_time(part: str) -> None:
    hostile = part * (60_000 // len(part))
    since = time.process_time()
    assert canonical(hostile) == ""
    assert time.process_time() - since < 0.5
