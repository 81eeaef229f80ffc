"""Cases as data: ``tests/golden/conversion/*.md`` hold title, HTML and the Markdown that must come out."""

from __future__ import annotations

import re
from pathlib import Path

import lxml.html
import pytest

from conversion import HtmlConverter
from wrac.records import CleanedPage, Directives, PageMetadata

FOLDER = Path(__file__).parents[2] / "golden" / "conversion"
URL = "https://handbook.example/docs/page.html"
CASE = re.compile(r"^(?P<title>[^\n]+)\n\.\n(?P<html>.*?)\n\.\n(?P<markdown>.*?)\n\.$", re.MULTILINE | re.DOTALL)


def cases() -> list[object]:
    """One parameter per case of every file."""
    found = [
        pytest.param(case["html"], case["markdown"], id=f"{file.stem}: {case['title']}")
        for file in sorted(FOLDER.glob("*.md"))
        for case in CASE.finditer(file.read_text(encoding="utf-8"))
    ]
    assert len(found) > 60
    return found


@pytest.mark.parametrize(("html", "markdown"), cases())
def test_html_becomes_the_markdown_of_the_case(html: str, markdown: str) -> None:
    root = lxml.html.document_fromstring(
        f"<html><body>{html}</body></html>", parser=lxml.html.HTMLParser(encoding="utf-8")
    ).find("body")
    page = CleanedPage(root, URL, URL, PageMetadata(), Directives(), (), ())
    assert HtmlConverter().convert(page).text == markdown + "\n"
