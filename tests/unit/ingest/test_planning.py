"""Planning by a model beside a crawl: pages never wait for it in vain, nothing is paid twice, every bill is booked."""

from __future__ import annotations

import asyncio
import threading
from decimal import Decimal

import pytest
from made_up_crawls import SITE, fetched, html
from mock_chat import MockChat, Scripted
from planning_model import every_section

from chunking.planners.llm import LLMPlanner
from ingest.archive import FileArchive, Kind
from ingest.codec import decode
from ingest.ledger import Ledger
from ingest.ledger.bills import Purpose
from ingest.ledger.rows import PageState, RunState
from ingest.page_records import PageRecord
from wrac.config import Settings
from wrac.errors import ConfigError
from wrac.records import Outcome

WORDS = "The outer buoy shows a green light every four seconds and may be passed on either side by day. "

OTHER_WORDS = (
    "The harbour master keeps the keys of the lock, and lends them against a signature in the ledger of keys. " * 2
)


def page(title: str, repeats: int = 2) -> bytes:
    """Four short sections, of which the window of the tests holds any two."""
    sections = "".join(f"<h2>{title} part {n}</h2><p>{WORDS * repeats}</p>" for n in range(4))
    return html(title, WORDS).replace(b"</main>", sections.encode() + b"</main>")


@pytest.fixture
def chat():
    with MockChat(every_section) as running:
        yield running


@pytest.fixture
def by_model(crawls, chat):
    crawls.profile["planner"] = "llm"
    crawls.settings |= {
        "planner_base_url": chat.base_url,
        "planner_model": "mine",
        "planner_retries": 0,
        "planner_timeout": 5.0,
        "prices": {"mine": {"input": 1.0, "output": 4.0, "cached": 0.5}},
    }
    return crawls


def records(crawls) -> dict[str, PageRecord]:
    settings = Settings(**crawls.settings)
    archive = FileArchive(settings.archive_url)
    return {path: decode(PageRecord, archive.get(Kind.PAGE, row.record)) for path, row in crawls.rows().items()}


def test_the_models_plan_is_what_is_published(by_model, chat):
    _, summary = by_model.crawl(fetched("buoy.html", page("Buoy")))
    record = records(by_model)["buoy.html"]
    assert record.plan.planner.startswith(f"{LLMPlanner.version} mine")
    assert len(record.chunks) == len(by_model.collection.stored) == by_model.rows()["buoy.html"].chunks
    assert {p.payload["page_content"] for p in by_model.collection.stored.values()} == {c.text for c in record.chunks}
    assert len(chat.requests) == 1
    assert (summary.planning.calls, summary.planning.documents) == (1, 1)
    assert summary.seconds["ask"] > 0


def test_pages_that_the_rules_decide_cost_nothing(by_model, chat):
    _, summary = by_model.crawl(fetched("short.html", html("Short", "A buoy.")))
    assert chat.requests == []
    assert summary.planning.calls_saved == 1
    assert summary.bill.run == ()
    assert by_model.rows()["short.html"].state is PageState.LIVE


def test_an_unchanged_page_is_not_planned_again(by_model, chat):
    pages = [fetched("buoy.html", page("Buoy")), fetched("lock.html", page("Lock"))]
    by_model.crawl(*pages)
    paid = len(chat.requests)
    assert paid == 2
    reports, summary = by_model.crawl(*pages)
    assert [report.outcome.outcome for report in reports] == [Outcome.UNCHANGED] * 2
    assert len(chat.requests) == paid
    assert summary.planning.calls == 0


def test_what_was_paid_for_is_kept_when_the_process_dies_before_the_page_is_done(by_model, chat):
    async def dies():
        run = by_model.run()
        await run.start()
        answered = asyncio.Event()
        run._planning._queue._take_in = lambda *_: answered.set()  # it dies with the reply, before the page has it
        await run.process(fetched("buoy.html", page("Buoy")), 0)
        await answered.wait()
        run._ledger.pages._saved.clear()  # what a killed process never wrote
        run._ledger.close()
        run._site_lock = None
        await run._planning.stop()
        await run._queue.stop()
        await run._opened.aclose()

    asyncio.run(dies())
    _, summary = by_model.crawl(fetched("buoy.html", page("Buoy")))
    assert len(chat.requests) == 1
    assert (summary.planning.calls, summary.planning.cached) == (0, 1)
    assert records(by_model)["buoy.html"].plan.planner.startswith("llm/1")
    assert sum(each.usage.calls for each in summary.bill.run) == 1, "the bill survives, too"


