"""`wrac replan` by a model: its cost is told first, nothing is paid twice, and replies go with their page."""

from __future__ import annotations

import pytest
from made_up_crawls import SITE, InlinePool, fetched, html
from maintained import Maintained
from mock_chat import MockChat
from planning_model import every_section

from ingest.ledger.rows import RunKind
from ingest.maintenance.forgetting import find_targets, forget

WORDS = "The outer buoy shows a green light every four seconds and may be passed on either side by day. "


def sections(title):
    parts = "".join(f"<h2>{title} part {n}</h2><p>{WORDS * 2}</p>" for n in range(4))
    return html(title, WORDS).replace(b"</main>", parts.encode() + b"</main>")


@pytest.fixture
def chat():
    with MockChat(every_section) as running:
        yield running


@pytest.fixture
def site(tmp_path, monkeypatch, chat):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody")
    monkeypatch.setattr("ingest.run.WorkerPool", InlinePool)
    monkeypatch.setattr("ingest.maintenance.remake.WorkerPool", InlinePool)
    made = Maintained(tmp_path, monkeypatch)
    made.crawl(fetched("a.html", sections("Anchor")), fetched("b.html", sections("Buoy")))
    made.more = {
        "planner_base_url": chat.base_url,
        "planner_model": "mine",
        "planner_retries": 0,
        "prices": {"mine": {"input": 1.0, "output": 4.0, "cached": 0.5}},
    }
    made.write_profile('planner = "llm"\n')
    return made


def test_the_model_is_asked_once_for_each_page_and_the_bill_is_told_before(site, chat):
    before = len(site.points())
    told = site.forecast(RunKind.REPLAN)
    assert chat.requests == []
    assert told.planning is not None
    assert (told.changed, told.planning.planning.calls) == (2, 2)
    [done] = site.remake(RunKind.REPLAN)
    assert (done.changed, len(chat.requests)) == (2, 2)
    assert len(site.points()) > before, "the model cuts wherever it may"
    with site.ledger() as ledger:
        assert ledger.bills.of_run(ledger.runs.last("docs").run_id)[0].usage.calls == 2
    site.remake(RunKind.REPLAN)
    assert len(chat.requests) == 2


def test_back_to_the_rules_and_to_the_model_again_costs_nothing(site, chat):
    site.remake(RunKind.REPLAN)
    by_model = site.texts()
    site.write_profile("")
    site.remake(RunKind.REPLAN)
    assert site.texts() != by_model
    site.write_profile('planner = "llm"\n')
    site.remake(RunKind.REPLAN)
    assert site.texts() == by_model
    assert (len(chat.requests), site.embedded) == (2, [])


def test_replies_go_with_the_page_that_they_were_paid_for(site):
    site.remake(RunKind.REPLAN)
    forget(site.settings, find_targets(site.settings, SITE + "a.html"))
    with site.ledger() as ledger, ledger._database.transaction() as connection:
        replies = connection.exec_driver_sql("select page_id from plan_replies").all()
        [(kept,)] = connection.exec_driver_sql("select page_id from pages where url like '%b.html'").all()
    assert [page for (page,) in replies] == [kept]
