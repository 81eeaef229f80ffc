"""Decks made with python-pptx, shape by shape."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from pptx import Presentation
from pptx.util import Inches, Pt

if TYPE_CHECKING:
    from pptx.presentation import Presentation as Deck
    from pptx.slide import Slide

TITLE, CONTENT, SECTION, TITLE_ONLY, BLANK = 0, 1, 2, 5, 6
"""Layouts of the default template."""


def new_deck() -> Deck:
    """An empty deck."""
    return Presentation()


def add_slide(deck: Deck, layout: int, title: str = "", *lines: tuple[int, str]) -> Slide:
    """A slide with its title and, in the first body placeholder, lines of (level, text)."""
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    if title:
        slide.shapes.title.text = title
    if lines:
        frame = slide.placeholders[1].text_frame
        for index, (level, text) in enumerate(lines):
            paragraph = frame.paragraphs[0] if index == 0 else frame.add_paragraph()
            paragraph.text, paragraph.level = text, level
    return slide


def add_box(
    slide: Slide, text: str, left: float, top: float, width: float = 2, height: float = 0.5, size: int = 0
) -> None:
    """A text box; places in inches, size in points."""
    box = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(width), Inches(height))
    box.text_frame.text = text
    if size:
        box.text_frame.paragraphs[0].runs[0].font.size = Pt(size)


def saved(deck: Deck) -> bytes:
    """The bytes of the deck."""
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()
