"""``wrac report`` finds the run, makes what is missing, and prints a path, JSON or a list."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))

from made_up_runs import BASE, MadeUpSite, page_of

from ingest.report.files import leave_report, report_folder
from service.cli.app import app
from wrac.exit_codes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ingest.ledger.rows import RunRow

FEES = page_of("Fees", "Twelve crowns a night at the quay.")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MadeUpSite]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".wrac").mkdir()
    site = MadeUpSite(tmp_path / ".wrac")
    yield site
    site.ledger.close()


@pytest.fixture
def runs(made: MadeUpSite) -> list[RunRow]:
    return [
        made.run({"fees": FEES}),
        made.run({"fees": FEES.replace("Twelve", "Ten"), "fog": page_of("Fog", "A long blast in fog.")}),
    ]


def wrac(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["report", *arguments])


def test_the_newest_report_is_made_and_its_path_printed(runs: list[RunRow]) -> None:
    result = wrac()
    assert result.exit_code == 0, result.output
    page = Path(result.stdout.strip())
    assert page.parts[-4:] == ("reports", "docs", "2", "report.html")
    assert "1 page is new and 1 page changed." in page.read_text("utf-8")


def test_a_report_that_is_there_is_not_made_again(runs: list[RunRow]) -> None:
    page = Path(wrac().stdout.strip())
    page.write_text("as it was", "utf-8")
    assert wrac("docs", "--run", "2").exit_code == 0
    assert page.read_text("utf-8") == "as it was"


def test_a_report_from_before_the_end_of_its_run_is_made_again(made: MadeUpSite, runs: list[RunRow]) -> None:
    from dataclasses import replace

    page = Path(wrac().stdout.strip())
    page.write_text("too early", "utf-8")
    made.ledger.runs.update(replace(runs[-1], finished_at="2026-01-07T09:00:00+00:00"))
    assert Path(wrac().stdout.strip()) == page
    assert page.read_text("utf-8") != "too early"


def test_json_and_lists(runs: list[RunRow]) -> None:
    report = json.loads(wrac("docs", "--run", "1", "--json").stdout)
    assert (report["run_id"], report["lists"]["new"]["total"]) == (1, 1)
    assert wrac("--list", "changed").stdout == f"{BASE}fees\n"
    assert json.loads(wrac("--list", "new", "--json").stdout)["url"] == f"{BASE}fog"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["dcs"], "did you mean docs?"), (["--run", "9"], "no run 9"), (["other", "--run", "1"], "no run 1 of 'other'")],
)
def test_a_run_that_is_not_there_is_a_clear_error(runs: list[RunRow], arguments: list[str], says: str) -> None:
    result = wrac(*arguments)
    assert result.exit_code == ExitCode.USAGE
    assert says in result.output


def test_a_report_that_cannot_be_written_fails_no_run(made: MadeUpSite, runs: list[RunRow], tmp_path: Path) -> None:
    (tmp_path / ".wrac" / "reports").write_text("a file in the way")
    left = leave_report(tmp_path / ".wrac", made.ledger, made.archive, runs[-1])
    assert left.path is None
    assert left.problem.startswith("the report of run 2 was not written: ")
    assert "wrac report docs --run 2" in left.problem
    assert wrac().exit_code == ExitCode.STORE


def test_no_site_name_leads_out_of_the_folder_of_reports(runs: list[RunRow], tmp_path: Path) -> None:
    from dataclasses import replace

    for name in ("..", ".", "../../etc", "/etc", "a/b"):
        folder = report_folder(tmp_path, replace(runs[0], site=name))
        assert folder.resolve().parent.parent == (tmp_path / "reports").resolve(), name
