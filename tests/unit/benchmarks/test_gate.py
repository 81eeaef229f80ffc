"""The gate: floors that only rise, digests that only a record changes, and faults that it notices."""

from __future__ import annotations

import math
import shutil
from functools import partial

import pytest

from benchmarks.figures import Figure
from benchmarks.gate import __main__ as gate
from benchmarks.gate import documents as gate_documents
from benchmarks.gate.conversion import agreement
from benchmarks.gate.floors import (
    FLOORS_FILE,
    YARDSTICKS,
    Floor,
    Floors,
    FloorsRefused,
    applied,
    changes,
    lowered,
    pinned,
    raised,
    read_floors,
    write_floors,
)
from benchmarks.gate.inputs import CORPUS, converted_documents, file_digests, open_corpus, unwanted
from benchmarks.quality import PARTS
from evaluation.reference import Reference

MORE = partial(Figure, least=-math.inf)
LESS = partial(Figure, most=math.inf)
RECORD = "0060"


@pytest.fixture
def run(tmp_path, capsys):
    """The command on a copy of corpus and floors; gives its exit code and what it said."""
    corpus, floors = tmp_path / "corpus", tmp_path / "floors.toml"
    shutil.copytree(CORPUS, corpus)
    shutil.copy(FLOORS_FILE, floors)

    def called(*options: str) -> tuple[int, str]:
        places = ["--gate-corpus", str(corpus), "--floors", str(floors), "--without-yardsticks"]
        code = gate.main([*places, *options])
        said = capsys.readouterr()
        return code, said.out + said.err

    return called, corpus, floors


def test_the_committed_corpus_is_as_pinned_and_its_questions_are_quotes():
    assert changes(read_floors().digests["corpus"], file_digests(CORPUS)) == []
    corpus = open_corpus()
    asked = 0
    for organisation in corpus.organisations:
        reference = Reference(
            {file.name: file.read_text(encoding="utf-8") for file in corpus.files(organisation, "md")}
        )
        for query in corpus.queries(organisation):
            assert query.facts
            assert all(reference.fact(stated).verbatim for stated in query.facts), query.text
            asked += 1
    assert asked == 52
    pages = b"".join(file.read_bytes() for file in CORPUS.rglob("*.html")).decode("utf-8", "replace")
    assert [text for text in unwanted() if text not in pages.replace("&#169;", "©")] == []


def test_every_document_has_an_expected_markdown_and_the_office_files_are_those_of_their_writer():
    documents, unread = converted_documents(open_corpus())
    assert (len(documents), unread) == (12, {})
    folder = CORPUS / "datasets" / "Lantern Ferries"
    for stem, kind, write in (
        ("handbook", "docx", gate_documents.word_file),
        ("groups", "pdf", gate_documents.pdf_file),
    ):
        blocks = list(gate_documents.blocks_of((folder / "md" / f"{stem}.md").read_text(encoding="utf-8")))
        assert write(blocks) == (folder / kind / f"{stem}.{kind}").read_bytes()


def test_the_gate_is_open_for_what_is_committed(run):
    called, _, _ = run
    code, said = called()
    assert code == 0, said
    assert "The gate is open." in said
    assert "MISSED" not in said


def test_worse_conversion_and_a_changed_page_shut_it_and_nothing_of_it_can_be_raised_away(run):
    """A page loses its table, so words, cells and answers go: --raise must not lower a floor."""
    called, corpus, floors = run
    page = corpus / "datasets" / "Lantern Ferries" / "html" / "timetable.html"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("<table>", "<table hidden>"), encoding="utf-8")
    before = read_floors(floors).floors
    code, said = called("--raise")
    assert code == 1
    assert "timetable.html: changed" in said
    missed = {line.rpartition("  ")[0].split("  ")[0] for line in said.split("\n") if line.endswith("MISSED")}
    assert {"conversion: words", "conversion: cells", "retrieval: words covered"} <= missed
    assert read_floors(floors).floors == before


def test_a_floor_is_lowered_under_a_record_only(run):
    called, _, floors = run
    known = read_floors(floors)
    too_high = Floor(RECORD, least=1.1)
    write_floors(Floors({**known.floors, "conversion: items": too_high}, known.digests, known.digest_records), floors)
    assert called()[0] == 1
    assert called("--raise")[0] == 1
    for record in ("9999", "60", "../../README"):
        code, said = called("--lower", record)
        assert code == 2
        assert "no decision record" in said
    assert read_floors(floors).floors["conversion: items"] == too_high
    code, said = called("--lower", "0021")
    assert code == 0, said
    assert "lowered under decision record 0021: conversion: items" in said
    assert read_floors(floors).floors["conversion: items"] == Floor("0021", least=1.0)
    unchanged = {name: floor for name, floor in read_floors(floors).floors.items() if name != "conversion: items"}
    assert unchanged == {name: floor for name, floor in known.floors.items() if name != "conversion: items"}


