"""``wrac explain`` and ``wrac status`` tell what the ledger and the archive know, and make nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from ingest.archive import FileArchive, Kind
from ingest.codec import encode
from ingest.identity import identify
from ingest.ledger import Ledger
from ingest.ledger.bills import Purpose, Spending
from ingest.ledger.rows import Decision, PageRow, PageState, RunState, VariantKind
from ingest.page_records import PageRecord
from ingest.site_lock import SiteLock
from service.cli.app import app
from wrac.config import load_settings
from wrac.exit_codes import ExitCode
from wrac.recipe import Recipe
from wrac.records import ChunkPlan, MarkdownDocument, Outcome, PageMetadata, Removal, Usage

if TYPE_CHECKING:
    from pathlib import Path

PUMPS = "https://docs.example.org/pumps"
NOW = "2026-01-02T03:04:05+00:00"
REMOVALS = (
    Removal("consent.cmp-id", "body > div#banner", 74, "We value \x1b[31myour privacy", ()),
    Removal("outside.sidebar", "body > aside", 26, "Home Shop", ("list",)),
)
RECORD = PageRecord(
    url=PUMPS,
    metadata=PageMetadata(title="Pumps", language="en", generator="sphinx"),
    removals=REMOVALS,
    document=MarkdownDocument("# Pumps\n", "Pumps", "html", "html/1", "d"),
    units=(),
    fusions=(),
    plan=ChunkPlan((), "rule/1"),
    chunks=(),
)


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def crawled(folder: Path) -> Path:
    """A data folder after one run that indexed a page, met a variant of it, and failed at two others."""
    settings = load_settings()
    settings.data_dir.mkdir()
    key = FileArchive(settings.archive_url).put(Kind.PAGE, encode(RECORD))
    with Ledger(settings.ledger_url) as ledger:
        recipe = Recipe("filters/1", "rule/1", "minilm/1")
        started = ledger.runs.start("docs", first=True, collection="docs", recipe=recipe, started_at=NOW)

        def row(url: str, outcome: Outcome, **more: Any) -> PageRow:
            return replace(PageRow("docs", identify(url), url), outcome=outcome, run_id=started.run_id, **more)

        pumps = row(
            PUMPS, Outcome.INDEXED, state=PageState.LIVE, record=key, chunks=3, tokens=512, title="Pumps",
            language="en", status=200, fetched_at=NOW,
        )  # fmt: skip
        ledger.pages.save(pumps)
        old = row(PUMPS + "-old", Outcome.DUPLICATE, state=PageState.VARIANT, variant_of=pumps.page_id)
        ledger.pages.save(old)
        ledger.pages.add_variant("docs", old.url, pumps.page_id, VariantKind.CANONICAL, started.run_id)
        ledger.pages.save(row("https://docs.example.org/broken", Outcome.HTTP_ERROR, reason="status 500"))
        ledger.pages.save(row("https://docs.example.org/slow", Outcome.UNREACHABLE, reason="timed out"))
        ledger.pages.add_decision("docs", Decision(started.run_id, pumps.page_id, "own page", "it says so", "", NOW))
        ledger.runs.update(replace(started, state=RunState.FINISHED, finished_at=NOW))
    return settings.data_dir


def test_status_lists_the_urls_of_an_outcome(crawled: Path) -> None:
    result = run("status", "--outcome", "duplicate")
    assert f"           {PUMPS}-old: duplicate: " in result.stdout
    assert "https://docs.example.org/broken" not in result.stdout
    (report,) = [json.loads(line) for line in run("status", "--outcome", "duplicate", "--json").stdout.splitlines()]
    assert [page["url"] for page in report["listed"]] == [PUMPS + "-old"]
    assert len(report["incomplete"]) == 2


def test_status_lists_what_an_earlier_run_met_as_well(crawled: Path) -> None:
    with Ledger(load_settings().ledger_url) as ledger:
        recipe = Recipe("filters/1", "rule/1", "minilm/1")
        ledger.runs.start("docs", first=False, collection="docs", recipe=recipe, started_at=NOW)
    assert f"{PUMPS}-old: duplicate: " in run("status", "--outcome", "duplicate").stdout


def test_status_tells_a_running_crawl_from_one_whose_process_is_gone(crawled: Path) -> None:
    with Ledger(load_settings().ledger_url) as ledger:
        last = ledger.runs.last("docs")
        assert last is not None
        ledger.runs.update(replace(last, state=RunState.RUNNING))
    lock = SiteLock(crawled, "docs")
    assert f"run 1    running, started {NOW}, finished {NOW}\n" in run("status").stdout
    lock.release()
    assert f"run 1    interrupted, started {NOW}\n" in run("status").stdout


# ---------------------------------------------------------------- explain


def test_explain_lists_every_cut_with_its_rule(crawled: Path) -> None:
    result = run("explain", PUMPS)
    assert result.exit_code == 0
    assert "outcome    indexed (live)" in result.stdout
    assert "generator  sphinx" in result.stdout
    assert "3 chunks, 512 tokens" in result.stdout
    assert "own page: it says so" in result.stdout
    assert "2 parts were cut, 100 characters:" in result.stdout
    assert "consent.cmp-id, 74 characters: body > div#banner\n      We value your privacy\n" in result.stdout
    assert "outside.sidebar, 26 characters, holds list: body > aside\n" in result.stdout


def test_explain_as_json_has_the_removals_as_they_are(crawled: Path) -> None:
    (report,) = [json.loads(line) for line in run("explain", PUMPS, "--json").stdout.strip().split("\n")]
    assert report["site"] == "docs"
    assert report["variants"] == [PUMPS + "-old"]
    assert [removal["preview"] for removal in report["removals"]] == [r.preview for r in REMOVALS]


@pytest.mark.parametrize("url", [PUMPS + "/", "http://docs.example.org/pumps", "docs.example.org/pumps#start"])
def test_explain_finds_the_page_however_its_url_is_written(crawled: Path, url: str) -> None:
    result = run("explain", url)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith(PUMPS + "\n")


def test_explain_says_which_page_a_variant_belongs_to(crawled: Path) -> None:
    result = run("explain", PUMPS + "-old")
    assert f"variant of {PUMPS}\n" in result.stdout


def test_explain_of_an_unknown_url_is_no_success(crawled: Path) -> None:
    result = run("explain", "https://docs.example.org/never")
    assert (result.exit_code, result.stdout) == (ExitCode.INCOMPLETE, "")
    assert "No crawl met https://docs.example.org/never." in result.stderr


def test_explain_of_a_damaged_record_tells_the_rest(crawled: Path) -> None:
    for file in crawled.rglob("pages/*/*.zst"):
        file.write_bytes(b"garbage")
    result = run("explain", PUMPS)
    assert result.exit_code == 0, result.stderr
    assert "outcome    indexed (live)" in result.stdout
    assert "was damaged" in result.stdout


# ---------------------------------------------------------------- status


def test_status_tells_where_the_collection_lies_without_credentials(
    crawled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WRAC_STORE", "https://me:s3cret@127.0.0.1:9/x")
    monkeypatch.setattr("indexing.calls.ATTEMPTS", 1)
    for arguments in (["status"], ["status", "--json"]):
        result = run(*arguments)
        assert "https://127.0.0.1:9/x" in result.stdout
        assert "s3cret" not in result.output


def test_status_counts_pages_and_lists_what_is_missing(crawled: Path) -> None:
    result = run("status")
    assert result.exit_code == 0
    assert result.stdout.startswith("docs\n")
    assert "finished, started 2026-01-02T03:04:05+00:00" in result.stdout
    assert "1 duplicate, 1 http-error, 1 indexed, 1 unreachable" in result.stdout
    assert "https://docs.example.org/broken: http-error: status 500" in result.stdout
    assert "https://docs.example.org/slow: unreachable: timed out" in result.stdout


def test_status_as_json(crawled: Path) -> None:
    (report,) = [json.loads(line) for line in run("status", "--json").stdout.strip().split("\n")]
    assert (report["site"], report["state"], report["points"]) == ("docs", "finished", 0)
    assert report["pages"] == {"duplicate": 1, "http-error": 1, "indexed": 1, "unreachable": 1}
    assert [page["url"][-6:] for page in report["incomplete"]] == ["broken", "g/slow"]


def test_status_of_a_site_that_is_not_known_says_so(crawled: Path) -> None:
    result = run("status", "--site", "nowhere")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "'nowhere'" in result.stderr


def test_status_makes_no_collection(crawled: Path) -> None:
    run("status")
    assert not (crawled / "qdrant").exists()


@pytest.mark.parametrize("arguments", [("status",), ("explain", PUMPS)])
def test_where_nothing_was_crawled_nothing_is_made(folder: Path, arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.exit_code == ExitCode.USAGE
    assert "nothing was crawled into .wrac yet: run `wrac crawl URL`" in result.stderr
    assert list(folder.iterdir()) == []


def test_explain_names_the_planner_and_what_the_page_cost(crawled: Path) -> None:
    usage = Usage(input_tokens=1_500, cached_tokens=1_024, output_tokens=20, calls=1)
    with Ledger(load_settings().ledger_url) as ledger:
        ledger.bills.add("docs", 1, Spending(Purpose.PLANNING, "m", usage, Decimal("0.00175")), identify(PUMPS))
        ledger.bills.add("docs", 1, Spending(Purpose.EMBEDDING, "e", usage, None))
    shown = run("explain", PUMPS).output
    assert "planned    by rule/1" in shown
    assert "paid       1 call, 1,500 tokens in (1,024 cached), 20 out, $0.0018" in shown


def test_status_sums_bills_by_run_and_site(crawled: Path) -> None:
    usage = Usage(input_tokens=1_500, cached_tokens=1_024, output_tokens=20, calls=1)
    with Ledger(load_settings().ledger_url) as ledger:
        last = ledger.runs.last("docs")
        assert last is not None
        for run_id in (last.run_id, last.run_id, last.run_id + 7):
            ledger.bills.add("docs", run_id, Spending(Purpose.PLANNING, "m", usage, Decimal("0.00175")))
        ledger.bills.add("other", 99, Spending(Purpose.PLANNING, "m", usage, Decimal(1)))
    spent = json.loads(run("status", "--site", "docs", "--json").output)["spent"]
    assert [(each["calls"], each["dollars"]) for each in spent["run"]] == [(2, 0.0035)]
    assert [(each["calls"], each["dollars"]) for each in spent["site"]] == [(3, 0.00525)]
    shown = run("status", "--site", "docs").output
    assert "paid     planning m: 2 calls, 3,000 tokens in (2,048 cached), 40 out, $0.0035" in shown
    assert "of site  planning m: 3 calls" in shown
