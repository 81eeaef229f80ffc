"""The process with a lock is named, whoever it is."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from indexing.lock_holder import lock_holder

if TYPE_CHECKING:
    from pathlib import Path

HOLD = "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX); print(1, flush=True); input()"


def test_another_process_is_found_by_its_lock(tmp_path: Path) -> None:
    file = tmp_path / ".lock"
    command = [sys.executable, "-c", HOLD, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        found = lock_holder(file)
        holder.communicate(b"\n")
    assert found is not None
    assert found == (holder.pid, command)


def test_a_waiting_process_and_other_files_are_no_holders(tmp_path: Path) -> None:
    file, proc = tmp_path / ".lock", tmp_path / "proc"
    file.touch()
    inode = file.stat().st_ino
    proc.mkdir()
    (proc / "locks").write_text(
        f"1: POSIX  ADVISORY  WRITE 11 08:01:{inode} 0 EOF\n"
        f"2: FLOCK  ADVISORY  WRITE 12 08:01:{inode}1 0 EOF\n"
        f"2: -> FLOCK  ADVISORY  WRITE 13 08:01:{inode} 0 EOF\n"
        f"3: FLOCK  ADVISORY  WRITE -1 08:01:{inode} 0 EOF\n",
    )
    assert lock_holder(file, proc) is None
    with (proc / "locks").open("a") as locks:
        locks.write(f"4: FLOCK  ADVISORY  WRITE 14 08:01:{inode} 0 EOF\n")
    assert lock_holder(file, proc) == (14, [])


def test_where_nothing_is_told(tmp_path: Path) -> None:
    assert lock_holder(tmp_path / "missing") is None
    assert lock_holder(tmp_path, tmp_path / "no-proc") is None
