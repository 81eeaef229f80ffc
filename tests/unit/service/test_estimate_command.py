"""``wrac estimate``: what is foretold is what a run then pays."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from made_up_crawls import Crawls, InlinePool, fetched, html
from mock_chat import MockChat, Scripted
from planning_model import every_section
from typer.testing import CliRunner

from ingest.archive import FileArchive
from ingest.estimate import forecasting_planner, gathered_records
from ingest.ledger import Ledger
from service.cli.app import app
from service.documents import page_settings
from wrac.config import load_settings
from wrac.exit_codes import ExitCode

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = [
    "The outer buoy shows a green light every four seconds and may be passed on either side by day.",
    "The lock opens an hour before high water, and closes when the tide has turned, whatever waits outside.",
    "Barges of more than ninety metres ask the lock keeper by radio before they leave the last berth upstream.",
    "Fees are paid at the office, in cash or by card, and a receipt is kept on board until the vessel has left.",
]


def page(number: int) -> bytes:
    sections = "".join(
        f"<h2>Rule {number}.{n}</h2>" + "".join(f"<p>{text}</p>" for text in TEXTS[: 1 + (n + number) % 4])
        for n in range(6)
    )
    return html(f"Rules of {number}", TEXTS[0]).replace(b"</main>", sections.encode() + b"</main>")


PAGES = [fetched(f"{n}.html", page(n)) for n in range(4)] + [fetched("short.html", html("Short", "A buoy."))]


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WRAC_PLANNER_MODEL", "gpt-4.1")
    return tmp_path


@pytest.fixture
def crawls(monkeypatch: pytest.MonkeyPatch) -> Crawls:
    monkeypatch.setattr("ingest.run.WorkerPool", InlinePool)
    made = Crawls(load_settings().data_dir)
    made.settings["planner_model"] = "gpt-4.1"
    made.crawl(*PAGES)
    return made


def as_the_rules_would() -> dict[str, str]:
    """Question -> reply, for all pages that were crawled."""
    settings = load_settings()
    planner = forecasting_planner(settings, page_settings(settings).limits)
    with Ledger(settings.ledger_url) as ledger:
        records = list(gathered_records(ledger, FileArchive(settings.archive_url), "docs"))
    forecasts = [forecast for record in records for forecast in planner.forecast(record.tree)]
    return {forecast.messages[1]["content"]: forecast.reply for forecast in forecasts}


def test_a_run_pays_what_was_foretold(crawls: Crawls) -> None:
    foretold = json.loads(run("estimate", "docs", "--json").output)
    assert (foretold["pages"], foretold["asked"], foretold["model"]) == (5, 4, "gpt-4.1")
    replies = as_the_rules_would()
    with MockChat(lambda asked: Scripted(replies[asked["messages"][1]["content"]])) as chat:
        crawls.profile["planner"] = "llm"
        crawls.settings["planner_base_url"] = chat.base_url
        _, summary = crawls.crawl(*PAGES)
    [paid] = summary.bill.run
    assert foretold["planning"]["calls"] == paid.usage.calls == 4
    assert foretold["planning"]["input_tokens"] == pytest.approx(paid.usage.input_tokens, rel=0.1)
    assert foretold["planning"]["output_tokens"] == pytest.approx(paid.usage.output_tokens, rel=0.1)
    assert foretold["highest"] == pytest.approx(float(paid.dollars), rel=0.1)

    again = json.loads(run("estimate", "docs", "--json").output)
    assert (again["planning"]["calls"], again["paid"], again["highest"]) == (0, 4, 0)


def test_money_is_a_range_between_all_rules_cached_and_none(crawls: Crawls) -> None:
    foretold = json.loads(run("estimate", "docs", "--json").output)
    usage = foretold["planning"]
    # GPT-4.1: 2.00 in, 0.50 cached, 8.00 out, a million tokens
    assert usage["cached_tokens"] % (128 * 3) == 0
    assert usage["cached_tokens"] >= 1_024 * 3, "the rules in front of the second, third and fourth call"
    highest = (usage["input_tokens"] * 2 + usage["output_tokens"] * 8) / 1e6
    assert foretold["highest"] == pytest.approx(highest)
    assert foretold["lowest"] == pytest.approx(highest - usage["cached_tokens"] * 1.5 / 1e6)
    shown = run("estimate", "docs").output
    assert f"${foretold['lowest']:.4f} to ${foretold['highest']:.4f}" in shown
    assert "5 pages, of which 4 need the model" in shown


def test_files_are_estimated_like_the_pages_of_a_crawl(crawls: Crawls, folder: Path) -> None:
    pages = folder / "pages"
    pages.mkdir()
    for number in range(4):
        (pages / f"{number}.html").write_bytes(page(number))
    of_files = json.loads(run("estimate", str(pages), "--json").output)
    of_site = json.loads(run("estimate", "docs", "--json").output)
    assert of_files["planning"] == of_site["planning"]
    assert of_files["pages"] == 4


def test_an_embedder_that_bills_is_counted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRAC_EMBEDDER", "openai:text-embedding-3-small")
    (folder / "a.html").write_bytes(page(1))
    foretold = json.loads(run("estimate", "a.html", "--json").output)
    tokens = foretold["embedding"]["input_tokens"]
    assert tokens > 200
    assert foretold["embedding_dollars"] == pytest.approx(tokens * 0.02 / 1e6)


def test_a_price_that_is_not_known_is_no_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRAC_PLANNER_MODEL", "mine")
    (folder / "a.html").write_bytes(page(1))
    result = run("estimate", "a.html")
    assert result.exit_code == 0
    assert "price not known" in result.output


@pytest.mark.parametrize("targets", [["nothing"], ["a.html", "nothing.html"]])
def test_what_is_neither_file_nor_site_is_named(folder: Path, targets: list[str]) -> None:
    (folder / "a.html").write_bytes(page(1))
    (folder / ".wrac").mkdir()
    Ledger(load_settings().ledger_url).close()
    result = run("estimate", *targets)
    assert result.exit_code == ExitCode.USAGE
    assert "nothing" in result.stderr


def test_files_are_chunked_by_the_model_and_the_bill_is_shown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "a.html").write_bytes(page(1))
    by_rule = run("chunk", "a.html", "--jsonl").stdout.splitlines()
    with MockChat(every_section) as chat:
        monkeypatch.setenv("WRAC_PLANNER_BASE_URL", chat.base_url)
        result = run("chunk", "a.html", "--planner", "llm", "--jsonl")
    by_model = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(chat.requests) == 1
    assert [chunk["text"] for chunk in by_model] != [json.loads(line)["text"] for line in by_rule]
    units = [unit for chunk in by_model for unit in chunk["unit_ids"]]
    assert sorted(set(units), key=units.index) == units
    assert "1 call, " in result.stderr
    assert "$0.00" in result.stderr
