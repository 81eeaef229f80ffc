"""What a run makes of faults: of the program, of a server, of a reader that does not let go."""

import asyncio
from datetime import timedelta

import pytest
from made_up_crawls import SITE, InlinePool, fetched, html

from ingest.ledger.rows import PageState, RunState
from wrac.errors import ConfigError, StoreLocked
from wrac.exit_codes import ExitCode
from wrac.records import Outcome

PILOT = html("Pilot", "The pilot boards at the outer buoy.", links=["/buoy.html"])


def test_a_key_that_is_refused_meanwhile_closes_the_run_and_loses_nothing(crawls, monkeypatch):
    def refuse(*_):
        raise ConfigError("the server refused the key (401): check the variable OPENAI_API_KEY")

    monkeypatch.setattr(crawls.collection, "vectors", refuse)
    _, summary = crawls.crawl(fetched("pilot.html", PILOT))
    assert summary.state is RunState.UNPUBLISHED
    assert "OPENAI_API_KEY" in str(summary.error)
    monkeypatch.undo()
    monkeypatch.setattr("ingest.run.WorkerPool", InlinePool)
    crawls.crawl()
    assert crawls.collection.urls() == {SITE + "pilot.html"}


@pytest.mark.parametrize("before", [RunState.FINISHED, RunState.INTERRUPTED, RunState.UNPUBLISHED])
def test_a_run_that_cannot_start_says_why_and_does_not_pass_for_one_that_was_killed(crawls, before):
    crawls.collection.down = before is RunState.UNPUBLISHED
    _, summary = crawls.crawl(fetched("pilot.html", PILOT), completed=before is not RunState.INTERRUPTED)
    assert summary.state is before
    crawls.collection.down = False
    crawls.collection.locked = True
    with pytest.raises(StoreLocked):
        crawls.crawl()
    run = crawls.last_run()
    assert run.state is (RunState.INTERRUPTED if before is RunState.FINISHED else before)
    assert run.finished_at > run.started_at
    assert run.exit_code == ExitCode.STORE
    assert "held by process 4711" in run.note
    crawls.collection.locked = False
    _, summary = crawls.crawl()
    assert (summary.state, crawls.collection.urls()) == (RunState.FINISHED, {SITE + "pilot.html"})


def test_a_fault_of_the_program_while_publishing_leaves_nothing_open(crawls, monkeypatch):
    monkeypatch.setattr(crawls.collection, "points", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        crawls.crawl(fetched("pilot.html", PILOT))
    assert crawls.last_run().state is RunState.INTERRUPTED
    monkeypatch.undo()
    monkeypatch.setattr("ingest.run.WorkerPool", InlinePool)
    _, summary = crawls.crawl()
    assert summary.state is RunState.FINISHED
    assert crawls.collection.urls() == {SITE + "pilot.html"}


def test_a_fault_of_the_program_over_a_page_is_the_outcome_of_that_page(crawls, monkeypatch):
    async def fail(_self, job):
        raise OverflowError("too large to be sent")

    monkeypatch.setattr(InlinePool, "run", fail)
    [report], summary = crawls.crawl(fetched("pilot.html", PILOT))
    assert report.outcome.outcome is Outcome.FAILED
    assert "OverflowError: too large to be sent" in crawls.rows()["pilot.html"].reason
    assert summary.outcomes == {Outcome.FAILED: 1}


def test_a_page_gathered_and_then_not_readable_keeps_what_was_gathered(crawls):
    """An empty page is a doubt: what was seen two days before is published, and what came last is said."""
    crawls.collection.down = True
    crawls.crawl(fetched("pilot.html", PILOT))
    crawls.collection.down = False
    crawls.clock.now += timedelta(days=2)
    empty = fetched("pilot.html", b"<html><body><main></main></body></html>")
    crawls.crawl(empty, completed=False)
    crawls.crawl()
    row = crawls.rows()["pilot.html"]
    assert (row.outcome, row.state) == (Outcome.EMPTY, PageState.LIVE), row.reason
    assert crawls.collection.urls() == {SITE + "pilot.html"}


def test_a_reader_that_holds_the_collection_fills_no_memory(crawls, monkeypatch):
    monkeypatch.setattr("ingest.publishing.READY_PAGES", 3)
    monkeypatch.setattr("ingest.publishing.BATCH_CHUNKS", 1)
    monkeypatch.setattr("ingest.publishing.LOCK_PATIENCE_SECONDS", 0.0)

    async def session():
        run = crawls.run()
        await run.start()
        crawls.collection.locked = True
        for number in range(12):
            await run.process(fetched(f"{number}.html", html(f"Pilot {number}", f"Ring bell {number} twice.")), 1)
        while len(run._queue):
            await asyncio.sleep(0.01)
        held = len(run._publisher.ready)
        crawls.collection.locked = False
        return held, await run.finish(True)

    held, summary = asyncio.run(session())
    assert held <= 4
    assert len(crawls.collection.urls()) == 12
    assert summary.published == 12
