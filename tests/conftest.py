"""Requirement markers, and an environment that no test inherits from the machine it runs on."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from postgres_server import PostgresServer

_SWITCH = "WRAC_REQUIRE_ALL"
REQUIRE_ALL = os.environ.get(_SWITCH, "") not in ("", "0")
"""Set in CI: a skipped test is then a failure."""

if REQUIRE_ALL and find_spec("hypothesis") is not None:  # not everywhere where one contract alone is run
    from hypothesis import settings

    # CI judges a change by the same examples each time; `make soak` looks for new ones.
    settings.register_profile("gate", derandomize=True)
    settings.load_profile("gate")

YARDSTICKS = Path(os.environ.get("WRAC_BENCH") or Path(__file__).parents[2] / "shared" / "bench")
"""Public corpora and their judges. Where they are not at hand, tests that need them are not part of the suite."""

# The switch itself stays: the worker processes of xdist read it too.
for _name in [name for name in os.environ if name.startswith("WRAC_") and name != _SWITCH]:
    del os.environ[_name]
# The mock sites are on loopback; a proxy of the machine must not stand between.
for _name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
    os.environ.pop(_name, None)


def _registry_answers() -> bool:
    """Whether pip reaches a package registry."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--dry-run",
        "--ignore-installed",
        "--no-deps",
        "typer",
    ]
    return subprocess.run(command, capture_output=True, check=False, timeout=100).returncode == 0


def _runs_postgres() -> bool:
    """Whether a PostgreSQL server of this machine can be started by a test."""
    from postgres_server import can_run

    return can_run()


def _runs_llama() -> bool:
    """Whether the wheel of the llama.cpp server can run here."""
    library, version = platform.libc_ver()
    is_new = library == "glibc" and tuple(map(int, version.split("."))) >= (2, 35)
    return sys.platform == "linux" and platform.machine() == "x86_64" and is_new


def _has_office() -> bool:
    """Whether LibreOffice is there."""
    return shutil.which("soffice") is not None


REQUIREMENTS: dict[str, tuple[Callable[[], bool], str]] = {
    "registry": (_registry_answers, "a package registry that pip reaches"),
    "postgres": (_runs_postgres, "the programs of a PostgreSQL server (Debian: postgresql)"),
    "soffice": (_has_office, "LibreOffice (Debian: libreoffice-writer-nogui, -calc-nogui, -impress-nogui)"),
    "llama": (_runs_llama, "Linux on x86_64 with glibc 2.35 or newer, for the llama.cpp server"),
}
"""What a test may require by ``@pytest.mark.requires("name")``: a probe, and what is missing where it fails."""


@pytest.fixture(scope="session")
def yardsticks() -> Path:
    """The folder of the yardsticks, for tests marked by ``yardsticks``."""
    return YARDSTICKS


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A private PostgreSQL server, for tests marked by ``requires("postgres")``."""
    from postgres_server import PostgresServer

    with PostgresServer() as server:
        yield server


@cache
def _is_met(name: str) -> bool:
    return REQUIREMENTS[name][0]()


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    names = ", ".join(sorted(REQUIREMENTS))
    config.addinivalue_line("markers", f"requires(name): needs something outside of the environment ({names})")
    config.addinivalue_line("markers", "soak: long; runs in `make soak` only")
    config.addinivalue_line("markers", "yardsticks: judged by public corpora (WRAC_BENCH, else ../shared/bench)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is judged by corpora that are not at hand: no machine must have them, CI least of all."""
    if YARDSTICKS.is_dir():
        return
    left_out = [item for item in items if item.get_closest_marker("yardsticks")]
    items[:] = [item for item in items if not item.get_closest_marker("yardsticks")]
    config.hook.pytest_deselected(items=left_out)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what cannot run here, naming what is missing."""
    for marker in item.iter_markers("requires"):
        name = marker.args[0]
        if not _is_met(name):
            pytest.skip(f"needs {REQUIREMENTS[name][1]}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn every skip into a failure where everything must run; expected failures stay what they are."""
    report = yield
    if REQUIRE_ALL and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped where WRAC_REQUIRE_ALL allows no skip: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for modules that skip themselves whole."""
    report = yield
    if REQUIRE_ALL and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} was skipped where WRAC_REQUIRE_ALL allows no skip: {report.longrepr}"
    return report
