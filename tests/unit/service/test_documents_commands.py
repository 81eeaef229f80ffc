"""``wrac convert`` and ``wrac chunk`` on documents: pages are accounted for, chunks are cited by them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from pdf_files import BOLD, Page, column, pdf, text
from typer.testing import CliRunner

from ingest.ledger import Ledger
from service.cli.app import app
from wrac.config import load_settings
from wrac.exit_codes import ExitCode

LINES = ["Prime the pump before the first start of the season.", "Water must be warm, and never below five degrees."]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = Page(text(72, 720, "Pumps", size=24, font=BOLD) + column(72, 680, LINES))
    Path("manual.pdf").write_bytes(pdf([first, Page(), Page(column(72, 720, ["The last page holds a line."]))]))


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def test_each_page_says_how_it_was_read() -> None:
    done = run("convert", "manual.pdf", "--pages")
    assert (done.exit_code, done.stdout.split("\n")[0]) == (ExitCode.OK, "# Pumps")
    assert done.stderr.split("\n")[:3] == [
        "manual.pdf: page 1: text",
        "manual.pdf: page 2: empty",
        "manual.pdf: page 3: text",
    ]
    assert run("convert", "manual.pdf").stderr == ""


def test_chunks_are_cited_by_their_first_page() -> None:
    done = run("chunk", "manual.pdf", "--jsonl", "--url", "https://docs.example.org/manual.pdf")
    chunks = [json.loads(line) for line in done.stdout.split("\n") if line]
    assert chunks[0]["url"] == "https://docs.example.org/manual.pdf#page=1"
    assert {page for chunk in chunks for page in chunk["pages"]} == {1, 3}
    assert "manual.pdf · 1 · page 1 · " in run("chunk", "manual.pdf").stdout


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="needs the package tesseract-ocr")
def test_a_picture_is_read_where_its_file_is_named_and_passed_over_in_a_folder() -> None:
    with pypdfium2.PdfDocument("manual.pdf") as document:
        document[0].render(scale=200 / 72).to_pil().save("scan.png")
    done = run("convert", "scan.png", "--pages")
    assert (done.exit_code, done.stderr) == (ExitCode.OK, "scan.png: page 1: ocr\n")
    assert "Prime the pump before the first start" in done.stdout
    assert "scan.png" not in run("convert", ".", "--pages").stderr


def test_what_was_written_is_not_read_again() -> None:
    assert run("convert", ".", "--out", "out").exit_code == ExitCode.OK
    again = run("convert", ".", "--out", "out")
    assert again.stderr == "manual.pdf -> out/manual.md\n"
    assert run("convert", "out", "--out", "copy").stderr == "out/manual.md -> copy/manual.md\n"


def test_a_path_is_told_from_the_url_that_its_file_is_known_by() -> None:
    Path(".wrac").mkdir()
    Ledger(load_settings().ledger_url).close()
    done = run("explain", "manual.pdf")
    assert done.exit_code == ExitCode.INCOMPLETE
    assert "A file is known by its path below the folder that was ingested, as file:///care/mesh.pdf" in done.stderr
