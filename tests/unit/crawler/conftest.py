"""Whole crawls with a stand-in for the ingestion run, against a server on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))

from mock_site import MockSite

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Crawl:
    """A crawl that has ended."""

    code: int
    output: str
    errors: str
    completed: bool
    rows: tuple[tuple[str, str, str, int], ...]
    """(URL, outcome, reason, depth) in the order of recording."""

    def outcome(self, url: str) -> str:
        """The one outcome of a URL."""
        found = [row[1] for row in self.rows if row[0] == url]
        assert len(found) == 1, f"{url} has the outcomes {found} in {self}"
        return found[0]

    def reason(self, url: str) -> str:
        """The reason of a URL's outcome."""
        return next(row[2] for row in self.rows if row[0] == url)


class CrawlRunner:
    """Starts ``scrapy crawl docs_site`` in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ} | {
            "PYTHONPATH": f"{ROOT}:{Path(__file__).parent}",
            "SCRAPY_SETTINGS_MODULE": "crawler.settings",
            "PYTHONWARNINGS": "error::ResourceWarning",
        }

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """The crawl, running."""
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "scrapy", "crawl", "docs_site", "-s", "WRAC_RUN=fake_run.FakeRun", *arguments],
            cwd=self.folder,
            env=self.environment | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self, process: subprocess.Popen[str]) -> Crawl:
        """The crawl, ended."""
        output, errors = process.communicate(timeout=60)
        file = self.folder / "fake_run.json"
        kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"completed": False, "outcomes": []}
        return Crawl(process.returncode, output, errors, kept["completed"], tuple(map(tuple, kept["outcomes"])))

    def crawl(self, url: str, *arguments: str, **environment: str) -> Crawl:
        """A crawl of ``url`` without delay, from start to end."""
        return self.finish(self.start("-a", f"url={url}", "-a", "delay=0", *arguments, **environment))


@pytest.fixture(scope="module")
def site() -> Iterator[MockSite]:
    """A server without routes."""
    with MockSite() as server:
        yield server


@pytest.fixture
def runner(tmp_path: Path) -> CrawlRunner:
    """Runs crawls in an empty folder."""
    return CrawlRunner(tmp_path)
