"""A site whose pages are planned by a model, crawled by the command that a user types."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from mock_chat import MockChat, Scripted
from mock_pages import PAGES, START, Page, Section, handbook, page_reply
from planning_model import every_section
from product import SECRET, Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mock_site import MockSite

PRICES = {"mine": {"input": 1.0, "cached": 0.5, "output": 4.0}}


@pytest.fixture
def chat() -> Iterator[MockChat]:
    with MockChat(every_section) as running:
        yield running


@pytest.fixture
def by_model(site: MockSite, workspace: Workspace, chat: MockChat) -> Workspace:
    """The handbook, to be planned by the mock model."""
    site.routes = handbook(site.url)
    site.forget()
    workspace.write_site(site.url + START, planner="llm")
    workspace.environment |= {
        "WRAC_PLANNER_MODEL": "mine",
        "WRAC_PLANNER_BASE_URL": chat.base_url,
        "WRAC_PLANNER_RETRIES": "0",
        "WRAC_PRICES": json.dumps(PRICES),
    }
    return workspace


def questions(chat: MockChat) -> list[str]:
    return [str(asked["messages"][1]["content"]) for asked in chat.requests]


@pytest.mark.timeout(300)
def test_a_site_is_planned_once_and_its_bill_is_shown(site: MockSite, by_model: Workspace, chat: MockChat) -> None:
    first = by_model.crawl()
    assert first.code == 0, first
    assert len(chat.requests) > 2
    assert len(set(questions(chat))) == len(chat.requests), "no question twice"
    assert all(asked["response_format"]["json_schema"]["strict"] for asked in chat.requests)
    assert f"Planning: {len(chat.requests)} calls" in first.everything
    assert "Bill: planning mine: " in first.everything
    for unsaid in (SECRET, "You plan how a document is cut", "knurled screw", "Fish dock"):
        assert unsaid not in first.everything, unsaid
    stored = by_model.points()
    assert any("knurled screw" in payload["page_content"] for payload in stored.values())

    [(calls, spent)] = by_model.query("select sum(calls), sum(picodollars) from bills where purpose = 'planning'")
    assert calls == len(chat.requests)
    status = json.loads(by_model.wrac("status", "--json").output)
    [planning] = [each for each in status["spent"]["run"] if each["purpose"] == "planning"]
    assert (planning["calls"], planning["dollars"]) == (calls, spent / 10**12)
    assert status["planning"]["calls"] == calls

    paid = len(chat.requests)
    again = by_model.crawl()
    assert again.code == 0, again
    assert len(chat.requests) == paid, "nothing changed, so nothing is asked"
    assert by_model.points().keys() == stored.keys()

    fog = PAGES[4]
    storm = Section("Signals in a storm", "storm", "<p>In a storm three red lamps hang from the signal mast.</p>")
    site.routes[fog.path] = page_reply(site.url, Page(fog.path, fog.title, fog.lead, (*fog.sections, storm)))
    changed = by_model.crawl()
    assert changed.code == 0, changed
    asked_anew = questions(chat)[paid:]
    assert asked_anew
    assert all("Signals in" in question for question in asked_anew), "only the page that changed is asked about"


@pytest.mark.timeout(300)
def test_a_crawl_killed_while_it_plans_goes_on_without_paying_twice(by_model: Workspace, chat: MockChat) -> None:
    by_model.environment["WRAC_PLANNER_CONCURRENCY"] = "1"
    chat.answer = lambda asked: Scripted(every_section(asked).text, delay=0.2)
    run = by_model.start_crawl()
    run.wait_until(lambda: len(chat.requests) >= 3)
    run.kill()
    run.finish(20)
    before = questions(chat)
    chat.answer = every_section
    again = by_model.crawl()
    assert again.code == 0, again
    repeated = [question for question in questions(chat)[len(before) :] if question in before]
    assert len(repeated) <= 1, "at most the one call that was under way"
    [(planned,)] = by_model.query("select count(*) from pages where state = 'live'")
    assert planned == len(PAGES)


def test_at_a_cap_the_crawl_goes_on_by_rule_and_says_so(by_model: Workspace, chat: MockChat) -> None:
    by_model.environment["WRAC_MAX_RUN_TOKENS"] = "9000"
    run = by_model.crawl()
    assert run.code == 0, run
    assert "planned by rule instead of by the model" in run.everything
    assert "the run cap of 9,000 tokens is reached" in run.everything
    [(tokens,)] = by_model.query("select coalesce(sum(input_tokens + output_tokens), 0) from bills")
    assert tokens <= 9000
    [(live,)] = by_model.query("select count(*) from pages where state = 'live'")
    assert live == len(PAGES)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Scripted(status=500, error="broken"), "answered 500"),
        (Scripted(status=401, error=f"wrong key {SECRET}"), "refused the key"),
    ],
    ids=["broken", "key refused"],
)
def test_a_model_that_fails_costs_no_page(by_model: Workspace, chat: MockChat, answer: Scripted, said: str) -> None:
    chat.answer = lambda _: answer
    run = by_model.crawl()
    assert run.code == 0, run
    assert said in run.everything
    assert SECRET not in run.everything
    [(live,)] = by_model.query("select count(*) from pages where state = 'live'")
    assert live == len(PAGES)


def test_an_unknown_price_is_refused_before_any_request(site: MockSite, by_model: Workspace, chat: MockChat) -> None:
    by_model.environment["WRAC_PRICES"] = "{}"
    run = by_model.crawl()
    assert run.code == 2, run
    assert 'prices."mine"' in run.everything
    assert site.log.requests == []
    assert chat.requests == []