def test_bills_are_exact_by_page_run_and_site(by_model, chat):
    _, first = by_model.crawl(fetched("buoy.html", page("Buoy")))
    [spent] = first.bill.run
    assert spent.purpose is Purpose.PLANNING
    assert spent.usage.calls == 1
    fresh, cached, out = spent.usage.input_tokens - 512, 512, spent.usage.output_tokens
    assert spent.dollars == Decimal(fresh * 1_000_000 + cached * 500_000 + out * 4_000_000) / 10**12
    _, second = by_model.crawl(fetched("buoy.html", page("Lock").replace(b"light", b"lamp")))
    assert sum(each.usage.calls for each in second.bill.run) == 1
    assert sum(each.usage.calls for each in second.bill.site) == 2
    with Ledger(Settings(**by_model.settings).ledger_url) as ledger:
        row = by_model.rows()["buoy.html"]
        assert ledger.bills.of_page("docs", row.page_id) == list(second.bill.site)


def test_embedding_counts_as_well(crawls):
    crawls.settings |= {"embedder": "openai:mine", "prices": {"mine": {"input": 1.0, "output": 0.0}}}
    from wrac.records import Usage

    crawls.collection.usage = Usage(input_tokens=1_000, calls=2)
    _, summary = crawls.crawl(fetched("buoy.html", page("Buoy")))
    [spent] = summary.bill.run
    assert (spent.purpose, spent.model, spent.usage.calls) == (Purpose.EMBEDDING, "mine", 2)
    assert spent.dollars == Decimal("0.001")


@pytest.mark.parametrize(
    "cap",
    [{"max_run_tokens": 6_000}, {"max_site_tokens": 6_000}, {"max_run_dollars": 0.014}, {"max_page_tokens": 100}],
    ids=lambda cap: next(iter(cap)),
)
def test_at_a_cap_the_rest_goes_by_rule_and_the_summary_says_so(by_model, chat, cap):
    # One call reserves about 1,500 in and 2,300 out, and is billed about 1,600.
    by_model.settings |= cap | {"planner_concurrency": 1}
    pages = [fetched(f"{n}.html", page(f"Buoy {n}")) for n in range(6)]
    _, summary = by_model.crawl(*pages)
    assert len(chat.requests) < 6
    assert summary.outcomes == {Outcome.INDEXED: 6}
    assert by_model.collection.urls() == {f"{SITE}{n}.html" for n in range(6)}
    scope = next(iter(cap)).split("_")[1]
    assert any(f"the {scope} cap of" in note and "by rule" in note for note in summary.notes), summary.notes


def test_what_a_cap_kept_from_the_model_is_asked_by_the_next_run(by_model, chat):
    pages = [fetched(f"{n}.html", page(f"Buoy {n}")) for n in range(3)]
    by_model.settings["max_run_tokens"] = 10
    by_model.crawl(*pages)
    assert chat.requests == []
    assert by_model.run is not None
    del by_model.settings["max_run_tokens"]
    reports, _ = by_model.crawl(*pages)
    assert len(chat.requests) == 3
    assert [report.outcome.outcome for report in reports] == [Outcome.INDEXED] * 3
    by_model.crawl(*pages)
    assert len(chat.requests) == 3


def test_a_model_that_cannot_plan_a_page_is_not_asked_by_every_run(by_model, chat):
    chat.answer = lambda _: Scripted("I would rather not say")
    by_model.crawl(fetched("buoy.html", page("Buoy")))
    assert len(chat.requests) == 2
    [report], _ = by_model.crawl(fetched("buoy.html", page("Buoy")))
    assert report.outcome.outcome is Outcome.UNCHANGED
    assert len(chat.requests) == 2


