"""What a user installs: the wheel holds our packages and their data, and works far away from the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from mock_pages import START, handbook
from mock_site import MockSite

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "wrac",
    "llm",
    "filters",
    "conversion",
    "chunking",
    "indexing",
    "ingest",
    "evaluation",
    "crawler",
    "service",
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=110)
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_top_level_names_are_our_packages_and_nothing_else(names: set[str]) -> None:
    top = {name.partition("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == set(PACKAGES)


def test_every_package_tells_type_checkers_that_it_is_typed(names: set[str]) -> None:
    assert {f"{package}/py.typed" for package in PACKAGES} <= names


def test_every_tracked_data_file_of_a_package_is_in_the_wheel(names: set[str]) -> None:
    in_packages = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert in_packages - names == set()
    assert any(name.startswith("indexing/stopwords/") for name in names)


def test_the_console_script_is_declared(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/entry_points.txt")]
        assert "wrac = service.cli:main" in archive.read(name).decode()


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of a virtual environment that holds the wheel and its dependencies, and nothing for tests."""
    folder = tmp_path_factory.mktemp("clean") / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=100)
    python = folder / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "--upgrade", "pip"], check=True, timeout=200)
    done = subprocess.run(
        [*pip, "--constraint", str(ROOT / "constraints.txt"), str(wheel)],
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    return folder / "bin"


def _run(installed: Path, command: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": f"{installed}:{os.environ['PATH']}", "HOME": str(cwd), "LC_ALL": "C"}
    return subprocess.run(
        [str(installed / command[0]), *command[1:]],
        cwd=cwd,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=100,
    )


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that has nothing to do with the checkout, with packages that must not be taken for ours."""
    folder = tmp_path_factory.mktemp("elsewhere")
    for package in PACKAGES:
        (folder / package).mkdir()
        (folder / package / "__init__.py").write_text("raise RuntimeError('the wrong package')\n", encoding="utf-8")
    return folder


@pytest.mark.requires("registry")
@pytest.mark.timeout(900)
def test_an_installed_wheel_reads_files_in_any_folder(installed: Path, elsewhere: Path) -> None:
    (elsewhere / "file.md").write_text("# Pumps\n\nPrime the pump before the first start.\n", encoding="utf-8")
    shown = _run(installed, ["wrac", "--help"], elsewhere)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "crawl" in shown.stdout

    chunked = _run(installed, ["wrac", "chunk", "file.md", "--jsonl"], elsewhere)
    assert (chunked.returncode, chunked.stderr) == (0, "")
    (line,) = chunked.stdout.strip().split("\n")
    assert json.loads(line)["text"] == "# Pumps\n\nPrime the pump before the first start."


@pytest.mark.requires("registry")
@pytest.mark.timeout(900)
def test_an_installed_wheel_crawls_without_a_scrapy_project(installed: Path, elsewhere: Path) -> None:
    with MockSite() as site:
        site.routes = handbook(site.url)
        crawled = _run(installed, ["wrac", "crawl", site.url + START], elsewhere)
    assert crawled.returncode == 0, crawled.stdout + crawled.stderr
    found = _run(installed, ["wrac", "search", "how do I mount the gauge?", "--json", "-n", "1"], elsewhere)
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["url"].startswith(f"{site.url}/docs/install.html")


@pytest.mark.requires("registry")
@pytest.mark.timeout(900)
def test_an_installed_wheel_says_what_to_write_where_there_is_no_profile(installed: Path, elsewhere: Path) -> None:
    refused = _run(installed, ["wrac", "crawl"], elsewhere)
    assert refused.returncode == 2, refused.stderr
    assert "sites/docs_site.toml does not exist" in refused.stderr
    assert 'start_urls = ["' in refused.stderr


def test_our_packages_resolve_to_our_files() -> None:
    script = f"import importlib; print([importlib.import_module(n).__file__ for n in {PACKAGES!r}])"
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True, timeout=60)
    found = json.loads(done.stdout.replace("'", '"'))
    assert found == [str(ROOT / package / "__init__.py") for package in PACKAGES]


def test_scrapy_lists_the_spider() -> None:
    scrapy = Path(sys.executable).with_name("scrapy")
    done = subprocess.run([str(scrapy), "list"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, "docs_site\n"), done.stderr


def test_the_lists_of_packages_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert set(project["hatch"]["build"]["targets"]["wheel"]["packages"]) == set(PACKAGES)
    assert set(project["mypy"]["packages"]) == set(PACKAGES)
    assert set(project["importlinter"]["root_packages"]) == set(PACKAGES)
