"""Edits of a Markdown text as editors of documentation make them, each in one place that a random number picks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wrac.records import UnitKind

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    from wrac.records import Unit, UnitTree

    Edit = Callable[[UnitTree, random.Random], str | None]

_SENTENCE = "The berth is lit from dusk, and the keeper of the lock answers on channel eleven."
_LEAST_TOKENS = 8


def word_changed(tree: UnitTree, pick: random.Random) -> str | None:
    """One word of a paragraph is another; None where the text has no paragraph."""
    if (unit := _prose(tree, pick)) is None:
        return None
    first, _, rest = tree.text_of(unit).rpartition(" ")
    return _replaced(tree, unit, f"{first} halyard{rest[-1:] if rest[-1:] in '.:' else ''}")


def paragraph_rewritten(tree: UnitTree, pick: random.Random) -> str | None:
    """A paragraph says something else at about the same length."""
    if (unit := _prose(tree, pick)) is None:
        return None
    words = _SENTENCE.split() * (1 + unit.tokens // 16)
    return _replaced(tree, unit, " ".join(words[: max(6, int(unit.tokens * 0.75))]))


def paragraph_grown(tree: UnitTree, pick: random.Random) -> str | None:
    """A paragraph has a sentence more."""
    if (unit := _prose(tree, pick)) is None:
        return None
    return _replaced(tree, unit, f"{tree.text_of(unit)} {_SENTENCE}")


def paragraph_inserted(tree: UnitTree, pick: random.Random) -> str | None:
    """A paragraph of two sentences follows another."""
    if (unit := _prose(tree, pick)) is None:
        return None
    return _replaced(tree, unit, f"{tree.text_of(unit)}\n\n{_SENTENCE} {_SENTENCE[4:]}")


def paragraph_deleted(tree: UnitTree, pick: random.Random) -> str | None:
    """A paragraph is gone."""
    unit = _prose(tree, pick)
    return None if unit is None else _replaced(tree, unit, "")


def section_inserted(tree: UnitTree, pick: random.Random) -> str | None:
    """A short section stands before another of its level."""
    sections = _sections(tree)
    if not sections:
        return None
    unit = pick.choice(sections)[0]
    text = f"{'#' * unit.level} Lights of the harbour\n\n{_SENTENCE} {_SENTENCE}\n\n{tree.text_of(unit)}"
    return _replaced(tree, unit, text)


def section_deleted(tree: UnitTree, pick: random.Random) -> str | None:
    """A section is gone with all that it holds."""
    sections = _sections(tree)
    if not sections:
        return None
    first, end = pick.choice(sections)
    text = tree.document.text
    return text[: first.start] + text[end:]


def section_moved(tree: UnitTree, pick: random.Random) -> str | None:
    """A section stands at the end of the text."""
    sections = _sections(tree)[:-1]
    if not sections:
        return None
    first, end = pick.choice(sections)
    text = tree.document.text
    return f"{text[: first.start]}{text[end:].rstrip()}\n\n{text[first.start : end].rstrip()}\n"


def heading_renamed(tree: UnitTree, pick: random.Random) -> str | None:
    """A heading that no other heading stands under has another text."""
    units = [*tree.units]
    leaves = [
        unit
        for index, unit in enumerate(units)
        if unit.level > 1 and not any(u.level > unit.level for u in _within(units, index))
    ]
    if not leaves:
        return None
    unit = pick.choice(leaves)
    return _replaced(tree, unit, f"{'#' * unit.level} Halyards and berths")


EDITS: dict[str, Edit] = {
    edit.__name__.replace("_", " "): edit
    for edit in (
        word_changed,
        paragraph_rewritten,
        paragraph_grown,
        paragraph_inserted,
        paragraph_deleted,
        section_inserted,
        section_deleted,
        section_moved,
        heading_renamed,
    )
}
"""Every edit by its name."""


def _replaced(tree: UnitTree, unit: Unit, text: str) -> str:
    return tree.document.text[: unit.start] + text + tree.document.text[unit.end :]


def _prose(tree: UnitTree, pick: random.Random) -> Unit | None:
    """A whole paragraph at the margin: what is put beside it ends no list and no quote."""
    text = f"\n{tree.document.text}\n\n"
    found = [
        unit
        for unit in tree.units
        if unit.kind is UnitKind.PARAGRAPH
        and unit.tokens >= _LEAST_TOKENS
        and text[unit.start] == text[unit.end + 1] == text[unit.end + 2] == "\n"
    ]
    return pick.choice(found) if found else None


def _sections(tree: UnitTree) -> list[tuple[Unit, int]]:
    """Each section below level 1 with where its text ends."""
    units = tree.units
    return [
        (unit, max([unit.end, *(u.end for u in _within(units, index))]))
        for index, unit in enumerate(units)
        if unit.level > 1
    ]


def _within(units: tuple[Unit, ...] | list[Unit], index: int) -> Iterator[Unit]:
    for unit in units[index + 1 :]:
        if 0 < unit.level <= units[index].level:
            return
        yield unit