@pytest.mark.parametrize(
    "answer",
    [
        Scripted(status=500),
        Scripted(status=429, headers=(("Retry-After", "0"),)),
        Scripted(status=401, error="bad key"),
        Scripted(status=400, error="this content is not allowed"),
        Scripted(status=404, error="no such model"),
        Scripted(reset=True),
        Scripted(text='{"c": ["u1-u2"], "p": []}', cut=True),
        Scripted(text='{"c": ["u1-u2', finish="length"),
        Scripted(text="", finish="content_filter"),
        Scripted(text="", refusal="no"),
        Scripted(text='{"wrong": 1}'),
        Scripted(text='{"c": ["u9-u1", "u77", "u2"], "p": [7]}'),
    ],
    ids=lambda answer: f"{answer.status} {answer.finish} {answer.text[:8]} {answer.reset} {answer.cut}",
)
def test_whatever_the_server_does_no_page_fails(by_model, chat, answer):
    chat.answer = lambda _: answer
    reports, summary = by_model.crawl(*(fetched(f"{n}.html", page(f"Buoy {n}")) for n in range(2)))
    assert [report.outcome.outcome for report in reports] == [Outcome.INDEXED] * 2
    assert summary.state is RunState.FINISHED
    assert by_model.collection.urls() == {f"{SITE}{n}.html" for n in range(2)}
    for record in records(by_model).values():
        owned = [unit for group in record.plan.groups for unit in group.unit_ids]
        assert owned == [unit.id for unit in record.units]


def test_a_server_that_hangs_is_given_up(by_model, chat):
    by_model.settings["planner_timeout"] = 0.3
    chat.answer = lambda _: Scripted(delay=3)
    _, summary = by_model.crawl(fetched("buoy.html", page("Buoy")))
    assert summary.state is RunState.FINISHED
    assert any("cannot be reached" in note for note in summary.notes)


def test_a_page_that_names_another_canonical_is_planned_when_it_is_settled(by_model, chat):
    body = page("Buoy").replace(b"</head>", b"<link rel=canonical href='/nowhere.html'></head>")
    by_model.crawl(fetched("buoy.html", body))
    assert records(by_model)["buoy.html"].plan.planner.startswith("llm/1")


def test_an_interrupted_run_asks_no_more_and_the_next_session_goes_on(by_model, chat):
    pages = [fetched(f"{n}.html", page(f"Buoy {n}")) for n in range(5)]
    by_model.settings["planner_concurrency"] = 1
    chat.answer = lambda asked: Scripted(every_section(asked).text, delay=0.3)
    _, first = by_model.crawl(*pages, completed=False)
    assert first.state is RunState.INTERRUPTED
    asked = len(chat.requests)
    assert asked < 5
    chat.answer = every_section
    _, second = by_model.crawl()
    assert second.state is RunState.FINISHED
    assert len(chat.requests) == 5, "what was under way when the run was interrupted is not asked again"
    assert all(record.plan.planner.startswith("llm/1") for record in records(by_model).values())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"prices": {}}, r'price of the model mine.*\[prices\."mine"\]'),
        ({"prices": {}, "allow_unpriced": True, "max_run_dollars": 1.0}, "max_run_dollars cannot be held"),
        ({"embedder": "openai:e", "max_site_dollars": 1.0}, "max_site_dollars cannot be held.*model e "),
        ({"planner_base_url": ""}, "OPENAI_API_KEY is not set.*planner_base_url"),
        ({"planner_api_key_env": "MY_PLANNER_KEY"}, "MY_PLANNER_KEY"),
    ],
)
def test_what_stands_against_planning_is_said_before_any_work(by_model, chat, monkeypatch, settings, message):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    by_model.settings |= settings
    with pytest.raises(ConfigError, match=message):
        by_model.crawl(fetched("buoy.html", page("Buoy")))
    assert not (by_model.settings["data_dir"] / "ledger.sqlite").exists()


def test_a_local_model_may_have_no_price(by_model, chat):
    by_model.settings |= {"prices": {}, "allow_unpriced": True}
    _, summary = by_model.crawl(fetched("buoy.html", page("Buoy")))
    assert [each.dollars for each in summary.bill.run] == [None]
    assert "price not known" in summary.bill.lines()[0]


