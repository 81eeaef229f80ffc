"""``wrac context`` prints what a model is given."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from indexing.context import Context, Piece
from service.cli.app import app
from wrac.exit_codes import ExitCode

if TYPE_CHECKING:
    from pathlib import Path

URL = "https://docs.example.org/pumps#starting"
PIECE = Piece("# Pumps\n\nPrime the \x1b[31mpump.", URL, "Pumps", "Pumps", 0.91234567, ("p1", "p2"))
FOUND = Context((PIECE,), f"[1] {URL}\n\n{PIECE.text}", 21)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the command over one context; ``asked`` holds what was asked."""
    asked: list[dict[str, object]] = []

    def put_together(query: str, **options: object) -> Context:
        asked.append({"query": query, **options})
        return FOUND if query != "nothing" else Context((), "", 0)

    monkeypatch.setattr("service.cli.context._context", put_together)

    def invoke(*arguments: str) -> Any:
        return CliRunner().invoke(app, ["context", *arguments])

    invoke.asked = asked  # type: ignore[attr-defined]
    return invoke


def test_the_text_is_printed_without_control_characters(run: Any) -> None:
    assert run("how do I start?").stdout.startswith(f"[1] {URL}\n\n# Pumps\n\nPrime the ")
    assert "\x1b" not in run("how do I start?").stdout


def test_json_has_the_text_as_it_is_and_its_sources(run: Any) -> None:
    assert json.loads(run("how do I start?", "--json").stdout) == {
        "tokens": 21,
        "text": FOUND.text,
        "pieces": [
            {
                "text": PIECE.text,
                "url": URL,
                "title": "Pumps",
                "breadcrumb": "Pumps",
                "score": 0.912346,
                "point_ids": ["p1", "p2"],
            }
        ],
    }


def test_options_reach_the_collection(run: Any) -> None:
    run("pumps", "--budget", "500", "--site", "docs", "--collection", "all", "--lang", "de", "--type", "pdf")
    run("pumps", "--rerank", "--until", "2025-12")
    assert run.asked == [
        {
            "query": "pumps",
            "budget": 500,
            "site": "docs",
            "collection": "all",
            "filters": {"language": ["de"], "source_kind": ["pdf"]},
            "rerank": None,
        },
        {
            "query": "pumps",
            "budget": 2000,
            "site": "",
            "collection": "docs",
            "filters": {"until": "2025-12"},
            "rerank": True,
        },
    ]


def test_nothing_is_said_on_standard_error(run: Any) -> None:
    result = run("nothing")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "Nothing fits" in result.stderr
    assert "(`wrac status`); or is there nothing with --path as asked for?" in run("nothing", "--path", "/x").stderr


def test_a_question_and_a_budget_are_needed(run: Any) -> None:
    assert run(" ").exit_code == run("pumps", "--budget", "0").exit_code == ExitCode.USAGE
    assert run.asked == []


def test_where_nothing_was_crawled_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["context", "anything"])
    assert result.exit_code == ExitCode.USAGE
    assert "run `wrac crawl URL`" in result.stderr
    assert list(tmp_path.iterdir()) == []
