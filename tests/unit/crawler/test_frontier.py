"""What enters the queue, in which order, and what is kept out with which outcome."""

from __future__ import annotations

import asyncio
import tracemalloc
from typing import TYPE_CHECKING

from crawler.frontier import Entry, Frontier
from crawler.languages import LanguageScope
from wrac.config import SiteProfile
from wrac.records import Outcome, PageOutcome
from wrac.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

ROOT = "https://docs.example.org"


def frontier(*, in_flight: int = 100, **profile: object) -> tuple[Frontier, list[PageOutcome]]:
    site = SiteProfile.model_validate({"start_urls": [f"{ROOT}/d/"], **profile})
    rejected: list[PageOutcome] = []
    made = Frontier(
        site,
        Scope.of(site),
        LanguageScope(site.languages),
        in_flight=in_flight,
        reject=lambda ended, _depth: rejected.append(ended),
    )
    return made, rejected


def taken(queue: Frontier, then: Callable[[Entry], None] = lambda entry: None) -> list[str]:
    """Everything that the frontier gives, each entry done at once."""

    async def drain() -> list[str]:
        urls = []
        while (entry := await queue.take()) is not None:
            urls.append(entry.url.removeprefix(ROOT))
            then(entry)
            queue.done()
        return urls

    return asyncio.run(drain())


def test_breadth_first_each_page_once() -> None:
    queue, rejected = frontier()
    queue.add_start(f"{ROOT}/d/")
    links = {"/d/": ["a", "b", "a#x"], "/d/a": ["c", "./", "index.html"], "/d/b": ["a/", "b?utm_source=x", "d"]}

    def follow(entry: Entry) -> None:
        for link in links.get(entry.url.removeprefix(ROOT), []):
            queue.add(f"{ROOT}/d/{link}", entry.depth + 1)

    assert taken(queue, follow) == ["/d/", "/d/a", "/d/b", "/d/c", "/d/d"]
    assert rejected == []


def test_out_of_scope_is_counted_once_a_url() -> None:
    queue, rejected = frontier()
    for _ in range(3):
        queue.add(f"{ROOT}/elsewhere/", 1)
        queue.add("https://other.example.org/d/", 1)
    assert queue.passed_by == 2
    assert rejected == []


def test_what_is_kept_out_has_one_outcome() -> None:
    queue, rejected = frontier(max_depth=2, max_per_pattern=2)
    for _ in range(2):
        for link in ("deep", "pic.png", "x/x/x/x", "n/1", "n/2", "n/3"):
            queue.add(f"{ROOT}/d/{link}", 3 if link == "deep" else 1)
    assert [(ended.url.removeprefix(f"{ROOT}/d/"), ended.outcome) for ended in rejected] == [
        ("deep", Outcome.LIMIT),
        ("pic.png", Outcome.UNSUPPORTED),
        ("x/x/x/x", Outcome.LIMIT),
        ("n/3", Outcome.LIMIT),
    ]
    assert all(ended.reason for ended in rejected)
    assert taken(queue) == ["/d/n/1", "/d/n/2"]


def test_max_pages_refuses_the_rest_and_what_comes_later() -> None:
    queue, rejected = frontier(max_pages=2)
    queue.add_start(f"{ROOT}/d/")
    urls = taken(queue, lambda entry: [queue.add(f"{ROOT}/d/{i}", entry.depth + 1) for i in range(4)] and None)
    assert urls == ["/d/", "/d/0"]
    assert sorted(ended.url.rsplit("/", 1)[1] for ended in rejected) == ["1", "2", "3"]
    assert {ended.reason for ended in rejected} == {"max_pages 2"}


def test_http_links_of_a_host_crawled_by_https_are_asked_by_https() -> None:
    queue, _ = frontier()
    queue.add("http://docs.example.org/d/a", 1)
    assert taken(queue) == ["/d/a"], "with the https root taken off"


