"""All site profiles of a folder, read again when a file changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wrac.config import SITES_DIR, SiteProfile, load_site
from wrac.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Profiles:
    """What a folder holds: each file is either a profile or a problem."""

    by_name: Mapping[str, SiteProfile] = field(default_factory=dict)
    """File name without ``.toml`` -> profile, in order."""
    problems: Mapping[str, str] = field(default_factory=dict)
    """File name without ``.toml`` -> what is wrong with it."""


def read_profiles(folder: Path = SITES_DIR) -> Profiles:
    """Every ``*.toml`` of the folder; one that cannot be used stops none of the others."""
    found: dict[str, SiteProfile] = {}
    problems: dict[str, str] = {}
    owners: dict[str, str] = {}
    for file in sorted(folder.glob("*.toml")):
        try:
            profile = load_site(file.stem, folder)
        except ConfigError as error:
            problems[file.stem] = str(error)
            continue
        owner = owners.setdefault(profile.name, file.stem)
        if owner == file.stem:
            found[file.stem] = profile
        else:
            problems[file.stem] = (
                f"{file} has the name {profile.name!r}, which {folder / owner}.toml has: two profiles of one site "
                f"would take turns in deleting each other's pages. Give one of them another name"
            )
    return Profiles(found, problems)


class ProfileFolder:
    """Reads the folder again only where a file has come, gone or changed."""

    def __init__(self, folder: Path = SITES_DIR) -> None:
        self._folder = folder
        self._seen: frozenset[tuple[str, int, int, int]] | None = None
        self.current = Profiles()

    def refresh(self) -> bool:
        """``current`` is what the folder holds; True where that was read anew."""
        seen = frozenset(self._files())
        if seen == self._seen:
            return False
        self._seen, self.current = seen, read_profiles(self._folder)
        return True

    def _files(self) -> list[tuple[str, int, int, int]]:
        found = []
        for file in self._folder.glob("*.toml"):
            try:
                status = file.stat()
            except FileNotFoundError:
                continue  # an editor replaces it at this moment
            found.append((file.name, status.st_mtime_ns, status.st_size, status.st_ino))
        return found
