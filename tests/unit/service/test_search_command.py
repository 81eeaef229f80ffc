"""``wrac search`` shows hits so that a person can read them and a program can parse them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from ingest.ledger import Ledger
from service.cli.app import app
from wrac.config import load_settings
from wrac.exit_codes import ExitCode
from wrac.records import Hit

if TYPE_CHECKING:
    from pathlib import Path

LONG = "\n".join(f"line {n}" for n in range(1, 31))
HITS = [
    Hit(
        point_id="p1",
        score=0.91234,
        text="Prime the \x1b[31mpump\x1b[0m.",
        breadcrumb="Pumps > Starting",
        url="https://docs.example.org/pumps#starting",
        title="Pumps",
        site="docs.example.org",
    ),
    Hit(
        point_id="p2",
        score=0.5,
        text=LONG,
        breadcrumb="",
        url="https://docs.example.org/codes",
        title="All [bold]codes[/bold]",
        site="docs.example.org",
        part="line 20\nline 21",
    ),
]


@pytest.fixture
def search(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs ``wrac search`` over fixed hits; ``asked`` holds what the collection was asked."""
    asked: list[dict[str, object]] = []

    def hits(query: str, **options: object) -> list[Hit]:
        asked.append({"query": query, **options})
        return HITS[: int(str(options["limit"]))]

    monkeypatch.setattr("service.cli.search._hits", hits)

    def run(*arguments: str) -> Any:
        return CliRunner().invoke(app, ["search", *arguments])

    run.asked = asked  # type: ignore[attr-defined]
    return run


def test_a_hit_shows_breadcrumb_score_url_and_text(search: Any) -> None:
    result = search("how do I start?", "-n", "1")
    assert result.exit_code == 0
    assert result.stdout == (
        "1. Pumps > Starting  0.912\n   https://docs.example.org/pumps#starting\n\n   Prime the pump.\n\n"
    )


def test_a_long_chunk_shows_the_part_that_answers(search: Any) -> None:
    shown = search("code 20").stdout
    assert "2. All [bold]codes[/bold]  0.500\n" in shown
    assert "   line 20\n   line 21\n   ... (--full shows all of it)\n" in shown
    assert "line 1\n" not in shown


def test_full_shows_everything(search: Any) -> None:
    shown = search("code 20", "--full").stdout
    assert [line.strip() for line in shown.split("\n") if line.startswith("   line ")] == LONG.split("\n")
    assert "--full" not in shown


def test_json_has_one_object_a_line_with_the_text_as_it_is(search: Any) -> None:
    first, second = (json.loads(line) for line in search("pumps", "--json").stdout.strip().split("\n"))
    assert first == {
        "score": 0.91234,
        "text": "Prime the \x1b[31mpump\x1b[0m.",
        "part": "",
        "breadcrumb": "Pumps > Starting",
        "url": "https://docs.example.org/pumps#starting",
        "title": "Pumps",
        "site": "docs.example.org",
        "point_id": "p1",
    }
    assert second["text"] == LONG


def test_options_reach_the_collection(search: Any) -> None:
    search("pumps", "--site", "docs", "--collection", "all", "--lang", "DE", "--limit", "2", "--rerank")
    search("pumps", "--no-rerank")
    search("pumps")
    assert search.asked == [
        {
            "query": "pumps",
            "site": "docs",
            "collection": "all",
            "limit": 2,
            "filters": {"language": ["de"]},
            "rerank": True,
        },
        {"query": "pumps", "site": "", "collection": "docs", "limit": 5, "filters": {}, "rerank": False},
        {"query": "pumps", "site": "", "collection": "docs", "limit": 5, "filters": {}, "rerank": None},
    ]


def test_options_that_narrow_may_be_repeated_and_joined(search: Any) -> None:
    search(
        *["pumps", "--path", "/guide", "--path", "/faq/", "--version", "2.1", "--lang", "en", "--lang", "de-AT"],
        *["--type", "PDF", "--kind", "table", "--since", "2026-05", "--until", "2026"],
    )
    assert search.asked[0]["filters"] == {
        "path": ["/guide", "/faq/"],
        "language": ["en", "de-at"],
        "version": ["2.1"],
        "source_kind": ["pdf"],
        "kind": ["table"],
        "since": "2026-05",
        "until": "2026",
    }


def test_hits_by_page(search: Any) -> None:
    shown = search("pumps", "--by-page", "-n", "1").stdout
    assert shown == (
        "1. Pumps  0.912\n   https://docs.example.org/pumps\n   - Pumps > Starting  0.912\n"
        "     https://docs.example.org/pumps#starting\n\n"
    )
    assert search.asked[0]["limit"] == 4, "a page may have several hits"
    (first, second) = (json.loads(line) for line in search("pumps", "--by-page", "--json").stdout.splitlines())
    assert (first["url"], first["title"], first["score"]) == ("https://docs.example.org/pumps", "Pumps", 0.91234)
    assert [hit["point_id"] for hit in second["hits"]] == ["p2"]


def test_no_hit_is_said_on_standard_error(search: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.cli.search._hits", lambda *_, **__: [])
    result = search("pumps", "--site", "nowhere")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "No hit. Is the site's name 'nowhere'? `wrac status` lists them.\n"
    narrowed = search("pumps", "--path", "/x", "--lang", "de", "--type", "pdf", "--since", "2026")
    assert narrowed.stderr == "No hit. Or is there nothing with --path, --lang, --type, --since as asked for?\n"


def test_asking_where_nothing_was_crawled_says_so_and_makes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["search", "anything"])
    assert result.exit_code == ExitCode.USAGE
    assert "nothing was crawled into .wrac yet: run `wrac crawl URL`" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_asking_in_another_place_than_was_crawled_into_says_how_it_is_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".wrac").mkdir()
    Ledger(load_settings().ledger_url).close()
    monkeypatch.setenv("WRAC_STORE", "edge:")
    result = CliRunner().invoke(app, ["search", "anything"])
    assert result.exit_code == ExitCode.USAGE
    told = " ".join(result.stderr.split())
    assert ".wrac/edge does not exist, but sites were crawled with this ledger" in told
    assert "run `wrac crawl SITE_OR_URL` again" in told
    assert not (tmp_path / ".wrac" / "edge").exists()