def test_an_older_version_that_waits_is_dropped_when_a_newer_one_is_met() -> None:
    queue, rejected = frontier(versions="newest")
    for version in ("1.9", "1.10", "1.2"):
        queue.add(f"{ROOT}/d/{version}/a", 1)
    assert taken(queue) == ["/d/1.10/a"]
    assert [ended.outcome for ended in rejected] == [Outcome.OUT_OF_SCOPE] * 2


def test_redirects_come_next_and_circles_are_seen() -> None:
    queue, _ = frontier()
    queue.add_start(f"{ROOT}/d/")
    queue.add(f"{ROOT}/d/later", 1)
    circles = []

    def follow(entry: Entry) -> None:
        steps = {"/d/": "/d/x", "/d/x": "/d/x/", "/d/x/": "/d/x"}
        if (target := steps.get(entry.url.removeprefix(ROOT))) and not queue.follow(entry, ROOT + target):
            circles.append((entry.url.removeprefix(ROOT), len(entry.hops)))

    assert taken(queue, follow) == ["/d/", "/d/x", "/d/x/", "/d/later"]
    assert circles == [("/d/x/", 2)]


def test_a_redirect_to_a_known_page_fetches_nothing() -> None:
    queue, _ = frontier()
    queue.add_start(f"{ROOT}/d/a")
    queue.add(f"{ROOT}/d/b", 1)
    follow = {f"{ROOT}/d/b": f"{ROOT}/d/a/"}
    assert taken(queue, lambda e: queue.follow(e, follow[e.url]) and None if e.url in follow else None) == [
        "/d/a",
        "/d/b",
    ]


def test_a_missing_page_is_tried_under_its_other_spelling() -> None:
    queue, _ = frontier()
    queue.add(f"{ROOT}/d/a", 1)
    queue.add(f"{ROOT}/d/a/", 1)
    queue.add(f"{ROOT}/d/b", 1)
    assert taken(queue, queue.try_other_spelling) == ["/d/a", "/d/a/", "/d/b"]


def test_done_pages_are_not_given_and_count_as_pages() -> None:
    queue, rejected = frontier(max_pages=2)
    queue.mark_done(f"{ROOT}/d/")
    queue.add_start(f"{ROOT}/d/")
    queue.add(f"{ROOT}/d/a", 1)
    queue.add(f"{ROOT}/d/b", 1)
    assert taken(queue) == ["/d/a"]
    assert len(rejected) == 1


def test_no_more_in_flight_than_the_limit_and_the_end_waits_for_holds() -> None:
    async def run() -> None:
        queue, _ = frontier(in_flight=2)
        for name in "abc":
            queue.add(f"{ROOT}/d/{name}", 1)
        await queue.take()
        await queue.take()
        third = asyncio.ensure_future(queue.take())
        await asyncio.sleep(0)
        assert not third.done()
        queue.done()
        assert (await third).url == f"{ROOT}/d/c"  # type: ignore[union-attr]
        queue.done()
        queue.done()
        with queue.hold():
            last = asyncio.ensure_future(queue.take())
            await asyncio.sleep(0)
            assert not last.done(), "a sitemap may still name pages"
        assert await last is None
        queue.add(f"{ROOT}/d/late", 1)
        queue.close()
        assert await queue.take() is None

    asyncio.run(run())


def test_a_hundred_thousand_urls_cost_tens_of_megabytes() -> None:
    queue, _ = frontier(max_pages=1_000_000, max_per_pattern=1_000_000)
    tracemalloc.start()
    for number in range(4_000):
        queue.add(f"{ROOT}/d/section/some-ordinary-page-name-{number}.html", 3)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak * 25 < 120 * 1024 * 1024


def test_a_site_without_end_fills_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawler.frontier.MAX_KNOWN", 100)
    queue, rejected = frontier()
    queue.add_start(f"{ROOT}/d/")
    for number in range(1_000):
        queue.add(f"{ROOT}/d/{'abcdefghij'[number % 10]}{number:x}-page", 1)
    assert len(taken(queue)) == 101
    assert queue.passed_by == 900
    assert rejected == []
