"""The coverage count of the quality measurement sees what is lost, doubled, swapped or changed."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.coverage import coverage
from wrac.records import Chunk, MarkdownDocument, Unit, UnitKind, UnitTree

TEXT = "# One\n\nfirst\n\nsecond\n\nthird\n"


def unit(name: str, start: int, end: int, kind: UnitKind = UnitKind.PARAGRAPH) -> Unit:
    level = 1 if kind is UnitKind.HEADING else 0
    return Unit(id=name, kind=kind, level=level, start=start, end=end, parent=None, tokens=1, digest=name)


TREE = UnitTree(
    MarkdownDocument(TEXT, "One", "markdown", "test/1", "0"),
    (unit("h", 0, 5, UnitKind.HEADING), unit("a", 7, 12), unit("b", 14, 20), unit("c", 22, 27)),
)


def chunk(*unit_ids: str, text: str = "") -> Chunk:
    made = text or "\n\n".join(TREE.text_of(u) for u in TREE.units if u.id in unit_ids)
    return Chunk(made, made, (), "", unit_ids, "section", "", 0, 1, "")


WHOLE = (chunk("h", "a", "b"), chunk("c"))


def test_a_whole_document() -> None:
    found = coverage(TREE, WHOLE)
    assert found.units == 3
    assert (found.lost, found.duplicated, found.out_of_order, found.not_verbatim) == (0, 0, 0, 0)
    assert (found.headings_lost, found.untiled) == (0, 0)


def test_a_lost_unit_and_a_lost_heading() -> None:
    found = coverage(TREE, (chunk("a"), chunk("c")))
    assert found.lost == 1
    assert found.headings_lost == 1


def test_a_unit_in_two_chunks() -> None:
    assert coverage(TREE, (*WHOLE, chunk("c"))).duplicated == 1


def test_chunks_out_of_order() -> None:
    assert coverage(TREE, WHOLE[::-1]).out_of_order == 1


def test_text_that_is_not_the_source() -> None:
    assert coverage(TREE, (chunk("h", "a", "b", text="# One\n\nfirst\n\n2nd"), WHOLE[1])).not_verbatim == 1


def test_characters_outside_of_all_units_and_inside_of_two() -> None:
    short = replace(TREE, units=TREE.units[:3])
    assert coverage(short, WHOLE[:1]).untiled == len("third")
    doubled = replace(TREE, units=(*TREE.units, unit("d", 24, 27)))
    assert coverage(doubled, (*WHOLE, chunk("d"))).untiled == 3


def test_sums() -> None:
    assert (coverage(TREE, WHOLE) + coverage(TREE, WHOLE[:1])).units == 6
    assert (coverage(TREE, WHOLE) + coverage(TREE, WHOLE[:1])).lost == 1
