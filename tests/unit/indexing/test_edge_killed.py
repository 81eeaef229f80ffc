"""A process that writes into an edge folder is killed (kill -9): nothing is lost that a call had come back from."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from edge_points import ENCODERS, point

from indexing import open_store, stamp_of
from wrac.config import Settings
from wrac.errors import StoreLocked

WRITER = Path(__file__).parents[2] / "support" / "edge_writer.py"


def writer(folder: Path, batches: int, ending: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(WRITER), str(folder), str(batches), ending]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=WRITER.parents[2])


def told(lines: list[str]) -> tuple[set[str], set[str]]:
    """Ids that must be stored, and those of them that must say that they were changed."""
    stored: set[str] = set()
    changed: set[str] = set()
    for what, *ids in map(str.split, lines):
        if what == "upserted":
            stored |= set(ids)
        elif what == "changed":
            changed |= set(ids)
        elif what == "deleted":
            stored -= set(ids)
    return stored, changed


def found(settings: Settings) -> tuple[set[str], set[str]]:
    with open_store(settings, "docs") as store:
        store.verify(*ENCODERS)
        stored = store.site_points("docs")
        asked = point("x").vectors
        hits = store.search(asked.dense, asked.sparse, limit=1000)
    assert {hit.point_id for hit in hits} == stored, "every point is found by search"
    return stored, {hit.point_id for hit in hits if hit.title == "changed"}


def test_a_killed_writer_loses_nothing_that_came_back(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, store="edge:")
    with writer(tmp_path, 12, "kill") as process:
        lines = process.communicate()[0].splitlines()
    assert process.returncode == -signal.SIGKILL
    assert len(lines) == 36
    assert stamp_of(settings) == "", "whoever comes next has to look"
    assert found(settings) == told(lines)
    assert stamp_of(settings) == "", "reading mends nothing"


def test_an_opener_that_is_refused_takes_nothing_from_a_writer_that_is_killed_later(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, store="edge:")
    with writer(tmp_path, 400, "close") as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(6)]
        with pytest.raises(StoreLocked, match=f"process {process.pid} "):
            open_store(settings, "docs")
        lines += [process.stdout.readline() for _ in range(6)]
        process.kill()
        lines += process.stdout.read().splitlines(keepends=True)
    stored, changed = told([line for line in lines if line.endswith("\n")])
    now, now_changed = found(settings)
    # One more call may have been under way, and have been stored without having been told of: at most a deletion.
    assert len(stored - now) <= 1
    assert changed <= now_changed


@pytest.mark.parametrize("step", ["optimize", "flush", "close"])
def test_a_writer_killed_while_it_closes_loses_nothing(tmp_path: Path, step: str) -> None:
    settings = Settings(data_dir=tmp_path, store="edge:")
    with writer(tmp_path, 5, step) as process:
        lines = process.communicate()[0].splitlines()
    assert process.returncode == -signal.SIGKILL
    assert stamp_of(settings) == ""
    assert found(settings) == told(lines)
