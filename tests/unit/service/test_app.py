"""However a command ends, there is one message and a documented exit code, and never a traceback unasked."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any, NoReturn

import pytest
from typer.testing import CliRunner

from service.cli.app import app
from wrac.errors import ConfigError, StoreLocked, TransientError, WracError
from wrac.exit_codes import ExitCode

MAIN = "from service.cli import main; main()"


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs ``wrac search`` with the collection raising an error."""

    def run(error: BaseException, *before: str) -> Any:
        def hits(*_: object, **__: object) -> NoReturn:
            raise error

        monkeypatch.setattr("service.cli.search._hits", hits)
        return CliRunner().invoke(app, [*before, "search", "anything"])

    return run


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("key x in wrac.toml"), ExitCode.USAGE),
        (StoreLocked("held by process 7"), ExitCode.STORE),
        (TransientError("try again"), ExitCode.RESUMABLE),
        (WracError("?"), ExitCode.UNEXPECTED),
    ],
)
def test_our_errors_are_their_message_and_their_code(failing: Any, error: Exception, code: ExitCode) -> None:
    result = failing(error)
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", f"Error: {error}\n")


def test_a_fault_of_the_program_asks_for_a_report(failing: Any) -> None:
    result = failing(KeyError("lost"))
    assert result.exit_code == ExitCode.UNEXPECTED
    assert "KeyError: 'lost'" in result.stderr
    assert "--debug" in result.stderr
    assert "Traceback" not in result.stderr


def test_debug_shows_where(failing: Any) -> None:
    result = failing(KeyError("lost"), "--debug")
    assert result.exit_code == ExitCode.UNEXPECTED
    assert "Traceback" in result.stderr


def test_an_error_cannot_steer_the_terminal(failing: Any) -> None:
    assert failing(ConfigError("host \x1b[2Jgone")).stderr == "Error: host gone\n"


def test_an_interrupt_ends_like_in_any_shell(failing: Any) -> None:
    result = failing(KeyboardInterrupt())
    assert (result.exit_code, result.stdout) == (130, "")


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["search"], ["search", " "], ["chunk", "no-such-file.md"], ["search", "q", "-n", "0"]]
)
def test_wrong_arguments_are_a_usage_error(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == ExitCode.USAGE
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("count", [1, 5000])
def test_a_reader_that_goes_away_is_no_error(count: int) -> None:
    script = f"""
import sys
import service.cli.search as search
from wrac.records import Hit
search._hits = lambda *_, **__: [Hit("id", 1.0, "text", "breadcrumb", "url", "title", "site")] * {count}
sys.argv = ["wrac", "search", "anything", "--json"]
{MAIN}
"""
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=30) == 141


def test_help_is_there_at_once() -> None:
    heavy = "{'numpy', 'onnxruntime', 'scrapy', 'lxml', 'qdrant_client', 'sqlalchemy', 'pydantic', 'openai'}"
    script = f"import sys; from service.cli.app import app; print(sorted({heavy} & set(sys.modules)))"
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout == "[]\n"
    # Ten times what it takes: only a heavy import could use it up.
    assert time.monotonic() - began < 5
