"""The cases of ``tests/golden/filters``: what stays, what goes, and by which rule."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import lxml.html
import pytest

from filters import clean_page
from wrac.ids import digest
from wrac.records import CleanedPage, FetchedPage

FOLDER = Path(__file__).parents[2] / "golden" / "filters"
CASES = [
    pytest.param(case, id=f"{file.stem}: {case['title']}")
    for file in sorted(FOLDER.glob("*.toml"))
    for case in tomllib.loads(file.read_text(encoding="utf-8"))["case"]
]


def clean(case: dict[str, Any]) -> CleanedPage:
    body = f"<!DOCTYPE html><html><head><title>t</title></head><body>{case['html']}</body></html>".encode()
    url = "https://docs.example/page.html"
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    return clean_page(FetchedPage(url, url, 200, "text/html; charset=utf-8", body, moment, digest(body)))


def squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("case", CASES)
def test_what_stays_and_what_goes(case: dict[str, Any]) -> None:
    page = clean(case)
    text = squeezed(page.root.text_content())
    for kept in case["kept"]:
        assert kept in text
    for gone, rule in case.get("gone", {}).items():
        assert gone not in text
        assert rule in {removal.rule for removal in page.removals if gone in removal.preview}


@pytest.mark.parametrize("case", CASES)
def test_nothing_vanishes_without_a_removal(case: dict[str, Any]) -> None:
    page = clean(case)
    whole = lxml.html.fromstring(f"<div>{case['html']}</div>")
    for element in list(whole.iter("template")):
        if not element.get("shadowrootmode"):
            element.drop_tree()
    lost = len("".join(whole.text_content().split())) - len("".join(page.root.text_content().split()))
    assert lost <= sum(removal.characters for removal in page.removals)
