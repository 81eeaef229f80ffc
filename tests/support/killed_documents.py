"""A long document on its way into a collection, killed where it hurts most, by the commands that a user types."""

from __future__ import annotations

import json
import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mock_pages import START, simple
from mock_site import Reply
from mock_vision import MockVision, pages_of, true_reader

from wrac.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mock_chat import Scripted
    from mock_site import MockSite
    from product import Finished, Running, Workspace

PRICES = {"eyes": {"input": 2.0, "output": 8.0}}
_TEMPLATE = b"conversion.drac.template"


class ToldVision(MockVision):
    """Knows the right transcripts; remembers what was asked and billed, but no picture. Can stop in the middle."""

    def __init__(self, truth: Mapping[int, str]) -> None:
        super().__init__(self._told)
        self._reader = true_reader(truth)
        self._lock = threading.Lock()
        self._go_on = threading.Event()
        self._go_on.set()
        self._until = 0
        self.asked: list[int] = []
        """Pages, in order of arrival."""
        self.billed = [0, 0]
        """Tokens in and out."""

    def stop_after(self, calls: int) -> None:
        """So many calls are answered; further ones wait until ``go_on``."""
        self._until = calls
        self._go_on.clear()

    def go_on(self) -> None:
        """Every call is answered, those that nobody waits for any more as well."""
        self._go_on.set()

    def clear(self) -> None:
        """Nothing was asked yet."""
        with self._lock:
            self.asked.clear()
            self.requests.clear()
            self.billed = [0, 0]

    def _told(self, asked: dict[str, Any]) -> Scripted:
        with self._lock:
            self._until -= 1
            waits = self._until < 0
            self.asked += pages_of(asked)
        if waits:
            self._go_on.wait(120)
        scripted = self._reader(asked)
        with self._lock:
            self.billed[1] += count_tokens(scripted.text)
        return scripted

    def bill(self, asked: dict[str, Any]) -> int:
        tokens = super().bill(asked)
        with self._lock:
            self.billed[0] += tokens
        for part in asked["messages"][1]["content"]:
            part.pop("image_url", None)  # hundreds of pictures are more than a test should hold
        return tokens


@dataclass
class Shelf:
    """A document and the command that takes it in."""

    workspace: Workspace
    vision: ToldVision
    command: tuple[str, ...]
    """Of ``wrac``; empty for a crawl."""
    expected: dict[str, Any] = field(default_factory=dict)
    """What the estimate said before anything was asked."""

    def start(self) -> Running:
        """The command, running."""
        return self.workspace.start_wrac(*self.command) if self.command else self.workspace.start_crawl()

    def kill_in_conversion(self) -> None:
        """SIGKILL while a confined process has the document. What the command had started ends, too."""
        running = self.start()
        running.wait_until(lambda: _is_converting(running.process.pid))
        self._kill(running)

    def kill_in_transcription(self, calls: int) -> int:
        """SIGKILL while calls are under way and some were answered; the number of pages that were finished by then."""
        self.vision.stop_after(calls)
        running = self.start()
        running.wait_until(lambda: self.finished() > 0 and len(self.vision.requests) > calls, timeout=400)
        self._kill(running)
        finished = self.finished()
        self.vision.clear()
        self.vision.go_on()
        return finished

    def finish(self) -> Finished:
        """The command to its end."""
        return self.start().finish(900)

    def finished(self) -> int:
        """Pages in the ledger that were paid for."""
        with suppress(Exception):  # not made yet
            return len(self.workspace.query("select key from transcripts"))
        return 0

    def _kill(self, running: Running) -> None:
        started = _descendants(running.process.pid)
        running.kill()
        running.end()
        deadline = time.monotonic() + 60
        while left := [pid for pid in started if _runs(pid)]:
            assert time.monotonic() < deadline, f"still running after the crawler was killed: {left}"
            time.sleep(0.05)


def on_a_shelf(workspace: Workspace, vision: ToldVision, document: bytes) -> Shelf:
    """The document in a folder, with a profile that has it transcribed."""
    (workspace.folder / "shelf").mkdir()
    (workspace.folder / "shelf" / "long.pdf").write_bytes(document)
    workspace.write_site("https://shelf.example/", name="shelf", transcriber="llm")
    _configure(workspace, vision)
    shelf = Shelf(workspace, vision, ("ingest", "shelf"))
    told = workspace.wrac("estimate", "shelf", "--json", timeout=400)
    shelf.expected = json.loads(told.output)["transcription"]
    return shelf


def on_a_site(workspace: Workspace, vision: ToldVision, document: bytes, site: MockSite) -> Shelf:
    """The document on a site of two pages."""
    site.forget()
    site.routes = {
        START: simple("Start", '<p>All that we know, in one document.</p><p><a href="long.pdf">read it</a></p>'),
        "/docs/long.pdf": Reply(document, content_type="application/pdf"),
    }
    workspace.write_site(site.url + START, transcriber="llm")
    _configure(workspace, vision)
    return Shelf(workspace, vision, ())


def of_real_pages(files: Sequence[Path], length: int) -> tuple[bytes, dict[int, str]]:
    """A PDF of so many pages out of files, and what a faithful model would say of each page that is not blank."""
    from benchmarks.transcription import merged
    from conversion.documents import DocumentOptions
    from conversion.drac.rows import as_sentences
    from conversion.drac.transcribe import KnownDocument

    whole = merged(files, length)
    known = KnownDocument.of(whole, "file:long.pdf", DocumentOptions())
    return whole, {n: as_sentences(known.fallback.get(n, "")) for n in range(1, length + 1)}


def _configure(workspace: Workspace, vision: ToldVision) -> None:
    workspace.environment |= {
        "WRAC_TRANSCRIBER_MODEL": "eyes",
        "WRAC_TRANSCRIBER_BASE_URL": vision.base_url,
        "WRAC_TRANSCRIBER_RETRIES": "0",
        "WRAC_PRICES": json.dumps(PRICES),
    }


def _is_converting(pid: int) -> bool:
    """Whether a fork of a template is at work, whose parent is the template."""
    found = _descendants(pid)
    templates = {one for one in found if _TEMPLATE in _command_line(one)}
    return any(found[one] in templates for one in templates)


def _descendants(pid: int) -> dict[int, int]:
    """Processes that a process started, directly or not, with their parents."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found: dict[int, int] = {}
    while more := {one: up for one, up in parents.items() if one not in found and (up == pid or up in found)}:
        found |= more
    return found


def _command_line(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def _runs(pid: int) -> bool:
    """Whether the process is there and no zombie."""
    with suppress(OSError, IndexError):
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False
