"""``wrac evaluate ragmc`` as a user runs it, on a small corpus."""

from __future__ import annotations

import json

import pytest
from mock_chat import MockChat, Scripted
from small_ragmc import DOCUMENTS, write_corpus
from typer.testing import CliRunner

from evaluation.comparison import AGENTIC, AGENTIC_BY_MODEL, OURS_BY_MODEL, OURS_BY_RULE, OURS_REPLAYED, WRAC_REPAIRED
from service.cli.app import app


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs the command in an empty folder; gives the result and what it wrote as JSON."""
    monkeypatch.chdir(tmp_path)

    def invoked(*options: str, corpus: str = "corpus"):
        file = tmp_path / "out.json"
        result = CliRunner().invoke(app, ["evaluate", "ragmc", str(tmp_path / corpus), "--json", str(file), *options])
        return result, json.loads(file.read_text(encoding="utf-8")) if file.exists() else None

    return invoked


def test_all_methods_are_compared_and_nothing_is_lost(run, tmp_path):
    write_corpus(tmp_path / "corpus")
    result, record = run()
    assert result.exit_code == 0, result.output
    assert (record["queries"], record["skipped"]) == (5, 1)
    assert next(iter(record["methods"])) == OURS_BY_RULE
    for method in (OURS_BY_RULE, OURS_REPLAYED, WRAC_REPAIRED):
        assert record["methods"][method]["coverage"] == 1.0
        assert record["methods"][method]["words_kept"] == 1.0
        assert record["methods"][method]["words_invented"] == 0.0
    assert record["units_lost_after_repair"] == 0
    # Loans.md: introduction and interest are named by no chunk; Cards.md: both paragraphs; Ferry.md: an id of no unit.
    assert record["published_plan_faults"] == {
        "missing": {"units": 4, "documents": 2},
        "unknown-id": {"units": 1, "documents": 1},
    }
    billed = record["bills"]["all"]
    assert (billed[AGENTIC]["output_tokens"], billed[AGENTIC]["seconds"]) == (600, 15.0)
    assert billed[OURS_REPLAYED]["calls"] + billed[OURS_REPLAYED]["documents_without_call"] == 3
    for said in ("R@1000t", "missing 4 in 2 documents", "Content units lost after repair: 0", "-51.7 %", "cannot say"):
        assert said in result.output


def test_the_same_inputs_give_the_same_bytes(run, tmp_path):
    write_corpus(tmp_path / "corpus")
    outputs = []
    for _ in range(2):
        run("--no-times")
        outputs.append((tmp_path / "out.json").read_bytes())
    assert outputs[0] == outputs[1]
    assert b"seconds" not in outputs[0]


def test_a_corpus_without_published_files_has_the_rows_that_need_none(run, tmp_path):
    write_corpus(tmp_path / "corpus", published=False)
    result, record = run("--split", "zxbank")
    assert result.exit_code == 0, result.output
    assert record["bills"] == {}
    assert len(record["methods"]) == 4
    assert record["methods"][OURS_BY_RULE]["queries"] == 3


def test_gaps_of_the_corpus_are_told_and_end_nothing(run, tmp_path):
    """An empty document, a published file under another spelling, rows without usage, time or structure."""
    root = write_corpus(tmp_path / "corpus")
    (root / "datasets" / "ZX Bank" / "md" / "Empty.md").write_text(" \n")
    (root / "published" / "agentic_zx.jsonl").write_text(
        json.dumps({"file_name": "LOANS.html", "chunks": ["Loans > 2% of the loan"], "usage": None, "time": "?"})
        + "\n" + json.dumps({"file_name": "Gone.md", "chunks": ["nowhere"]}) + "\n"
    )  # fmt: skip
    (root / "published" / "wrac_zx.json").write_text(
        json.dumps([{"filename": "Cards.md", "markdown_content": "# C\n\nx"}])
    )
    result, record = run("--split", "ZX Bank")
    assert result.exit_code == 0, result.output
    assert "Empty.md could not be read" in result.output
    assert list(record["unread"]) == ["Empty.md"]
    assert record["bills"]["all"][AGENTIC]["calls"] == 2
    assert record["methods"][AGENTIC]["chunks"] == 2
    assert record["units_lost_after_repair"] == 0


def test_both_methods_of_a_model_stand_side_by_side(run, tmp_path, monkeypatch):
    """The same endpoint plans and writes: it tells the two calls by the shape that they ask for."""
    write_corpus(tmp_path / "corpus")

    def answer(asked):
        if asked["response_format"]["json_schema"]["name"] == "plan":
            return Scripted('{"c": [1], "p": []}')
        text = asked["messages"][1]["content"].partition("\n\n")[2]
        return Scripted(json.dumps({"chunks": [text, "unheard of"]}))

    with MockChat(answer) as server:
        monkeypatch.setenv("WRAC_PLANNER_MODEL", "gpt-4.1")
        monkeypatch.setenv("WRAC_PLANNER_BASE_URL", server.base_url)
        result, record = run("--planner", "llm", "--agentic")
    assert result.exit_code == 0, result.output
    written, planned = record["bills"]["all"][AGENTIC_BY_MODEL], record["bills"]["all"][OURS_BY_MODEL]
    assert written["calls"] == sum(map(len, DOCUMENTS.values()))
    assert planned["calls"] + planned["documents_without_call"] == 3
    assert written["output_tokens"] > planned["output_tokens"]
    assert record["methods"][AGENTIC_BY_MODEL]["words_invented"] > 0
    assert record["methods"][OURS_BY_MODEL]["words_invented"] == 0


@pytest.mark.parametrize(
    ("corpus", "options", "said"),
    [
        (".", (), "holds no RAG-Multi-Corpus"),
        ("corpus", ("--split", "Nobody"), "there are CloudWay-24, ZX Bank"),
        ("corpus", ("--planner", "llm"), "OPENAI_API_KEY"),
    ],
)
def test_what_cannot_be_done_is_said_before_any_work(run, tmp_path, monkeypatch, corpus, options, said):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    write_corpus(tmp_path / "corpus")
    result, record = run(*options, corpus=corpus)
    assert result.exit_code not in (0, 1)
    assert said in result.output
    assert record is None
