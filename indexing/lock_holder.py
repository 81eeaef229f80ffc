"""Which process holds a lock file, where the system tells (Linux, proc(5): /proc/locks)."""

from __future__ import annotations

from pathlib import Path

_PROC = Path("/proc")


def lock_holder(file: Path, proc: Path = _PROC) -> tuple[int, list[str]] | None:
    """Process id and command line of the process with a flock(2) on ``file``; None where nobody has or tells."""
    try:
        inode = str(file.stat().st_ino)
        lines = (proc / "locks").read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return None
    for line in lines:
        # e.g. "1: FLOCK  ADVISORY  WRITE 4711 08:01:131204 0 EOF"; a waiting one has "->" behind its number.
        match line.split():
            case [_, "FLOCK", _, _, pid, place, *_] if place.rpartition(":")[2] == inode and int(pid) > 0:
                return int(pid), _command_line(proc / pid / "cmdline")
    return None


def _command_line(file: Path) -> list[str]:
    try:
        return [part for part in file.read_bytes().decode("utf-8", "replace").split("\0") if part]
    except OSError:
        return []
