"""A document can cost at most its own process, whatever it does there."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import TYPE_CHECKING

import pytest

from conversion.drac.confinement import ProcessLimits
from conversion.drac.programs import run_program
from conversion.drac.sandbox import Sandbox
from wrac.errors import ConversionFailed, UnsupportedContent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

URL = "https://handbook.example/files/a.docx"
LIMITS = ProcessLimits(memory=1 << 30, cpu_seconds=20, file_bytes=4 << 20, wall_seconds=20)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One sandbox for all tests: each document must leave it usable for the next."""
    sandbox = Sandbox("hostile_tasks:run")
    yield sandbox
    sandbox.close()


def run(sandbox: Sandbox, code: str, limits: ProcessLimits = LIMITS) -> bytes:
    """Runs the body of a function over ``data`` in the sandbox."""
    return sandbox.run(code.encode(), URL, limits=limits)


def test_result_comes_back(sandbox: Sandbox) -> None:
    assert run(sandbox, "return b'x' * 100000") == b"x" * 100_000


def test_each_document_has_a_process_of_its_own(sandbox: Sandbox) -> None:
    first = run(sandbox, "import os; return str(os.getpid()).encode()")
    second = run(sandbox, "import os; return str(os.getpid()).encode()")
    assert first != second
    assert os.getpid() not in (int(first), int(second))


@pytest.mark.parametrize(
    ("code", "limits", "message"),
    [
        ("import time; time.sleep(60)", ProcessLimits(wall_seconds=0.5), r"took more than 0\.5 s to convert"),
        ("while True: pass", ProcessLimits(cpu_seconds=1, wall_seconds=20), "took more than 1 s of CPU time"),
        ("return b'x' * len(bytearray(3 << 30))", LIMITS, "takes more than 1024 MiB of memory"),
        ("import os; os.abort()", LIMITS, r"ended the process that converted it \(SIGABRT"),
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
            LIMITS,
            r"\(SIGKILL; most likely for want of memory",
        ),
        ("import os; os._exit(7)", LIMITS, r"\(code 7;"),
        ("return b'x' * (5 << 20)", LIMITS, "gives more than 4 MiB of text"),
        ("raise KeyError('no such style')", LIMITS, "broke its converter .KeyError: 'no such style'."),
        ("def f(): return f()\n    return f()", LIMITS, "broke its converter .RecursionError"),
    ],
)
def test_faults_are_one_clear_failure(sandbox: Sandbox, code: str, limits: ProcessLimits, message: str) -> None:
    with pytest.raises(ConversionFailed, match=message):
        run(sandbox, code, limits)
    assert run(sandbox, "return b'fine'") == b"fine"


def test_page_errors_come_back_as_what_they_are(sandbox: Sandbox) -> None:
    raised = "from wrac.errors import UnsupportedContent; raise UnsupportedContent('a: no', stage='convert')"
    with pytest.raises(UnsupportedContent, match="a: no"):
        run(sandbox, raised)


def test_what_it_started_is_gone(sandbox: Sandbox, tmp_path: Path) -> None:
    mark = tmp_path / "alive"
    late = f"import time; time.sleep(1); open({str(mark)!r}, 'w')"
    child = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {late!r}])"
    run(sandbox, f"{child}; return b''")
    time.sleep(1.5)
    assert not mark.exists()


def test_it_sees_no_secret_of_ours_and_writes_nothing_to_our_outputs(
    sandbox: Sandbox, capfd: pytest.CaptureFixture[str]
) -> None:
    seen = run(sandbox, "import os; print('noise'); os.write(2, b'noise'); return ' '.join(os.environ).encode()")
    assert set(seen.decode().split()) <= {
        "PATH",
        "LANG",
        "LC_ALL",
        "TMPDIR",
        "TESSDATA_PREFIX",
        "PYTHONPATH",
        "LC_CTYPE",
    }
    assert capfd.readouterr() == ("", "")


def test_forged_answer_is_no_result(sandbox: Sandbox) -> None:
    forged = """import os
    for descriptor in range(3, 12):
        try:
            os.write(descriptor, b'not json')
        except OSError:
            pass
    os._exit(0)"""
    with pytest.raises(ConversionFailed, match="an answer that cannot be read"):
        run(sandbox, forged)


def test_killed_template_is_replaced() -> None:
    sandbox = Sandbox("hostile_tasks:run")
    try:
        parent = int(run(sandbox, "import os; return str(os.getppid()).encode()"))
        os.kill(parent, signal.SIGKILL)
        time.sleep(0.2)
        assert run(sandbox, "return b'again'") == b"again"
    finally:
        sandbox.close()


def test_program_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    mark = tmp_path / "alive"
    child = f"import time; time.sleep(2); open({str(mark)!r}, 'w')"
    program = (
        f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {child!r}]); "
        "print('begun', flush=True); time.sleep(60)"
    )
    start = time.monotonic()
    finished = run_program(
        [sys.executable, "-c", program], folder=tmp_path, environment={}, limits=ProcessLimits(wall_seconds=1)
    )
    assert finished.timed_out
    assert finished.report == "begun"
    assert time.monotonic() - start < 10
    time.sleep(2)
    assert not mark.exists()


def test_program_reports_its_code_and_sees_its_environment_only(tmp_path: Path) -> None:
    finished = run_program(
        [sys.executable, "-c", "import os, sys; print(sorted(os.environ)); sys.exit(5)"],
        folder=tmp_path,
        environment={"LANG": "C.UTF-8"},
        limits=ProcessLimits(wall_seconds=20),
    )
    assert (finished.code, finished.timed_out) == (5, False)
    assert finished.report.startswith("['LANG'")
