"""The door to the models behaves alike under every openai major that is allowed, each in an environment of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ROOT / ".venv-openai"
LOWEST = ("2.45.0", "3.0.0")
"""The first release of each major that is allowed; the newest runs with all other tests."""
TESTS = ("tests/unit/llm",)

pytestmark = [pytest.mark.requires("registry"), pytest.mark.timeout(400)]


def interpreter(version: str) -> Path:
    """Of the environment with this version, made where it is missing or holds something else."""
    folder = ENVIRONMENTS / version
    python, stamp = folder / "bin" / "python", folder / "packages.json"
    packages = [
        f"openai=={version}",
        "numpy>=2",
        "bpe-openai>=0.1.4",
        "pydantic>=2.11",
        "pytest>=8.4",
        "pytest-timeout",
    ]
    if not stamp.exists() or json.loads(stamp.read_text()) != packages:
        venv.create(folder, clear=True)
        command = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", *packages]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr[-2000:]
        stamp.write_text(json.dumps(packages))
    return python


def test_the_versions_are_those_that_the_project_allows() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    [requirement] = [each for each in project["dependencies"] if re.match(r"openai\b", each)]
    assert requirement == "openai>=2.45,<4"


@pytest.mark.parametrize("version", LOWEST)
def test_chat_embeddings_budget_and_prices(version: str) -> None:
    command = [interpreter(version), "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert " passed" in done.stdout
    used = [interpreter(version), "-c", "import openai; print(openai.__version__)"]
    assert subprocess.run(used, capture_output=True, text=True, check=True, timeout=60).stdout.strip() == version
