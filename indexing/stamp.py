"""Whether the files of an embedded collection are as they were, without reading them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexing.edge import manifest
from wrac.ids import digest

if TYPE_CHECKING:
    from wrac.config import Settings

LOCK_FILE = ".lock"
"""What is locked (flock) while a process holds a folder: by qdrant-client, or by us."""
OWNER_FILE = "wrac-owner.json"


def stamp_of(settings: Settings) -> str:
    """Digest of names, sizes and times of the embedded collections' files; empty for a server and for no files.

    Equal stamps mean that nothing was written in between: a reader changes no file but the lock's. Only the edge engine
    touches its files when they are read; what it holds has a word that every writer changes.
    """
    if (folder := settings.store_folder) is None:
        return ""
    if settings.store:
        return manifest.stamp_of(folder)
    files = []
    for file in sorted(folder.rglob("*")):
        if file.name not in (LOCK_FILE, OWNER_FILE) and file.is_file():
            found = file.stat()
            files.append(f"{file.relative_to(folder)} {found.st_size} {found.st_mtime_ns}")
    return digest("\n".join(files)) if files else ""
