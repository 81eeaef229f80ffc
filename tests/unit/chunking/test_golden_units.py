"""Units and fusions of small texts, worked out by hand (tests/golden/chunking/units.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking import build_tree
from wrac.records import FusionKind, MarkdownDocument

CASES = Path(__file__).parents[2] / "golden" / "chunking" / "units.md"
_MARKS = {FusionKind.PROCEDURE: "P", FusionKind.LEAD_IN: "L"}


def _cases() -> list[object]:
    parts = CASES.read_text("utf-8").split("\n.\n")
    titles = [part.strip("\n").rsplit("\n\n", 1)[-1].strip() for part in parts[:-1:3]]
    return [
        pytest.param(source, wanted, id=title)
        for title, source, wanted in zip(titles, parts[1::3], parts[2::3], strict=True)
    ]


@pytest.mark.parametrize(("source", "wanted"), _cases())
def test_units_and_fusions(source: str, wanted: str) -> None:
    tree = build_tree(MarkdownDocument(source, "", "markdown", "markdown/1", ""))
    marks = {i: f"{_MARKS[f.kind]}{n}" for n, f in enumerate(tree.fusions, 1) for i in f.unit_ids}
    lines = wanted.split("\n")
    assert len(tree.units) == len(lines), [tree.text_of(unit) for unit in tree.units]
    for unit, line in zip(tree.units, lines, strict=True):
        mark, kind, beginning = line.split(" ", 2)
        assert (marks.get(unit.id, "-"), unit.kind.value) == (mark, kind), line
        assert tree.text_of(unit).startswith(beginning.replace("\\n", "\n")), line
