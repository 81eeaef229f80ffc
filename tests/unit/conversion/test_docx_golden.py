"""Cases as data: ``tests/golden/office/docx.md`` holds title, body of a Word file and its Markdown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from office_files import docx

from conversion.office.docx import convert_docx

FILE = Path(__file__).parents[2] / "golden" / "office" / "docx.md"
URL = "https://handbook.example/files/guide.docx"
CASE = re.compile(r"^(?P<title>[^\n]+)\n\.\n(?P<body>.*?)\n\.\n(?P<markdown>.*?)\n\.$", re.MULTILINE | re.DOTALL)


def cases() -> list[object]:
    """One parameter per case."""
    text = FILE.read_text(encoding="utf-8")
    found = [pytest.param(case["body"], case["markdown"], id=case["title"]) for case in CASE.finditer(text)]
    assert len(found) >= 30
    return found


@pytest.mark.parametrize(("body", "markdown"), cases())
def test_word_file_becomes_the_markdown_of_the_case(body: str, markdown: str) -> None:
    data = docx(body, links={"rId9": "https://example.org/"})
    assert convert_docx(data, URL).document.text == markdown + "\n"
