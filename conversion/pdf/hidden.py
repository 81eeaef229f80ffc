"""Text that no reader of the page sees: recorded and left out, since it can carry instructions for a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wrac.records import Removal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conversion.pdf.records import Word
    from conversion.pdf.shapes import Box, Shapes

_PREVIEW = 160


def without_hidden(
    words: Sequence[Word], page: Box, number: int, drawn: Callable[[], Shapes]
) -> tuple[list[Word], list[Removal]]:
    """The words that a reader sees, and one removal for each reason why others are not seen.

    Invisible text over an image is the text layer of a scan and stays; white text stays where something is drawn
    beneath it. ``drawn`` is asked only where there is such text.
    """
    kept: list[Word] = []
    removed: dict[str, list[Word]] = {}
    for word in words:
        x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
        rule = word.style.hidden
        # A line that is too long for its page runs over the edge: its beginning is seen, so its end is kept.
        runs_on = bool(kept) and kept[-1].base == word.base and kept[-1].x1 < word.x0 + word.style.size
        if not page.touches(word.x0, word.y0, word.x1, word.y1) and not runs_on:
            rule = "pdf.off-page"
        elif rule in ("pdf.white", "pdf.invisible") and _lies_on(rule, x, y, drawn()):
            rule = ""
        if rule:
            removed.setdefault(rule, []).append(word)
        else:
            kept.append(word)
    return kept, [removal(rule, number, text_of(hidden)) for rule, hidden in removed.items()]


def _lies_on(rule: str, x: float, y: float, shapes: Shapes) -> bool:
    grounds = shapes.images if rule == "pdf.invisible" else [*shapes.images, *shapes.backgrounds]
    return any(box.holds(x, y) for box in grounds)


def text_of(words: Sequence[Word]) -> str:
    """Plain text of words in their order."""
    return "".join(word.text if word.glued else f" {word.text}" for word in words).strip()


def removal(rule: str, page: int, text: str, where: str = "") -> Removal:
    """A removal of ``text`` from a page (1-based)."""
    return Removal(rule, f"page {page}{where and ' > '}{where}", len(text), text[:_PREVIEW])
