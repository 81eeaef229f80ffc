"""A crawl from Python, in a folder that is no Scrapy project."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from mock_site import MockSite, Reply

if TYPE_CHECKING:
    from conftest import CrawlRunner

SCRIPT = """
import sys
from crawler.main import run_crawl
sys.exit(run_crawl(sys.argv[1], overrides={"delay": 0, "sitemap": False}, settings={"WRAC_RUN": "fake_run.FakeRun"}))
"""


def test_run_crawl_needs_no_project(runner: CrawlRunner) -> None:
    environment = {name: value for name, value in runner.environment.items() if name != "SCRAPY_SETTINGS_MODULE"}
    with MockSite({"/d/": Reply("<a href='b'>b</a><a href=\"/d/a\">a</a>"), "/d/a": Reply("x")}) as site:
        command = [sys.executable, "-P", "-c", SCRIPT, f"{site.url}/d/"]
        done = subprocess.run(
            command, cwd=runner.folder, env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done
        assert site.times("/d/a") == 1
    assert "indexed" in done.stdout
    assert "Traceback" not in done.stderr
