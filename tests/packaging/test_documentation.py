"""The documentation says what is there: pages are compared with the code that they describe."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer

from service.cli.app import app
from wrac.exit_codes import ExitCode

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]


def _load(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_configuration_page_is_that_of_the_models() -> None:
    written = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert written == _load(ROOT / "docs" / "build_configuration.py").page(), "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_to_files_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?://|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_readme_names_every_command_and_no_other() -> None:
    commands = set(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
    rows = set(re.findall(r"^\| `wrac (\w+)", README, re.MULTILINE))
    assert rows == commands


def test_the_readme_names_targets_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    assert set(re.findall(r"^make (\w+)", README, re.MULTILINE)) - targets == set()


def test_every_exit_code_is_documented() -> None:
    text = (ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8")
    documented = {int(code) for code in re.findall(r"^\| *`?(\d+)`? *\|", text, re.MULTILINE)}
    assert {int(code) for code in ExitCode} - documented == set()


def test_every_dependency_has_its_licence_on_record() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [requirement for extra in project["optional-dependencies"].values() for requirement in extra]
    declared = {re.split(r"[<>=,]", requirement)[0] for requirement in (*project["dependencies"], *extras)}
    record = (ROOT / "docs" / "decisions" / "0008-dependencies.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| ([\w-]+) \| [A-Z]", record, re.MULTILINE)) == declared


def test_decision_records_are_numbered_once() -> None:
    numbers = [file.name[:4] for file in (ROOT / "docs" / "decisions").glob("[0-9]*.md")]
    assert sorted(set(numbers)) == sorted(numbers)


def test_the_glossary_is_in_order() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = re.findall(r"^\| ([\w ]+) \|", glossary, re.MULTILINE)[1:]
    assert words == sorted(words, key=str.lower)
