"""What is imported is declared, what is declared is imported, and all of it is pinned."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
# Declared without an import of ours: lxml.html.clean moved here, and trafilatura and jusText import it.
NEEDED_BY_OTHERS = {"lxml-html-clean"}


def _canonical(name: str) -> str:
    """Normalised name of a distribution (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _requirement_name(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert match, requirement
    return _canonical(match[0])


def _imported_modules() -> set[str]:
    modules: set[str] = set()
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    modules.update(alias.name.partition(".")[0] for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    modules.add(node.module.partition(".")[0])
    return modules - set(sys.stdlib_module_names) - set(PACKAGES) - {"__future__"}


def test_imports_and_declared_dependencies_are_the_same() -> None:
    providers = packages_distributions()
    imported = {_canonical(providers[module][0]) for module in _imported_modules()}
    declared = {_requirement_name(requirement) for requirement in PROJECT["project"]["dependencies"]}
    assert imported - declared == set()
    assert declared - imported - NEEDED_BY_OTHERS == set()


def test_constraints_pin_everything_by_version_alone() -> None:
    lines = [
        line
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").split("\n")
        if line and not line.startswith("#")
    ]
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line)] == []
    pinned = {_requirement_name(line) for line in lines}
    groups = PROJECT["dependency-groups"]
    wanted = [*PROJECT["project"]["dependencies"], *groups["test"], *groups["lint"]]
    assert {_requirement_name(requirement) for requirement in wanted} - pinned == set()
