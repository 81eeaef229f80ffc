"""``wrac evaluate compare`` as a user runs it, on results that are written by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from service.cli.app import app
from wrac.exit_codes import ExitCode


def result(values, *, k=5, tags=None, kind="queries", **more):
    """A record of questions named q0, q1 ...; ``values`` are hit@k by question, or None where it is not measured."""
    names = [f"q{number}" for number in range(len(values))]
    record = {
        "version": 1,
        "kind": kind,
        "primary": f"hit@{k}",
        "measures": [f"hit@{k}", "MRR"],
        "questions": [
            {
                "organisation": "docs",
                "type": "",
                "query": name,
                "document": f"d{number}",
                "tags": (tags or {}).get(name, []),
                "urls": [f"/{name}"],
                "quotes": [],
            }
            for number, name in enumerate(names)
        ],
        "searches": {
            "hybrid": {
                "rows": {
                    "docs": {"per_question": {f"hit@{k}": [float(v > 0) for v in values], "MRR": [*map(float, values)]}}
                }
            }
        },
        "answers": [
            {"rank": round(1 / v) if v else None, "hits": [{"url": f"https://docs.test/{name}-{v}"}]}
            for name, v in zip(names, values, strict=True)
        ],
    }
    return record | more


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs the command on two records."""
    monkeypatch.chdir(tmp_path)

    def invoked(first, second, *options):
        (tmp_path / "a.json").write_text(first if isinstance(first, str) else json.dumps(first))
        (tmp_path / "b.json").write_text(json.dumps(second))
        outcome = CliRunner().invoke(app, ["evaluate", "compare", "a.json", "b.json", "--json", "c.json", *options])
        written = tmp_path / "c.json"
        return outcome, json.loads(written.read_text()) if written.exists() else None

    return invoked


BEFORE = [1, 0.5, 0, 1, 0.25, 0, 1]
AFTER = [1, 1, 0.5, 0, 0.2, 0, 1]
TURNS = {"q3": "lost", "q2": "won", "q4": "moved down", "q1": "moved up"}


def test_every_question_is_told_that_turned(run):
    outcome, record = run(result(BEFORE), result(AFTER))
    assert outcome.exit_code == 0, outcome.output
    turned = [(q["query"], q["turn"]) for q in record["questions"]]
    assert turned[:4] == list(TURNS.items())
    assert {turn for _, turn in turned[4:]} == {"as before"}
    assert record["questions"][0]["places"] == [1, None]
    assert record["questions"][0]["hits"] == [["https://docs.test/q3-1"], ["https://docs.test/q3-0"]]
    hit = record["measures"]["hit@5"]
    assert (hit["questions"], hit["first"], hit["second"], hit["difference"]) == (7, 0.714286, 0.714286, 0.0)
    assert hit["interval"][0] < 0 < hit["interval"][1]
    assert record["measures"]["MRR"]["difference"] == pytest.approx((3.7 - 3.75) / 7, abs=1e-6)
    assert "1 lost, 1 won, 1 moved down, 1 moved up, 3 as before" in outcome.output
    assert "lost       q3  place 1 -> none  hit@5 1.000 -> 0.000" in outcome.output


def test_equal_results_differ_nowhere_and_equal_calls_give_equal_bytes(run, tmp_path):
    outcome, record = run(result(BEFORE), result(BEFORE), "--html", "c.html")
    assert record["measures"]["MRR"]["interval"] == [0.0, 0.0]
    first = (tmp_path / "c.json").read_bytes(), (tmp_path / "c.html").read_bytes(), outcome.stdout
    again, _ = run(result(BEFORE), result(BEFORE), "--html", "c.html")
    assert ((tmp_path / "c.json").read_bytes(), (tmp_path / "c.html").read_bytes(), again.stdout) == first


def test_a_gain_on_every_page_is_beyond_chance(run, tmp_path):
    _, record = run(result([0] * 8), result([1] * 8), "--html", "c.html")
    assert record["measures"]["hit@5"]["interval"] == [1.0, 1.0]
    page = (tmp_path / "c.html").read_text()
    assert 'class="main"' in page
    assert "Won (8)" in page
    assert "<script" not in page


def test_few_pages_have_no_interval(run):
    outcome, record = run(result([0, 1]), result([1, 1]))
    assert record["measures"]["hit@5"]["interval"] is None
    assert "too few pages" in outcome.output


def test_what_is_cut_at_another_k_is_not_compared(run):
    """The reciprocal rank is 0 beyond k; hit@1 is the same whatever k is."""
    records = [result(BEFORE, k=k, measures=["hit@1", f"hit@{k}", "MRR"]) | {"k": k} for k in (3, 5)]
    for record in records:
        row = record["searches"]["hybrid"]["rows"]["docs"]["per_question"]
        row["hit@1"] = [float(value == 1) for value in BEFORE]
    _, compared = run(*records)
    assert list(compared["measures"]) == ["hit@1"]


def test_tags_are_compared_by_themselves(run):
    tags = {"q2": ["deep"], "q3": ["deep", "new"]}
    _, record = run(result(BEFORE, tags=tags), result(AFTER, tags=tags))
    assert record["by_tag"]["deep"]["hit@5"]["difference"] == 0.0
    assert record["by_tag"]["new"]["hit@5"]["difference"] == -1.0


