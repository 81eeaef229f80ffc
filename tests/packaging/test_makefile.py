"""The Makefile's promises that can be read off without running them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_help_lists_every_public_target() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    assert phony
    shown = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=20).stdout
    assert set(re.findall(r"^  make (\w+)", shown, re.MULTILINE)) == set(phony[1].split())


def test_a_crawl_by_make_passes_the_url_as_it_is() -> None:
    url = "https://docs.example.org/a?b=1&c='2'"
    command = ["make", "-n", "crawl", f"URL={url}"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=20).stdout
    # The shell reads the variable: no character of the URL is ever parsed by it.
    assert '-a "url=$URL"' in shown
    assert url not in shown


def test_no_committed_file_names_an_index_or_a_path_of_one_machine() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=20
    )
    names = [name for name in tracked.stdout.split("\0") if name]
    pattern = re.compile(r"(?:extra-)?index-url|find-links|/(?:home|root)/\w", re.IGNORECASE)
    found = [
        name
        for name in names
        if Path(name).suffix in {".toml", ".txt", ".cfg", ".yaml", ".yml", ""}
        and (ROOT / name).is_file()
        and pattern.search((ROOT / name).read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []
