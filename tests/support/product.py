"""The product as its user runs it: commands in processes of their own, in a folder of their own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mock_embeddings import MockEmbeddings

    from wrac.records import Hit

ROOT = Path(__file__).resolve().parents[2]
SECRET = "sk-tests-8f3a1c-never-to-be-seen"
"""The API key that every run of the tests gets; no output may hold it."""


@dataclass(frozen=True, repr=False)
class Finished:
    """A command that has ended."""

    code: int
    output: str
    """Standard output."""
    errors: str
    """Standard error."""
    seconds: float

    @property
    def everything(self) -> str:
        """Both streams."""
        return self.output + self.errors

    def __repr__(self) -> str:
        return f"exit code {self.code} after {self.seconds:.1f} s\n{self.output}\n--- standard error\n{self.errors}"


@dataclass(frozen=True)
class Row:
    """What the ledger says about one URL."""

    url: str
    outcome: str
    reason: str
    state: str
    chunks: int
    points: tuple[str, ...]


class Workspace:
    """A folder with its own configuration, sites, ledger, archive and collection."""

    def __init__(self, folder: Path, embeddings: MockEmbeddings | None = None, **environment: str) -> None:
        """Embeds by the mock endpoint where there is one, else by the embedded default."""
        self.folder = folder
        self._running: list[Running] = []
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "scrapy.cfg", folder)
        kept = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV")
        self.environment = {name: os.environ[name] for name in kept if name in os.environ}
        self.environment |= {
            "PYTHONPATH": str(ROOT),
            "PYTHONUNBUFFERED": "1",
            "OPENAI_API_KEY": SECRET,
            "WRAC_WORKERS": "1",
            "COLUMNS": "160",
        }
        if embeddings is not None:
            self.environment |= {
                "WRAC_EMBEDDER": "openai:mock",
                "WRAC_EMBEDDER_BASE_URL": embeddings.base_url,
                "WRAC_EMBEDDER_DIMENSION": str(embeddings.dimension),
            }
        self.environment |= environment

    @property
    def data(self) -> Path:
        """Where everything that is kept lives."""
        return self.folder / ".wrac"

    def write_site(self, url: str, name: str = "docs_site", **profile: object) -> None:
        """A site profile that may fetch from loopback and does not wait between requests unless told to."""
        values = {"start_urls": [url], "allow_private": ["127.0.0.1"], "delay": 0.0, **profile}
        file = self.folder / "sites" / f"{name}.toml"
        file.parent.mkdir(exist_ok=True)
        # JSON strings, numbers, booleans and arrays of them are TOML as well.
        lines = [f"{key} = {json.dumps(value)}" for key, value in values.items() if not isinstance(value, dict)]
        for key, table in values.items():
            if isinstance(table, dict):
                lines += [f"[{key}]", *(f"{name} = {_inline(value)}" for name, value in table.items())]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")

    # ---------------------------------------------------------------- commands

    def crawl(self, *arguments: str, timeout: float = 200) -> Finished:
        """``scrapy crawl docs_site`` to its end."""
        return self.start_crawl(*arguments).finish(timeout)

    def start_crawl(self, *arguments: str) -> Running:
        """``scrapy crawl docs_site``, running; its process group is its own, as in a terminal."""
        return self._start("-m", "scrapy", "crawl", "docs_site", *arguments)

    def wrac(self, *arguments: str, timeout: float = 200) -> Finished:
        """The command line, to its end."""
        return self.start_wrac(*arguments).finish(timeout)

    def start_wrac(self, *arguments: str) -> Running:
        """The command line, running."""
        return self._start("-c", "from service.cli import main; main()", *arguments)

    def _start(self, *arguments: str) -> Running:
        output, errors = (self.folder / f"std{name}.txt" for name in ("out", "err"))
        with output.open("wb") as out, errors.open("wb") as err:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        self._running.append(Running(process, output, errors, time.monotonic()))
        return self._running[-1]

    def stop_all(self) -> None:
        """Nothing that was started here runs on, whatever became of the test."""
        for running in self._running:
            running.end()

    def ask(self, questions: Sequence[str], limit: int = 5) -> list[list[Hit]]:
        """What a chatbot gets that searches by the library: the hits of each question, best first."""
        from indexing import make_embedder, make_sparse_encoder, open_store
        from indexing.search import search
        from wrac.config import load_settings

        settings = load_settings(environment=self.environment, data_dir=self.data)
        embedder, sparse = make_embedder(settings), make_sparse_encoder(settings)
        with open_store(settings, "docs") as store:
            return [search(q, store=store, embedder=embedder, sparse=sparse, limit=limit) for q in questions]

    # ---------------------------------------------------------------- what was kept

    def rows(self) -> dict[str, Row]:
        """Every URL in the ledger, by URL. There is one row for each, by the ledger's own keys."""
        columns = "url, outcome, reason, state, chunks, point_ids"
        found = {}
        for url, outcome, reason, state, chunks, points in self.query(f"select {columns} from pages"):
            found[url] = Row(url, outcome, reason, state, chunks, tuple(points.split()))
        return found

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """Rows of the ledger by SQL, read only."""
        with contextlib.closing(sqlite3.connect(f"file:{self.data / 'ledger.sqlite'}?mode=ro", uri=True)) as ledger:
            return ledger.execute(sql).fetchall()

    def outcome(self, url: str) -> str:
        """How a URL ended; a URL that the ledger does not know is a failure that lists what it knows."""
        rows = self.rows()
        assert url in rows, f"{url} is not in the ledger, which has:\n" + "\n".join(sorted(rows))
        return rows[url].outcome

    def points(self, collection: str = "docs") -> dict[str, dict[str, Any]]:
        """Payloads of the embedded collection by point id."""
        with self.collection() as client:
            assert client.collection_exists(collection), f"no collection {collection}"
            found, _ = client.scroll(collection, limit=100_000, with_payload=True)
            return {str(point.id): dict(point.payload or {}) for point in found}

    @contextlib.contextmanager
    def collection(self) -> Iterator[Any]:
        """The embedded collection, opened as any reader would."""
        from qdrant_client import QdrantClient

        client = QdrantClient(path=str(self.data / "qdrant"))
        try:
            yield client
        finally:
            client.close()


class Running:
    """A command that runs."""

    def __init__(self, process: subprocess.Popen[bytes], output: Path, errors: Path, began: float) -> None:
        self.process, self._output, self._errors, self._began = process, output, errors, began

    def wait_until(self, condition: Callable[[], bool], timeout: float = 120) -> None:
        """Returns once the condition holds; fails where the command ends first."""
        deadline = time.monotonic() + timeout
        while not condition():
            assert self.process.poll() is None, f"ended too early: {self.finish(1)}"
            assert time.monotonic() < deadline, "waited too long"
            time.sleep(0.02)

    def interrupt(self) -> None:
        """What Ctrl-C in a terminal does: SIGINT to the whole group."""
        os.killpg(self.process.pid, signal.SIGINT)

    def kill(self) -> None:
        """SIGKILL to the process itself, as the kernel does when memory runs out."""
        self.process.kill()

    def group_is_gone(self, timeout: float = 60) -> bool:
        """Whether every process of the group ends by itself in time."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            try:
                os.killpg(self.process.pid, 0)
            except ProcessLookupError:
                return True
            time.sleep(0.05)
        return False

    def finish(self, timeout: float = 200) -> Finished:
        """Waits for the end; a command that hangs is killed and fails the test with what it said."""
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.end()
            raise AssertionError(f"still running after {timeout} s: {self._said(-9)}") from None
        return self._said(code)

    def end(self) -> None:
        """The command and all that it started are gone."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def _said(self, code: int) -> Finished:
        output, errors = (file.read_text("utf-8", "replace") for file in (self._output, self._errors))
        return Finished(code, output, errors, time.monotonic() - self._began)


def _inline(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {json.dumps(item)}" for key, item in value.items()) + " }"
    return json.dumps(value)