def test_floors_edited_by_hand_are_refused(run):
    called, _, floors = run
    text = floors.read_text(encoding="utf-8")
    floors.write_text(text.replace("least = 1.0\n", "least = 0.5\n", 1), encoding="utf-8")
    code, said = called()
    assert code == 2
    assert "edited by hand" in said


def test_a_floor_whose_record_is_gone_is_refused(tmp_path):
    file, records = tmp_path / "floors.toml", tmp_path / "records"
    records.mkdir()
    (records / "0007-why.md").write_text("why")
    write_floors(Floors({"a": Floor("0007", least=1.0)}), file)
    assert read_floors(file, records).floors == {"a": Floor("0007", least=1.0)}
    (records / "0007-why.md").unlink()
    with pytest.raises(FloorsRefused, match="0007"):
        read_floors(file, records)


def test_raising_never_lowers_and_keeps_the_record():
    known = Floors({"up": Floor("0001", least=0.5), "down": Floor("0002", most=3.0), "same": Floor("0003", least=0.9)})
    found = raised(known, [MORE("up", 0.75), LESS("down", 1), MORE("same", 0.4), MORE("new", 0.30009)], RECORD)
    assert found.floors == {
        "up": Floor("0001", least=0.75),
        "down": Floor("0002", most=1.0),
        "same": Floor("0003", least=0.9),
        "new": Floor(RECORD, least=0.3),
    }


def test_floors_of_the_yardsticks_are_no_floors_of_the_corpus_and_the_other_way_round():
    """The gate must not miss them where the yardsticks are not at hand; each is one of a part of ``quality``."""
    names = [name for name in read_floors().floors if name.startswith(YARDSTICKS)]
    assert names
    assert {name.removeprefix(YARDSTICKS).partition(":")[0] for name in names} <= set(PARTS)


def test_a_goal_that_a_figure_brings_along_is_no_floor():
    """A window that a size must be in can neither be raised nor lowered."""
    window = Figure("size", 250, least=120, most=200)
    assert raised(Floors(), [window], RECORD).floors == {}
    assert applied(Floors(), [window]) == [window]
    assert applied(Floors(), [MORE("new", 1.0), LESS("other", 1.0)]) == [Figure("new", 1.0), Figure("other", 1.0)]


def test_lowering_touches_only_what_is_missed_and_rankings_get_one_question():
    known = Floors({"kept": Floor("0001", least=0.5), "retrieval: bm25 MRR": Floor("0001", least=0.9)})
    found, names = lowered(known, [MORE("kept", 0.7), MORE("retrieval: bm25 MRR", 0.8)], RECORD)
    assert names == ["retrieval: bm25 MRR"]
    assert found.floors == {"kept": Floor("0001", least=0.5), "retrieval: bm25 MRR": Floor(RECORD, least=0.78)}
    with pytest.raises(FloorsRefused):
        lowered(known, [], "1234")
    with pytest.raises(FloorsRefused):
        pinned(known, "corpus", {}, "1234")


def test_what_differs_from_the_pinned_digests_is_named():
    known, found = {"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "9", "d": "4"}
    assert changes(known, found) == ["b: changed", "c: gone", "d: new"]
    assert changes(known, dict(known)) == []


EXPECTED = "# Quay\n\nfour words stand here\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n- x\n  - y\n\n```sh\nrun\n```\n"


@pytest.mark.parametrize(
    ("produced", "less"),
    [
        (EXPECTED, set()),
        (EXPECTED.replace("# Quay", "## Quay"), {"headings"}),
        (EXPECTED.replace("| 1 | 2 |", "| 2 | 1 |"), {"cells"}),
        (EXPECTED.replace("  - y", "- y"), {"items"}),
        (EXPECTED.replace("- x\n  - y", "1. x\n   1. y"), {"items"}),
        (EXPECTED.replace("```sh", "```"), {"code"}),
        (EXPECTED.replace("four ", ""), {"words"}),
        (EXPECTED + "\nImprint\n", {"words"}),
        (EXPECTED.replace("here", "[here](https://quay.example)"), set()),
    ],
)
def test_each_kind_of_structure_is_judged_by_itself(produced, less):
    assert {kind for kind, found in agreement(EXPECTED, produced).items() if found.f1 < 1} == less


def test_f1_of_counts_worked_out_by_hand():
    found = agreement("one two three four", "one two five")["words"]
    assert (found.expected, found.produced, found.shared) == (4, 3, 2)
    assert found.f1 == pytest.approx(4 / 7)
