"""The frame of every page that is written for people: one file, no network, no script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.report.markup import Html, element
from ingest.report.style import STYLE

if TYPE_CHECKING:
    from collections.abc import Sequence

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
"""Forbids whatever might get past the escaping of ``ingest.report.markup``."""


def document(title: str, *body: str) -> str:
    """A whole page around the parts of its body; equal parts give equal text."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="robots", content="noindex"),
        element("title", title),
        # Written by this package alone; escaping would break its selectors.
        element("style", Html(STYLE)),
    )
    return f"<!DOCTYPE html>\n{element('html', head, element('body', *body), lang='en')}\n"


def table(styles: Sequence[str], heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Html:
    """A table; ``styles`` are the classes of its columns. Without a head where all of ``heads`` are empty."""
    head = element("tr", *(element("th", text, class_=style) for style, text in zip(styles, heads, strict=True)))
    body = [
        element("tr", *(element("td", cell, class_=style) for style, cell in zip(styles, row, strict=True)))
        for row in rows
    ]
    parts = [element("thead", head)] if any(heads) else []
    return element("div", element("table", *parts, element("tbody", *body)), class_="wide")
