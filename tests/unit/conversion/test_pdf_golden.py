"""Cases as data: ``tests/golden/pdf/*.md`` hold title, pages as they are drawn, and the Markdown that must come out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pdf_files import BOLD, ITALIC, MONO, REGULAR, Page, pdf, rule, text

from conversion.pdf import PdfOptions, convert_pdf

FOLDER = Path(__file__).parents[2] / "golden" / "pdf"
CASE = re.compile(r"^(?P<title>[^\n]+)\n\.\n(?P<pages>.*?)\n\.\n(?P<markdown>.*?)\n\.$", re.MULTILINE | re.DOTALL)
FONTS = {"R": REGULAR, "B": BOLD, "M": MONO, "I": ITALIC}


def cases() -> list[object]:
    """One parameter per case of every file."""
    found = [
        pytest.param(case["pages"], case["markdown"], id=f"{file.stem}: {case['title']}")
        for file in sorted(FOLDER.glob("*.md"))
        for case in CASE.finditer(file.read_text(encoding="utf-8"))
    ]
    assert len(found) >= 6
    return found


def drawn(line: str) -> str:
    """The operators of one line of a case."""
    if line.startswith("rule "):
        return rule(*map(float, line.split()[1:]))
    x, y, size, font, words = line.split(" ", 4)
    # The standard fonts are set in WinAnsiEncoding, which has the bullet at 0x95.
    return text(float(x), float(y), words.replace("•", "\225"), size=float(size), font=FONTS[font])


@pytest.mark.parametrize(("pages", "markdown"), cases())
def test_pages_become_the_markdown_of_the_case(pages: str, markdown: str) -> None:
    made = [
        Page("".join(map(drawn, page.strip().splitlines()))) for page in re.split(r"^page$", pages, flags=re.MULTILINE)
    ]
    assert convert_pdf(pdf(made), "file:a.pdf", PdfOptions(ocr=False)).document.text == markdown + "\n"
