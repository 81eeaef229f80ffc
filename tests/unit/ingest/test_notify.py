"""Notifications reach a command and a webhook whole, and a hook that misbehaves is told of and nothing else."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from ingest.notify import Event, Notification, event_of, notify
from wrac.notify import NotifySettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SAID = Notification(
    Event.FAILURE,
    "docs",
    "2026-11-30T03:00:00+00:00",
    "the start page https://user:hunter2@docs.example.org/ gave nothing",
    run=7,
    exit_code=4,
    figures={"embedded": 3},
    pages={"indexed": 2},
    reports=("/data/reports/docs/7/report.json",),
)
SENT = {
    "version": 1,
    "event": "failure",
    "site": "docs",
    "at": "2026-11-30T03:00:00+00:00",
    "reason": "the start page https://docs.example.org/ gave nothing",
    "run": 7,
    "exit_code": 4,
    "figures": {"embedded": 3},
    "pages": {"indexed": 2},
    "reports": ["/data/reports/docs/7/report.json"],
}


def settings(**values: Any) -> NotifySettings:
    return NotifySettings.model_validate({"timeout": 5.0, **values})


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


class Hook(HTTPServer):
    """Answers every POST with one status and keeps what it got."""

    def __init__(self, status: int, headers: dict[str, str], delay: float) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status, self.headers, self.delay = status, headers, delay
        self.got: list[tuple[str, str | None, bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Hook

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.path, self.headers["Content-Type"], body))
        time.sleep(self.server.delay)
        self.send_response(self.server.status)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@contextmanager
def hook(status: int = 204, delay: float = 0.0, **headers: str) -> Iterator[Hook]:
    with Hook(status, headers, delay) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def test_nobody_is_told_unless_somebody_is_named() -> None:
    assert notify(settings(), SAID, {}) == []


def test_a_command_gets_json_on_its_standard_input_and_no_shell_reads_its_arguments(tmp_path: Path) -> None:
    program = "import sys; open(sys.argv[1], 'wb').write(sys.stdin.buffer.read())"
    target = tmp_path / "got $(touch pwned) ; x"
    assert notify(settings(command=[*python(program), str(target)]), SAID, {}) == []
    assert json.loads(target.read_bytes()) == SENT
    assert [file.name for file in tmp_path.iterdir()] == [target.name]


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        (["/nowhere/notify"], "'/nowhere/notify' cannot be started: No such file"),
        (python("import sys; sys.exit('no route')"), "ended with 1: no route"),
        (python("import os; os.kill(os.getpid(), 9)"), "ended with -9"),
        (python("import sys; sys.stdin.close()"), ""),
    ],
)
def test_a_command_that_fails_is_told_of(command: list[str], complaint: str) -> None:
    problems = notify(settings(command=command), SAID, {})
    if complaint:
        assert len(problems) == 1
        assert "the notification (failure, docs) failed: command" in problems[0]
        assert complaint in problems[0]
    else:
        assert problems == []


def test_a_command_that_hangs_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    program = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(pid_file)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(60)"
    )
    began = time.monotonic()
    problems = notify(settings(command=python(program), timeout=3.0), SAID, {})
    assert time.monotonic() - began < 30
    assert len(problems) == 1
    assert "took longer than 3 s and was killed" in problems[0]
    assert _is_gone(int(pid_file.read_text()))


def _is_gone(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:  # noqa: PTH123
                if file.read().split()[2] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False


def test_a_webhook_gets_the_same_json_by_post() -> None:
    with hook() as server:
        assert notify(settings(webhook=f"{server.url}/hook?channel=1"), SAID, {}) == []
    assert [(path, kind, json.loads(body)) for path, kind, body in server.got] == [
        ("/hook?channel=1", "application/json", SENT)
    ]


def test_a_webhook_may_be_a_secret_of_the_environment() -> None:
    with hook(500) as server:
        environment = {"HOOK": f"{server.url}/T0P-SECRET"}
        problems = notify(settings(webhook_env="HOOK"), SAID, environment)
    assert server.got[0][0] == "/T0P-SECRET"
    assert problems == ["the notification (failure, docs) failed: webhook at 127.0.0.1: it answered 500"]


def test_a_variable_without_url_is_named() -> None:
    problems = notify(settings(webhook_env="HOOK"), SAID, {})
    assert len(problems) == 1
    assert "HOOK is not set" in problems[0]


def test_a_redirect_is_not_followed() -> None:
    with hook() as target, hook(302, Location=f"{target.url}/elsewhere") as server:
        problems = notify(settings(webhook=server.url), SAID, {})
    assert target.got == []
    assert problems == ["the notification (failure, docs) failed: webhook at 127.0.0.1: it answered 302"]


def test_a_webhook_that_hangs_is_given_up() -> None:
    with hook(delay=1.5) as server:
        began = time.monotonic()
        problems = notify(settings(webhook=server.url, timeout=0.5), SAID, {})
        assert time.monotonic() - began < 1.4
    assert len(problems) == 1
    assert "webhook at 127.0.0.1: " in problems[0]


def test_a_webhook_that_nobody_listens_at_is_told_of() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        problems = notify(settings(webhook=f"http://127.0.0.1:{free.getsockname()[1]}/"), SAID, {})
    assert len(problems) == 1
    assert "refused" in problems[0]


def test_link_local_addresses_where_clouds_have_their_metadata_are_never_dialled() -> None:
    problems = notify(settings(webhook="http://169.254.1.1/latest/"), SAID, {})
    assert len(problems) == 1
    assert "not public (link-local)" in problems[0]
    assert "allow_private" not in problems[0]


def test_both_hooks_are_told_though_one_fails(tmp_path: Path) -> None:
    with hook() as server:
        problems = notify(settings(command=["/nowhere/notify"], webhook=server.url), SAID, {})
    assert len(problems) == 1
    assert len(server.got) == 1


@pytest.mark.parametrize(
    ("code", "event"),
    [(0, None), (1, Event.FAILURE), (3, Event.FAILURE), (6, Event.FAILURE), (7, Event.LOSS_GUARD), (-9, Event.FAILURE)],
)
def test_every_end_but_success_is_an_event(code: int, event: Event | None) -> None:
    assert event_of(code) is event