def test_other_questions_are_refused_unless_the_common_ones_will_do(run):
    second = result([*AFTER, 1])
    second["questions"][0]["urls"] = ["/elsewhere"]
    outcome, record = run(result(BEFORE), second)
    assert outcome.exit_code == ExitCode.USAGE
    assert record is None
    assert "a.json has 7 questions and b.json has 8; 6 are in both, with the same expectations" in outcome.output
    assert "only in a.json: 'q0'. only in b.json: 'q0', 'q7'. --common compares what is in both" in outcome.output
    outcome, record = run(result(BEFORE), second, "--common")
    assert outcome.exit_code == 0, outcome.output
    assert (len(record["questions"]), record["only_in_first"], record["only_in_second"]) == (6, 1, 2)


def test_questions_without_an_answer_turn_too(run):
    def record(away):
        made = result([1, 1])
        made["questions"][1] |= {"urls": [], "nothing": True}
        row = made["searches"]["hybrid"]["rows"]["docs"]["per_question"]
        made["searches"]["hybrid"]["rows"]["docs"]["per_question"] = {
            **{name: [values[0], None] for name, values in row.items()},
            "turned away": [None, away],
        }
        made["measures"].append("turned away")
        return made

    _, compared = run(record(1.0), record(0.0))
    assert next((q["query"], q["turn"], q["measure"]) for q in compared["questions"]) == ("q1", "lost", "turned away")
    assert compared["measures"]["hit@5"]["questions"] == 1


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("nonsense", "a.json cannot be read as a result"),
        ("{}", "a.json is no result of `wrac evaluate`: write it with `wrac evaluate queries"),
        ('["queries"]', "is no result"),
        (result(BEFORE, version=2), "a.json is of version 2, and this program reads version 1: write it again"),
        (result(BEFORE, kind="comparison"), "is no result"),
        (result(BEFORE, searches={}), "holds no row"),
        (result(BEFORE, k=3, measures=["hit@3"]), "have no measure in common (hit@3; hit@5, MRR)"),
        (result([], questions=[]), "none are in both"),
    ],
)
def test_what_cannot_be_compared_is_refused(run, first, said):
    outcome, record = run(first, result(AFTER))
    assert outcome.exit_code == ExitCode.USAGE, outcome.output
    assert said in outcome.output.replace("\n", " ")
    assert record is None


def test_files_are_written_though_nobody_reads_the_table(run, monkeypatch):
    """As with ``| head``: what was measured is not measured again for a pipe that was closed."""

    def closed(*_, **__):
        raise BrokenPipeError

    monkeypatch.setattr("service.cli.evaluation_tables.show_comparison", closed)
    outcome, record = run(result([1, 1]), result([1, 0]), "--html", "c.html")
    assert outcome.exit_code != ExitCode.OK
    assert record["kind"] == "comparison"
    assert Path("c.html").exists()


def row_of(measured):
    """``searches`` of one row with these values."""
    return {"hybrid": {"rows": {"docs": {"per_question": measured}}}}


@pytest.mark.parametrize(
    "first",
    [
        result([1, 1], questions=None),
        result([1, 1], questions=[1, 2]),
        result([1, 1], questions=[{}, {}]),
        result([1, 1], searches=[]),
        result([1, 1], searches={"hybrid": {"rows": {"docs": {}}}}),
        result([1, 1], searches=row_of({"hit@5": [1.0], "MRR": [1.0]})),
        result([1, 1], searches=row_of({"hit@5": ["1", "1"]})),
        result([1, 1], searches=row_of({"hit@5": [1.0, float("nan")]})),
        result([1, 1], measures=None),
        result([1, 1], answers=[{"hits": [{}]}]),
    ],
)
def test_a_damaged_result_is_no_fault_of_the_program(run, first):
    outcome, record = run(first, result([1, 1]))
    assert outcome.exit_code == ExitCode.USAGE, outcome.output
    assert "a.json is damaged" in outcome.output
    assert record is None


def test_neither_is_one_that_is_nested_too_deep(run):
    outcome, _ = run("[" * 100_000, result([1, 1]))
    assert outcome.exit_code == ExitCode.USAGE, outcome.output
    assert "a.json cannot be read as a result" in outcome.output


def test_results_of_a_corpus_are_compared_by_search_and_row(run, tmp_path):
    from small_ragmc import write_corpus

    write_corpus(tmp_path / "corpus")
    for name in ("one.json", "two.json"):
        arguments = ["evaluate", "ragmc", "corpus", "--json", name]
        made = CliRunner().invoke(app, arguments)
        assert made.exit_code == 0, made.output
    arguments = ["evaluate", "compare", "one.json", "two.json", "--json", "-"]
    outcome = CliRunner().invoke(app, arguments)
    assert outcome.exit_code == 0, outcome.output
    record = json.loads(outcome.stdout)
    assert record["first"]["of"].endswith(", ours, by rule")
    assert record["measures"]["R@1000t"]["difference"] == 0.0
    assert len(record["questions"]) == 5
    outcome = CliRunner().invoke(app, [*arguments, "--row", "fixed"])
    assert json.loads(outcome.stdout)["first"]["of"].endswith(", fixed size 256")
    outcome = CliRunner().invoke(app, [*arguments, "--row", "recursive", "--second-row", "headers"])
    record = json.loads(outcome.stdout)
    rows = [record[which]["of"].partition(", ")[2] for which in ("first", "second")]
    assert rows == ["recursive 512", "headers + breadcrumb"]
    outcome = CliRunner().invoke(app, [*arguments, "--row", "fixd size 256"])
    assert outcome.exit_code == ExitCode.USAGE
    assert "did you mean fixed size 256?" in outcome.output
