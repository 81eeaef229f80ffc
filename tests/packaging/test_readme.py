"""The README's commands and snippets do what it says, on a site over loopback."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from mock_pages import START, handbook
from mock_site import MockSite

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = "https://docs.example.org/"


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@dataclass
class Reader:
    """Someone who follows the README with a site of their own and a data folder beside the checkout's."""

    folder: Path
    site: str

    def sh(self, command: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
        """Runs one line of a shell block; the environment that runs the tests stands for ``.venv``."""
        command = command.replace(EXAMPLE, self.site).replace(".venv/bin/", f"{sys.prefix}/bin/")
        if command.startswith("make "):
            # The environment is set up already: its stamp counts as new.
            command = f"make VENV={sys.prefix} -o {sys.prefix}/.runtime {command.removeprefix('make ')}"
        return self._run(["bash", "-c", command], cwd)

    def python(self, *snippets: str) -> subprocess.CompletedProcess[str]:
        """Runs snippets one after the other in one interpreter, in the folder of the data."""
        return self._run([sys.executable, "-P", "-c", "\n".join(snippets)], self.folder)

    def _run(self, command: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {
            "PATH": f"{sys.prefix}/bin:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "WRAC_DATA_DIR": str(self.folder / ".wrac"),
            "WRAC_WORKERS": "1",
        }
        return subprocess.run(
            command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", check=False, timeout=110
        )


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    with MockSite() as site:
        site.routes = handbook(site.url)
        yield Reader(tmp_path_factory.mktemp("readme"), site.url + START)


@pytest.fixture(scope="module")
def crawled(reader: Reader) -> Reader:
    """The reader after the first command."""
    (command,) = [line for line in "\n".join(_blocks("sh")).split("\n") if line.startswith("make crawl")]
    done = reader.sh(command)
    assert done.returncode == 0, done.stdout + done.stderr
    return reader


def test_the_first_search_finds_the_page_that_answers_it(crawled: Reader) -> None:
    (command,) = [line for line in "\n".join(_blocks("sh")).split("\n") if "wrac search" in line]
    found = crawled.sh(command)
    assert found.returncode == 0, found.stderr
    assert re.search(rf"{re.escape(crawled.site)}install\.html#\w+", found.stdout), found.stdout


def test_a_chatbot_reads_the_collection_by_plain_qdrant_client(crawled: Reader) -> None:
    setup, snippet = _blocks("python")[:2]
    assert "query_points" in snippet
    found = crawled.python(setup, snippet)
    assert (found.returncode, found.stderr) == (0, ""), found.stderr
    assert f"{crawled.site}install.html#" in found.stdout


def test_the_stages_work_as_a_library(reader: Reader) -> None:
    (reader.folder / "handbook.md").write_text("# Pumps\n\nPrime the pump first.\n", encoding="utf-8")
    done = reader.python(_blocks("python")[-1])
    assert (done.returncode, done.stderr) == (0, "")
    assert "# Pumps\n\nPrime the pump first." in done.stdout


def test_a_profile_is_crawled_by_its_name(reader: Reader) -> None:
    (profile,) = _blocks("toml")
    (command,) = [line for line in "\n".join(_blocks("sh")).split("\n") if line.startswith("wrac crawl")]
    start = f"{reader.site}berths.html"
    file = reader.folder / "sites" / f"{command.split()[-1]}.toml"
    file.parent.mkdir()
    file.write_text(profile.replace(f"{EXAMPLE}en/", start).replace("/en/", START), encoding="utf-8")
    done = reader.sh(command, reader.folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_snippet_is_valid_python() -> None:
    for snippet in _blocks("python"):
        compile(snippet, "README.md", "exec")


def test_make_reports_a_failed_crawl(reader: Reader) -> None:
    done = reader.sh("make crawl URL=http://127.0.0.1:9/")
    # make knows one code for all failures; the crawl's own stands in its message.
    assert done.returncode == 2
    assert "Error 4" in done.stderr, done.stderr
