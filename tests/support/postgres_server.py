"""A private PostgreSQL server from the system's packages: on loopback, in a folder of its own, gone with the tests."""

from __future__ import annotations

import contextlib
import getpass
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

_SECONDS = 60
# The shell ends the server when this process is gone, however it ended: the pipe to it closes then.
_GUARD = '"$@" & server=$!; read -r _; kill -INT $server; wait $server'


def find_programs() -> Path | None:
    """The folder of ``initdb`` and ``postgres``, the newest that is installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: float(folder.parent.name))
    if (found := shutil.which("initdb")) is not None:
        folders.insert(0, Path(found).resolve().parent)
    return next((folder for folder in reversed(folders) if (folder / "postgres").exists()), None)


def can_run() -> bool:
    """Whether a server is installed, and who it may run as: it refuses to run as root."""
    if os.geteuid() == 0:
        try:
            pwd.getpwnam("postgres")
        except KeyError:
            return False
    return find_programs() is not None


class PostgresServer:
    """Runs from ``__enter__`` to ``__exit__``."""

    def __init__(self) -> None:
        programs = find_programs()
        assert programs is not None, "PostgreSQL is not installed"
        self._programs = programs
        self._account = "postgres" if os.geteuid() == 0 else getpass.getuser()
        self.port = _free_port()

    def __enter__(self) -> PostgresServer:
        # Not below pytest's own folder, which only its owner may enter.
        self._folder = Path(tempfile.mkdtemp(prefix="wrac-postgres-", dir="/tmp"))
        if os.geteuid() == 0:
            shutil.chown(self._folder, self._account)
        self.data = self._folder / "data"
        # A locale that sorts as a dictionary does: the ledger must not depend on it.
        locale = ["--locale-provider=icu", "--icu-locale=en", "--locale=C.UTF-8", "--encoding=UTF8"]
        options = ["-D", str(self.data), "-U", "wrac", "--auth=trust", "--no-sync", "--no-instructions", *locale]
        self._run([str(self._programs / "initdb"), *options])
        self.start()
        self.sql("create database ledger")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self._folder, ignore_errors=True)

    def url(self, database: str = "postgres", user: str = "wrac") -> str:
        """What an operator writes as ``ledger`` in wrac.toml."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def database(self) -> str:
        """URL of an empty database; what it held before is gone."""
        self.sql("drop schema public cascade; create schema public", "ledger")
        return self.url("ledger")

    def sql(self, statement: str, database: str = "postgres") -> str:
        """What ``psql`` prints for a statement, run as the owner of everything."""
        address = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "wrac", "-d", database]
        return self._run([str(self._programs / "psql"), "-X", "-q", "-A", "-t", *address, "-c", statement]).strip()

    def start(self) -> None:
        """It answers."""
        settings = {
            "port": self.port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": self._folder,
            "fsync": "off",
            "shared_buffers": "16MB",
            "max_connections": 40,
        }
        options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                ["sh", "-c", _GUARD, "sh", str(self._programs / "postgres"), "-D", str(self.data), *options],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd="/",
                start_new_session=True,
                **self._as_account(),
            )
        deadline = time.monotonic() + _SECONDS
        while True:
            with contextlib.suppress(subprocess.CalledProcessError):
                self.sql("select 1")
                return
            assert time.monotonic() < deadline, (self._folder / "log").read_text("utf-8", "replace")
            time.sleep(0.05)

    @property
    def is_running(self) -> bool:
        """Whether it was started and not stopped."""
        return self._process.poll() is None

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """It has ended: at once but in order, or by SIGQUIT as in a crash. Connections are cut."""
        first_line = (self.data / "postmaster.pid").read_text(encoding="ascii").split("\n", 1)[0]
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(first_line), how)
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait(_SECONDS)

    def _run(self, command: list[str]) -> str:
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=_SECONDS, cwd="/", **self._as_account()
        )
        return done.stdout

    def _as_account(self) -> dict[str, object]:
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        if os.geteuid() != 0:
            return {"env": environment}
        return {"env": environment, "user": self._account, "group": self._account, "extra_groups": []}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
