"""``wrac evaluate ragmc`` as a user runs it, on a small corpus."""

from __future__ import annotations

import json

import lxml.html
import pytest
from mock_chat import MockChat, Scripted
from office_files import docx, paragraph
from pdf_files import Page, pdf, text
from small_ragmc import DOCUMENTS, write_corpus
from typer.testing import CliRunner

from evaluation.rows import (
    AGENTIC,
    AGENTIC_BY_MODEL,
    HEADERS,
    OURS_BY_MODEL,
    OURS_BY_RULE,
    OURS_REPLAYED,
    WRAC,
    WRAC_REPAIRED,
)
from service.cli.app import app


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs the command in an empty folder; gives the result and what it wrote as JSON."""
    monkeypatch.chdir(tmp_path)

    def invoked(*options: str, corpus: str = "corpus", embedder: str = "bm25"):
        file = tmp_path / "out.json"
        command = ["evaluate", "ragmc", str(tmp_path / corpus), "--json", str(file), "--embedder", embedder]
        result = CliRunner().invoke(app, [*command, *options])
        return result, json.loads(file.read_text(encoding="utf-8")) if file.exists() else None

    return invoked


def test_all_methods_are_compared_and_nothing_is_lost(run, tmp_path):
    write_corpus(tmp_path / "corpus")
    result, record = run()
    assert result.exit_code == 0, result.output
    assert record["version"] == 1
    assert (record["queries"], record["skipped"]) == (5, 1)
    assert next(iter(record["rows"])) == record["against"] == OURS_BY_RULE
    for row in (OURS_BY_RULE, OURS_REPLAYED, WRAC_REPAIRED):
        assert record["rows"][row]["coverage"] == 1.0
        assert record["rows"][row]["words_kept"] == 1.0
        assert record["rows"][row]["words_invented"] == 0.0
    assert record["units_lost_after_repair"] == 0
    # Loans.md: introduction and interest are named by no chunk; Cards.md: both paragraphs; Ferry.md: an id of no unit.
    assert record["published_plan_faults"] == {
        "missing": {"units": 4, "documents": 2},
        "unknown-id": {"units": 1, "documents": 1},
    }
    billed = record["bills"]["all"]
    assert (billed[AGENTIC]["output_tokens"], billed[AGENTIC]["seconds"]) == (600, 15.0)
    assert billed[OURS_REPLAYED]["calls"] + billed[OURS_REPLAYED]["documents_without_call"] == 3
    # Three documents: 600 tokens in and 40 out of 400 and 200; 2 s of 5 s.
    said = {(f["paper"][:5], f["what"]): f["here"] for f in record["papers"]}
    assert said["W-RAC", "output tokens"][WRAC] == -0.8
    assert said["W-RAC", "input tokens"][WRAC] == 0.5
    assert said["W-RAC", "time"] == {WRAC: -0.6}
    assert said["D-RAC", "time"] == {}
    for words in ("R@1000t", "missing 4 in 2 documents", "Content units lost after repair: 0", "-51.7%", "cannot say"):
        assert words in result.output


def test_values_stand_by_question_by_type_and_by_organisation(run, tmp_path):
    write_corpus(tmp_path / "corpus")
    _, record = run()
    questions = record["questions"]
    assert [q["organisation"] for q in questions] == ["CloudWay-24"] * 2 + ["ZX Bank"] * 3
    ours = record["searches"]["bm25"]["rows"][OURS_BY_RULE]
    assert {len(values) for values in ours["per_question"].values()} == {5}
    boolean = [place for place, q in enumerate(questions) if q["type"] == "Boolean"]
    for measure in record["measures"]:
        values = ours["per_question"][measure]
        assert ours["overall"][measure] == pytest.approx(sum(values) / 5, abs=1e-6)
        assert ours["by_organisation"]["ZX Bank"][measure] == pytest.approx(sum(values[2:]) / 3, abs=1e-6)
        assert ours["by_query_type"]["Boolean"][measure] == pytest.approx(
            sum(values[place] for place in boolean) / len(boolean), abs=1e-6
        )


def test_any_row_can_be_compared_with_any_other(run, tmp_path):
    write_corpus(tmp_path / "corpus")
    result, record = run("--against", "w-rac, pub")
    assert result.exit_code == 0, result.output
    assert record["against"] == WRAC
    rows = record["searches"]["bm25"]["rows"]
    assert rows[WRAC]["minus_against"] is None
    overall, means = rows[HEADERS]["minus_against"]["overall"], rows[HEADERS]["overall"]
    for measure in record["measures"]:
        assert overall[measure][0] == pytest.approx(means[measure] - rows[WRAC]["overall"][measure], abs=2e-6)
    # Three documents are too few to be drawn from.
    assert overall["R@1000t"][1:] == [None, None]
    assert f"R@1000t minus {WRAC}" in result.output
    assert "(few documents)" in result.output


def test_the_same_inputs_give_the_same_bytes_with_and_without_kept_vectors(run, tmp_path):
    """One run embeds everything and keeps it, one finds everything kept, one keeps nothing."""
    write_corpus(tmp_path / "corpus")
    outputs = []
    for options in ((), (), ("--no-cache",)):
        result, record = run(*options, embedder="all")
        assert result.exit_code == 0, result.output
        assert list(record["searches"]) == ["bm25", "minilm", "hybrid"]
        assert all(OURS_BY_RULE in found["rows"] and WRAC in found["rows"] for found in record["searches"].values())
        outputs.append((result.stdout, (tmp_path / "out.json").read_bytes()))
    assert outputs[0] == outputs[1] == outputs[2]
    assert (tmp_path / ".wrac" / "evaluation" / "vectors.sqlite").stat().st_size > 0


def test_a_few_rows_can_be_chosen(run, tmp_path):
    write_corpus(tmp_path / "corpus")
    _, record = run("--only", "by RULE", "--only", "w-rac")
    assert list(record["rows"]) == [OURS_BY_RULE, WRAC, WRAC_REPAIRED]


def test_a_page_shows_every_row_and_loads_nothing(run, tmp_path):
    write_corpus(tmp_path / "corpus")
    pages = []
    for _ in range(2):
        result, record = run("--html", str(tmp_path / "page.html"))
        assert result.exit_code == 0, result.output
        pages.append((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert pages[0] == pages[1]
    page = lxml.html.document_fromstring(pages[0])
    assert [row.text_content() for row in page.xpath("//section[@id='bm25']//tbody/tr/td[1]")] == list(record["rows"])
    drawn = page.xpath("//section[@id='bm25']//figure[1]//svg//circle")
    assert len(drawn) == len(record["rows"]) - 1
    assert page.xpath("//script | //link | //img | //*[@src]") == []
    assert "http" not in "".join(page.xpath("//@href"))


def test_our_own_seconds_are_told_on_demand_only(run, tmp_path):
    write_corpus(tmp_path / "corpus")
    assert "seconds" not in run()[1]["bills"]["all"][OURS_REPLAYED]
    assert run("--times")[1]["bills"]["all"][OURS_REPLAYED]["seconds"] >= 0


def test_documents_of_any_format_go_through_our_conversion(run, tmp_path):
    """The same two organisations; one document each as Word file and as PDF."""
    root = write_corpus(tmp_path / "corpus", published=False)
    bodies = {
        "docx": docx(paragraph("Ferry", "H1") + paragraph("Dogs travel free on the upper deck.")),
        "pdf": pdf([Page(text(72, 700, "Ferry", size=24) + text(72, 640, "Dogs travel free on the upper deck."))]),
        "html": b"<main><h1>Ferry</h1><p>Dogs travel free on the upper deck.</p></main>",
    }
    for kind, body in bodies.items():
        (root / "datasets" / "CloudWay-24" / kind).mkdir()
        (root / "datasets" / "CloudWay-24" / kind / f"Ferry.{kind}").write_bytes(body)
    result, record = run("--split", "cloudway-24", "--format", "md,docx,pdf,html")
    assert result.exit_code == 0, result.output
    rows = record["searches"]["bm25"]["rows"]
    asked = [q["query"] for q in record["questions"]].index("May dogs and horses travel?")
    # Dogs stand in all of them, horses in the Markdown only.
    found = {kind: rows[f"{OURS_BY_RULE} ({kind})"]["per_question"]["R@6"][asked] for kind in ("md", *bodies)}
    assert found == {"md": 1.0, "docx": 0.5, "pdf": 0.5, "html": 0.5}
    assert {record["rows"][f"{HEADERS} ({kind})"]["format"] for kind in bodies} == set(bodies)


def test_a_corpus_without_published_files_has_the_rows_that_need_none(run, tmp_path):
    write_corpus(tmp_path / "corpus", published=False)
    result, record = run("--split", "zxbank")
    assert result.exit_code == 0, result.output
    assert record["bills"] == {}
    assert len(record["rows"]) == 4
    assert record["searches"]["bm25"]["rows"][OURS_BY_RULE]["queries"] == 3


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
    assert record["rows"][AGENTIC]["chunks"] == 2
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
    assert record["rows"][AGENTIC_BY_MODEL]["words_invented"] > 0
    assert record["rows"][OURS_BY_MODEL]["words_invented"] == 0


@pytest.mark.parametrize(
    ("corpus", "options", "said"),
    [
        (".", (), "holds no RAG-Multi-Corpus"),
        ("corpus", ("--split", "Nobody"), "there are CloudWay-24, ZX Bank"),
        ("corpus", ("--planner", "llm"), "OPENAI_API_KEY"),
        ("corpus", ("--embedder", "bm26"), "bm25, minilm, hybrid"),
        ("corpus", ("--format", "md,odt"), "md, html, pdf, docx, pptx"),
        ("corpus", ("--format", "pdf"), "CloudWay-24 has no documents *.pdf"),
        ("corpus", ("--against", "nothing"), "is no row"),
        ("corpus", ("--only", "nothing"), "no row has such a name"),
        ("corpus", ("--against", "ours"), "means several rows"),
        ("corpus", ("--html", "nowhere/page.html"), "there is no folder nowhere"),
    ],
)
def test_what_cannot_be_done_is_said_before_any_work(run, tmp_path, monkeypatch, corpus, options, said):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    write_corpus(tmp_path / "corpus")
    result, record = run(*options, corpus=corpus)
    assert result.exit_code not in (0, 1)
    assert said in result.output
    assert record is None
