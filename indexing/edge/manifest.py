"""What an edge folder holds beside the engine's own files: one shard knows neither a name nor an alias."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from wrac.ids import digest, digest_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MANIFEST_FILE = "wrac-manifest.json"
SHARDS_FOLDER = "shards"
_VERSION = 1


@dataclass(slots=True)
class Manifest:
    """The collections of a folder and the aliases by which they are read."""

    collections: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Metadata of each collection, by its own name."""
    aliases: dict[str, str] = field(default_factory=dict)
    """Alias -> the collection's own name."""
    written: str = ""
    """Another word after every session that wrote; empty while one is writing, and after one that was killed."""

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """The folder's manifest; an empty one for a new folder. Raises ``OSError``, ``ValueError``."""
        try:
            told = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
        except FileNotFoundError:
            # Every writer writes the manifest before the first shard: these shards lost theirs, or are not ours.
            if _entries(folder / SHARDS_FOLDER):
                raise ValueError(f"{MANIFEST_FILE} is missing beside {SHARDS_FOLDER}/") from None
            return cls()
        try:
            if told["version"] != _VERSION:
                raise ValueError(f"{MANIFEST_FILE} is of version {told['version']}, known is {_VERSION}")
            return cls(dict(told["collections"]), dict(told["aliases"]), str(told["written"]))
        except (KeyError, TypeError) as error:
            raise ValueError(f"{MANIFEST_FILE} is damaged ({error!r})") from error

    def save(self, folder: Path) -> None:
        """Replaces the folder's manifest in one step; it is on disk when this returns. Raises ``OSError``."""
        fresh = folder / f"{MANIFEST_FILE}.new"
        with fresh.open("w", encoding="utf-8") as file:
            json.dump({"version": _VERSION, **asdict(self)}, file, ensure_ascii=False, indent=1)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(folder / MANIFEST_FILE)
        directory = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)

    def resolve(self, name: str) -> str | None:
        """The collection's own name, by it or by an alias; None where there is none."""
        own = self.aliases.get(name, name)
        return own if own in self.collections else None


def shard_folder(folder: Path, name: str) -> Path:
    """Where the shard of a collection lies. A digest: names may differ by case alone, which not every disk tells."""
    return folder / SHARDS_FOLDER / digest_of(name)[:16]


def left_behind(folder: Path, manifest: Manifest) -> Iterator[Path]:
    """Shards that the manifest does not name: their making, or their deletion, broke off."""
    known = {shard_folder(folder, name) for name in manifest.collections}
    return (found for found in _entries(folder / SHARDS_FOLDER) if found not in known)


def _entries(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def stamp_of(folder: Path) -> str:
    """Equal as long as nobody wrote; empty where only the collections themselves can tell: a writer was killed."""
    try:
        manifest = Manifest.read(folder)
    except (OSError, ValueError):
        return ""
    complete = all(shard_folder(folder, name).is_dir() for name in manifest.collections)
    return digest(manifest.written) if manifest.written and complete else ""
