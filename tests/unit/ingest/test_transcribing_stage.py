"""Documents on their way to planning: what is passed on, what is replaced, what is looked at again."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from mock_chat import Scripted
from mock_vision import MockVision, pages_of, true_reader
from pdf_files import BOLD, Page, column, pdf, text

from ingest.archive import FileArchive, Kind
from ingest.bill import Account
from ingest.changes import fetched, gathered
from ingest.codec import decode
from ingest.gather import GatherTask
from ingest.ledger import Ledger
from ingest.ledger.bills import Purpose
from ingest.ledger.rows import PageRow, PageState
from ingest.page_records import PageRecord
from ingest.page_settings import PageSettings
from ingest.planning_stage import ByRule
from ingest.transcribing_stage import Transcribing
from ingest.transcription import require_transcriber_price
from wrac.config import Settings
from wrac.errors import ConfigError
from wrac.ids import digest, page_id
from wrac.recipe import Recipe, Recipes
from wrac.records import FetchedPage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

URL = "https://docs.example/oars.pdf"
LINES = ["Oars are made of ash and oiled every spring.", "A pair of oars costs 80 crowns at the yard."]
TRUTH = {1: "# Oars\n\n" + "\n\n".join(LINES)}


def oars() -> bytes:
    return pdf([Page(text(72, 720, "Oars", size=18, font=BOLD) + column(72, 680, LINES, leading=30))])


class Bench:
    """Ledger, archive and stage of one run with one gathered page."""

    def __init__(self, folder: Path, server: MockVision, **more: Any) -> None:
        self.settings = Settings(
            data_dir=folder,
            transcriber_model="eyes",
            transcriber_base_url=server.base_url,
            transcriber_retries=0,
            prices={"eyes": {"input": 2.0, "output": 8.0}},
            **more,
        )
        self.pages = PageSettings(transcriber="eyes")
        self.ledger = Ledger(self.settings.ledger_url)
        self.archive = FileArchive(self.settings.archive_url)
        recipe = Recipe(self.pages.conversion, self.pages.planning, "indexing")
        self.recipes = Recipes.of(recipe, self.pages.document_conversions)
        self.ready: list[tuple[PageRow, PageRow]] = []

    def gather(self, url: str, body: bytes, kind: str) -> PageRow:
        page = FetchedPage(url, url, 200, kind, body, datetime(2026, 1, 2, tzinfo=UTC), digest(body))
        result = GatherTask(self.pages, self.settings.archive_url)(page)
        row = fetched(PageRow("docs", page_id(url), url, state=PageState.GATHERED, run_id=1), page)
        row = gathered(row, result, self.recipes)
        self.ledger.pages.save(row)
        return row

    def run(self, *rows: PageRow) -> list[PageRow]:
        async def session() -> None:
            account = Account(self.ledger, self.settings, "docs", 1)
            stage = Transcribing(
                self.settings,
                self.pages,
                {},
                self.ledger,
                self.archive,
                account,
                self.recipes,
                lambda before, after: self.ready.append((before, after)),
                lambda taken: ByRule(self.recipes, taken),
            )
            stage.start()
            for row in rows:
                stage.put(row)
            await stage.drain()
            await stage.stop()
            stage.close()

        asyncio.run(session())
        return [after for _, after in self.ready]

    def record(self, row: PageRow) -> PageRecord:
        return decode(PageRecord, self.archive.get(Kind.PAGE, row.record))


@pytest.fixture
def server() -> Iterator[MockVision]:
    with MockVision(true_reader(TRUTH)) as running:
        yield running


@pytest.fixture
def bench(tmp_path: Path, server: MockVision) -> Iterator[Bench]:
    made = Bench(tmp_path, server)
    yield made
    made.ledger.close()


def test_a_document_is_replaced_by_its_transcript_and_billed(bench: Bench) -> None:
    row = bench.gather(URL, oars(), "application/pdf")
    (after,) = bench.run(row)
    record = bench.record(after)

    assert record.document.converter == "drac/1 transcribe/1 eyes"
    assert record.document.source_kind == "pdf"
    assert [(page.status, page.ok) for page in record.pages] == [("transcribed", True)]
    assert (after.markdown_digest, after.chunks) == (record.document.digest, len(record.chunks))
    assert after.recipe == row.recipe == bench.recipes.made_by("pdf/1").digest
    assert bench.ledger.pages.get("docs", row.page_id) == after
    assert bench.ready[0][0] == row, "what was put is what the run counts from"
    (spent,) = bench.ledger.bills.of_page("docs", row.page_id)
    assert (spent.purpose, spent.model, spent.usage.calls) == (Purpose.TRANSCRIPTION, "eyes", 1)


def test_web_pages_are_passed_on_and_nothing_is_asked(bench: Bench, server: MockVision) -> None:
    html = "<html><title>Sails</title><body><main><h1>Sails</h1><p>Sails are dried before they are folded.</p></main>"
    row = bench.gather("https://docs.example/sails.html", html.encode(), "text/html")

    assert bench.run(row) == [row]
    assert server.requests == []


def test_a_server_that_is_away_leaves_the_document_and_the_next_run_looks_again(
    bench: Bench, server: MockVision
) -> None:
    server.answer = lambda _: Scripted(status=503)
    row = bench.gather(URL, oars(), "application/pdf")
    (after,) = bench.run(row)

    assert LINES[1] in bench.record(after).document.text
    assert after.recipe not in bench.recipes.digests
    assert after.recipe in {recipe.digest for recipe in bench.recipes}


def test_a_cap_of_the_run_holds_for_transcripts(tmp_path: Path, server: MockVision) -> None:
    bench = Bench(tmp_path, server, max_run_tokens=5_000)
    row = bench.gather(URL, oars(), "application/pdf")
    (after,) = bench.run(row)
    record = bench.record(after)
    bench.ledger.close()

    assert server.requests == []
    assert "the run cap of 5,000 tokens" in record.pages[0].detail
    assert after.recipe not in bench.recipes.digests


def test_a_cap_of_a_page_holds_for_each_page_of_a_document(tmp_path: Path, server: MockVision) -> None:
    bench = Bench(tmp_path, server, max_page_dollars=0.0001)
    row = bench.gather(URL, oars(), "application/pdf")
    (after,) = bench.run(row)
    record = bench.record(after)
    bench.ledger.close()

    assert server.requests == []
    assert "the page cap of $0.0001" in record.pages[0].detail


@pytest.mark.parametrize("key", ["max_page_dollars", "max_run_dollars", "max_site_dollars"])
def test_a_cap_in_dollars_needs_a_price(tmp_path: Path, key: str) -> None:
    settings = Settings(data_dir=tmp_path, transcriber_model="nobody-knows", allow_unpriced=True, **{key: 1.0})
    with pytest.raises(ConfigError, match=f"{key} cannot be held: the price of the model nobody-knows"):
        require_transcriber_price(settings)


def test_a_document_of_an_earlier_session_is_not_asked_for_again(bench: Bench, server: MockVision) -> None:
    row = bench.gather(URL, oars(), "application/pdf")
    (after,) = bench.run(row)
    bench.ready.clear()

    assert bench.run(after) == [after]
    assert [pages_of(asked) for asked in server.requests] == [[1]]


def test_what_was_paid_for_a_page_goes_with_it(bench: Bench, server: MockVision) -> None:
    row = bench.gather(URL, oars(), "application/pdf")
    bench.run(row)
    bench.ledger.erasing.erase_pages("docs", [row.page_id])
    bench.ready.clear()

    again = replace(row, fetched_at="2026-01-03T00:00:00+00:00")
    bench.ledger.pages.save(again)
    bench.run(again)

    assert len(server.requests) == 2
