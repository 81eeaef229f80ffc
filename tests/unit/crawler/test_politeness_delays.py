"""The delay of a host's slot: AutoThrottle between Crawl-delay, Retry-After and the profile's delay."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.core.downloader import Slot
from scrapy.http import Response
from scrapy.robotstxt import ProtegoRobotParser
from scrapy.utils.test import get_crawler

from crawler.extensions.politeness import MAX_CRAWL_DELAY, MAX_HOLD, Politeness

URL = "https://docs.example.org/a"


def politeness(**settings: object) -> tuple[Politeness, Slot]:
    crawler = get_crawler(
        settings_dict={"AUTOTHROTTLE_ENABLED": True, "USER_AGENT": "wrac/1", "DOWNLOAD_DELAY": 0.25, **settings}
    )
    slot = Slot(concurrency=4, delay=0.25, jitter=0.0)
    slot.lastseen = time.monotonic()
    downloader = SimpleNamespace(slots={"docs.example.org": slot}, per_slot_settings={}, _delay=0.25)
    crawler.engine = SimpleNamespace(downloader=downloader)  # type: ignore[assignment]
    extension = Politeness(crawler)
    extension._spider_opened(None)  # type: ignore[arg-type]
    return extension, slot


def robots(text: str) -> ProtegoRobotParser:
    return ProtegoRobotParser(text.encode(), None)


def respond(extension: Politeness, slot: Slot, status: int = 200, latency: float = 0.0, **headers: str) -> None:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    extension._adjust_delay(slot, latency, Response(URL, status=status, headers=named))


def test_crawl_delay_is_a_floor_that_autothrottle_does_not_undercut() -> None:
    extension, slot = politeness(ROBOTSTXT_OBEY=True)
    extension.robots_parsed(robots("User-agent: *\nCrawl-delay: 3"), Request(URL))
    assert (slot.delay, slot.concurrency) == (3.0, 1)
    for _ in range(5):
        respond(extension, slot, latency=0.01)
    assert slot.delay == 3.0
    respond(extension, slot, latency=100.0)
    assert slot.delay > 3.0, "a slow server is asked more slowly still"
    assert extension.crawler.engine.downloader.per_slot_settings["docs.example.org"]["delay"] == 3.0


def test_a_crawl_delay_for_others_or_beyond_reason() -> None:
    extension, slot = politeness(ROBOTSTXT_OBEY=True)
    extension.robots_parsed(robots("User-agent: other\nCrawl-delay: 3"), Request(URL))
    assert slot.delay == 0.25
    extension.robots_parsed(robots("User-agent: wrac\nCrawl-delay: 86400"), Request(URL))
    assert slot.delay == MAX_CRAWL_DELAY


def test_crawl_delay_is_part_of_obeying_robots() -> None:
    extension, slot = politeness(ROBOTSTXT_OBEY=False)
    extension.robots_parsed(robots("User-agent: *\nCrawl-delay: 3"), Request(URL))
    assert slot.delay == 0.25


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_holds_the_host_until_it_has_passed(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    extension, slot = politeness()
    respond(extension, slot, status=status, Retry_After="30")
    assert 29.0 < slot.delay <= 30.5
    respond(extension, slot)
    assert slot.delay > 29.0, "a page that was already on its way does not lift the hold"
    later = time.monotonic() + 31
    monkeypatch.setattr(time, "monotonic", lambda: later)
    respond(extension, slot)
    assert slot.delay == 1.0, "not as fast as before"


@pytest.mark.parametrize("asked", ["86400", "9" * 30, "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_holds_are_bounded_and_said(asked: str, caplog: pytest.LogCaptureFixture) -> None:
    extension, slot = politeness()
    for _ in range(3):
        respond(extension, slot, status=503, Retry_After=asked)
    assert slot.delay <= MAX_HOLD + 1
    assert [record.getMessage() for record in caplog.records] == [
        "docs.example.org answers 503 and asks for patience: no request to it for 300 s"
    ]


def test_a_short_hold_is_not_worth_a_line(caplog: pytest.LogCaptureFixture) -> None:
    extension, slot = politeness()
    respond(extension, slot, status=429, Retry_After="5")
    assert caplog.records == []


def test_a_busy_host_that_names_no_time_is_left_alone_for_a_second() -> None:
    extension, slot = politeness()
    respond(extension, slot, status=429)
    assert 0.9 < slot.delay < 2.0