def test_another_model_is_another_recipe(by_model, chat):
    by_model.crawl(fetched("buoy.html", page("Buoy")))
    by_model.settings |= {"planner_model": "other", "allow_unpriced": True}
    [report], _ = by_model.crawl(fetched("buoy.html", page("Buoy")))
    assert report.outcome.outcome is Outcome.INDEXED
    assert len(chat.requests) == 2
    with Ledger(Settings(**by_model.settings).ledger_url) as ledger:
        recipe = ledger.runs.recipe(by_model.rows()["buoy.html"].recipe)
    assert f"{LLMPlanner.version} other preview=words:15 input=12000" in recipe.planning


def test_only_the_part_of_a_page_that_changed_is_paid_for(by_model, chat):
    by_model.settings |= {"planner_input_tokens": 500, "planner_preview": "full"}
    long = page("Buoy", 6)
    by_model.crawl(fetched("buoy.html", long))
    first = len(chat.requests)
    assert first > 1
    more = f"<h2>Harbour</h2><p>{OTHER_WORDS}</p><p>{OTHER_WORDS}</p>".encode() * 3
    by_model.crawl(fetched("buoy.html", long.replace(b"<h2>Buoy part 3", more + b"<h2>Buoy part 3")))
    assert len(chat.requests) - first == 1
    assert "Harbour" in str(chat.requests[-1]["messages"][1]["content"])
    assert "part 3" not in str(chat.requests[-1]["messages"][1]["content"])


def test_nothing_of_a_page_and_no_key_is_logged(by_model, chat, monkeypatch, caplog):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-tests-4711-secret")
    chat.answer = lambda _: Scripted(status=401, error="wrong key sk-tests-4711-secret for: " + WORDS)
    with caplog.at_level("INFO"):
        _, summary = by_model.crawl(fetched("buoy.html", page("Buoy")))
    said = caplog.text + " ".join(summary.notes)
    assert "sk-tests-4711-secret" not in said
    assert "You plan how a document is cut" not in said
    assert "refused the key" in said


def test_the_figures_of_all_sessions_of_a_run_are_added(by_model, chat):
    by_model.crawl(fetched("buoy.html", page("Buoy")), fetched("short.html", html("Short", "A buoy.")), completed=False)
    _, summary = by_model.crawl(fetched("lock.html", page("Lock")))
    assert summary.planning.calls + summary.planning.cached == 2
    # What was at work when the first session ended is planned again, and counted again.
    assert summary.planning.calls_saved in (1, 2)
    with Ledger(Settings(**by_model.settings).ledger_url) as ledger:
        assert ledger.bills.figures(by_model.last_run().run_id) == summary.planning


def test_an_interrupt_at_the_end_does_not_wait_for_the_model(by_model, chat):
    chat.answer = lambda asked: Scripted(every_section(asked).text, delay=0.5)
    by_model.settings["planner_concurrency"] = 1
    pages = [fetched(f"{n}.html", page(f"Buoy {n}")) for n in range(4)]

    async def interrupted():
        run = by_model.run()
        await run.start()
        for each in pages:
            await run.process(each, 0)
        ending = asyncio.create_task(run.finish(True))
        while not chat.requests:
            await asyncio.sleep(0.01)
        run.interrupt()
        return await ending

    summary = asyncio.run(interrupted())
    assert summary.state is RunState.UNPUBLISHED
    assert "interrupted while pages were planned" in str(summary.error)
    assert summary.waiting >= 2
    asked = len(chat.requests)
    assert asked < 4
    chat.answer = every_section
    _, again = by_model.crawl()
    assert again.state is RunState.FINISHED
    assert len(chat.requests) == 4, "the call that was under way was paid for once"
    assert by_model.collection.urls() == {f"{SITE}{n}.html" for n in range(4)}


def test_a_reply_that_never_comes_does_not_hold_an_interrupted_run(by_model, chat, monkeypatch):
    monkeypatch.setattr("ingest.row_queue.STOP_SECONDS", 0.2)
    by_model.settings["planner_timeout"] = 30.0
    over, answered = threading.Event(), threading.Event()

    def answer(_):
        over.wait(20)
        answered.set()
        return Scripted()

    chat.answer = answer
    _, summary = by_model.crawl(fetched("buoy.html", page("Buoy")), completed=False)
    assert not answered.is_set()
    over.set()
    assert summary.state is RunState.INTERRUPTED
    assert by_model.rows()["buoy.html"].state is PageState.GATHERED
