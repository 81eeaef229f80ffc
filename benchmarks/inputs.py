"""What the measurements run on: real pages where they are there, generated ones otherwise."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

ROOT = Path(__file__).resolve().parent.parent
SITES = {
    "python": "python3.11-doc/usr/share/doc/python3.11/html",
    "django": "python-django-doc/usr/share/doc/python-django-doc/html",
}
"""Whole sites out of Debian packages, each unpacked into a folder of the package's name."""


@dataclass(frozen=True, slots=True)
class Input:
    """One page."""

    url: str
    body: bytes


def add_options(parser: argparse.ArgumentParser) -> None:
    """``--bench`` and ``--corpus``, each with its environment variable."""
    bench = os.environ.get("WRAC_BENCH", ROOT.parent / "shared" / "bench")
    corpus = os.environ.get("WRAC_CORPUS", ROOT.parent / "corpus")
    parser.add_argument("--bench", type=Path, default=bench, help="folder of the yardsticks (WRAC_BENCH)")
    parser.add_argument("--corpus", type=Path, default=corpus, help="folder of unpacked packages (WRAC_CORPUS)")


def site_folder(corpus: Path, name: str) -> Path | None:
    """Folder of a whole site, None where the package is not unpacked there."""
    folder = corpus / SITES[name]
    return folder if folder.is_dir() else None


def sample(bench: Path, corpus: Path, limit: int) -> tuple[str, list[Input]]:
    """At most ``limit`` real pages and what they are; generated ones where nothing real is there."""
    if folder := site_folder(corpus, "django"):
        files = sorted(folder.rglob("*.html"))
        step = max(1, len(files) // limit)
        pages = [Input(f"https://docs.example/{f.relative_to(folder)}", f.read_bytes()) for f in files[::step]]
        return "pages of a documentation site", pages[:limit]
    if (manifest := bench / "pages" / "manifest.json").exists():
        entries = json.loads(manifest.read_text(encoding="utf-8"))["pages"][:limit]
        html = bench / "pages" / "html"
        read = [Input(e["url"], gzip.decompress((html / f"{e['id']}.html.gz").read_bytes())) for e in entries]
        return "saved pages of all kinds", read
    return "generated pages", [Input(f"https://docs.example/{n}.html", generated_page(n, 0)) for n in range(limit)]


def generated_page(number: int, count: int, *, fan_out: int = 20) -> bytes:
    """Page ``number`` of a generated site of ``count`` pages: a tree of links with headings, a table and code."""
    children = range(number * fan_out + 1, min(number * fan_out + fan_out + 1, count))
    links = "".join(f'<li><a href="{child}.html">Register {child}</a></li>' for child in children)
    rows = "".join(f"<tr><td>crate {number}-{row}</td><td>shed {(number + row) % 97}</td></tr>" for row in range(6))
    sections = "".join(
        f'<h2 id="s{part}">Entry {number}.{part}</h2>'
        + f"<p>Crate {number * 7 + part} lies in shed {(number + part) % 97} under tarpaulin {number % 13}. </p>" * 6
        for part in range(4)
    )
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Register {number}</title></head><body>
<nav><ul><li><a href="0.html">Register</a></li></ul></nav><main>
<h1>Register {number}</h1><p>Page {number}.</p>{sections}
<table><tr><th>Crate</th><th>Shed</th></tr>{rows}</table><pre><code>open_shed({number})</code></pre><ul>{links}</ul></main>
<footer>Register office</footer></body></html>""".encode()
